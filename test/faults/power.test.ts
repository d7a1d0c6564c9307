import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Outcome, ServerSubmission } from '../../src/listing/contract.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption } from '../../src/storage/collection.ts';
import { createRandom, type Random } from '../soak/random.ts';
import { folder } from '../storage/temporary.ts';
import { openPipeline } from '../support/open-pipeline.ts';
import { readyDraft } from '../support/submitted.ts';

const encryption = createEncryption([randomBytes(32)]);
const by = { guildId: '1', user: { id: '2', name: 'mia' } };
const START = Date.UTC(2026, 10, 21, 12);
const now = () => START;

/** What the disk may hold after a loss of power, and what the service had received by then. */
interface Copy {
  readonly path: string;
  readonly received: readonly string[];
}

/** Takes copies of the store's files, of all that was written and of what is sure to be on the disk. */
function createDisk(path: string, copies: string) {
  const files = (at: string) => [at, `${at}-wal`];
  let synced: readonly (Buffer | undefined)[] = [];
  const read = () => files(path).map((file) => (existsSync(file) ? readFileSync(file) : undefined));
  let count = 0;
  return {
    onCommit(commit: { readonly synced: boolean }) {
      if (commit.synced) synced = read();
    },
    copies(): readonly string[] {
      count += 1;
      const [whole, sure, cut] = ['whole', 'sure', 'cut'].map((kind) => join(copies, `${kind}-${count}`));
      if (whole === undefined || sure === undefined || cut === undefined) return [];
      for (const [i, file] of files(path).entries())
        if (existsSync(file)) copyFileSync(file, files(whole)[i] ?? '');
      for (const [i, bytes] of synced.entries()) if (bytes) writeFileSync(files(sure)[i] ?? '', bytes);
      // The file as it is, and of its log only what was synced: unless the log has begun anew since.
      const [[file, log], previousLog] = [read(), synced[1]];
      if (!file || !log || !previousLog?.subarray(0, 32).equals(log.subarray(0, 32))) return [whole, sure];
      writeFileSync(cut, file);
      writeFileSync(`${cut}-wal`, log);
      truncateSync(`${cut}-wal`, Math.min(log.length, previousLog.length));
      return [whole, sure, cut];
    },
  };
}

function answerOf(random: Random): Outcome {
  if (random.chance(0.1)) return { kind: 'unknown', reason: 'reset', detail: '' };
  if (random.chance(0.1)) return { kind: 'rejected', message: 'No.' };
  return { kind: 'accepted', message: 'Yes.' };
}

/** Members submit single servers and lists, while the files are copied whenever something has reached the service. */
async function work(random: Random, place: string) {
  const path = join(place, 'bot.sqlite');
  const disk = createDisk(path, place);
  const received: string[] = [];
  const copies: Copy[] = [];
  const copy = () => copies.push(...disk.copies().map((at) => ({ path: at, received: [...received] })));
  async function add(servers: readonly ServerSubmission[]): Promise<Outcome> {
    const answer = answerOf(random);
    // Of a request that the service refuses as a whole it takes nothing: its parts may be sent again.
    if (answer.kind !== 'rejected' || servers.length === 1)
      received.push(...servers.map(({ server }) => server));
    if (random.chance(0.3)) copy();
    await sleep(random.between(0, 3));
    if (random.chance(0.1)) copy();
    return answer;
  }
  const { database, keys, records, pipeline } = await openPipeline({ path, encryption, now, add, ...disk });
  await keys.set('1', new Secret('the-key-of-this-guild'), { userId: '9' });
  const lists = Array.from({ length: 3 }, (_, n) => ({
    interactionId: `7${n}`,
    id: `6${n}`,
    name: `list-${n}`,
  }));
  for (const { id, name } of lists) await records.saveDraft(by, id, readyDraft(name, 120));
  const singles = Array.from({ length: 12 }, (_, n) => ({
    interactionId: `5${n}`,
    id: `5${n}`,
    draft: readyDraft(`one-${n}`, 1),
  }));
  const orders = [...lists, ...singles];
  await Promise.all(
    orders.map(async (order) => {
      await sleep(random.between(0, 20));
      await pipeline.submit({ ...by, ...order });
    }),
  );
  await database.stop();
  return { copies, orders };
}

describe('a loss of power', () => {
  it.each(['1', '2'])('at any moment lets nothing be sent twice (seed %s)', async (seed) => {
    const { copies, orders } = await work(createRandom(seed), folder());
    expect(copies.length).toBeGreaterThan(10);
    let resent = 0;
    for (const { path, received } of copies) {
      const again: string[] = [];
      const add = async (servers: readonly ServerSubmission[]): Promise<Outcome> => {
        again.push(...servers.map(({ server }) => server));
        return { kind: 'accepted', message: 'Yes.' };
      };
      const { database, pipeline, tidying } = await openPipeline({ path, encryption, now, add });
      await tidying.start?.();
      // What was left is run again, and Discord may deliver everything a second time.
      for (const order of orders) await pipeline.submit({ ...by, ...order });
      await tidying.stop?.();
      await database.stop();
      expect(again.filter((server) => received.includes(server))).toEqual([]);
      resent += again.length;
    }
    // Something had not left, so that all of this has been put to the test.
    expect(resent).toBeGreaterThan(0);
  }, 120_000);
});
