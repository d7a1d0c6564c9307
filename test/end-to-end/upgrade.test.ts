import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, it } from 'vitest';
import { createEncryption } from '../../src/storage/collection.ts';
import { folder } from '../storage/temporary.ts';
import { csvOf, read, upload } from '../support/lists.ts';
import { messageOf, openScene, type Scene, textOf } from '../support/scene.ts';
import { changeValues, copyStoreOf01, IN_0_1 } from '../support/store-of-0.1.ts';

let scene: Scene;
afterEach(() => scene.close());

const ACCEPTED = 'Servers have been added for review.';
const contextOf = (interactionId: string) => `guild ${IN_0_1.guild}: interaction ${interactionId}`;
const encryptionOf = async (path: string) =>
  createEncryption([Buffer.from((await readFile(`${path}.key`, 'utf8')).trim(), 'base64')]);

/** Answers that members wait for. */
const thinking = () =>
  [scene.member, other()]
    .flatMap(({ channelId, userId }) => scene.discord.messages({ channelId, userId }))
    .filter(({ loading }) => loading).length;
const other = () => scene.person({ role: 'other' });

/** What the bot needs to answer the interactions that it has taken, opened; by id. */
async function takenIn(path: string): Promise<ReadonlyMap<string, string>> {
  const encryption = await encryptionOf(path);
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare('SELECT id, sealed FROM interactions WHERE sealed IS NOT NULL').all();
    return new Map(
      rows.map(({ id, sealed }) => [
        String(id),
        encryption.open(JSON.parse(String(sealed)), contextOf(String(id))),
      ]),
    );
  } finally {
    database.close();
  }
}

/** Puts 0.1's store in place of the bot's, with the interactions that Discord knows now in place of those of its time. */
async function putBack(path: string, ids: ReadonlyMap<string, string>, opened: ReadonlyMap<string, string>) {
  for (const suffix of ['', '-wal', '-shm', '.key']) await rm(path + suffix, { force: true });
  copyStoreOf01(scene.data);
  const encryption = await encryptionOf(path);
  const renamed = (text: string) => [...ids].reduce((now, [then, id]) => now.replaceAll(then, id), text);
  changeValues(path, (key, value) => {
    const [area, , id = ''] = renamed(key).split(':');
    if (area !== 'journal') return [renamed(key), renamed(value)];
    const envelope = JSON.parse(renamed(value));
    envelope.value.sealed = encryption.seal(opened.get(id) ?? '', contextOf(id));
    return [renamed(key), JSON.stringify(envelope)];
  });
}

it('an update from 0.1 in the middle of its work leaves nobody waiting, and sends nothing twice', async () => {
  scene = await openScene({
    key: 'sandbox-key',
    data: folder(),
    env: { LISTING_API_TIMEOUT_MS: '60000' },
  });
  const path = join(scene.data, 'bot.sqlite');
  // The same was asked of 0.1, which was killed before it could answer.
  await scene.listing.behave({ kind: 'hang' });
  const list = Array.from({ length: 250 }, (_, n) => `u${n}.example.com:27015 cs2`).join('\n');
  const preview = await scene.member.slash('addservers', { file: upload('list.txt', list) });
  await scene.member.press(messageOf(preview), 'Submit 250 game servers');
  const answers = [1, 2, 3, 4].map((n) =>
    (n === 2 ? other() : scene.member).slash('addserver', { game: 'cs2', server: `w${n}.example.com:27015` }),
  );
  await expect.poll(async () => (await takenIn(path)).size).toBe(5);
  await expect.poll(thinking).toBe(4);
  await scene.kill();

  const opened = await takenIn(path);
  const ids = new Map<string, string>();
  for (const [id, text] of opened) {
    const { work } = JSON.parse(text);
    if (work.action === 'submit') ids.set(IN_0_1.submitting, id).set(IN_0_1.list, work.argument);
    else ids.set(IN_0_1.waiting[Number(/^w(\d)/.exec(work.options.server)?.[1]) - 1] ?? '', id);
  }
  expect(ids.size).toBe(6);
  await putBack(path, ids, opened);
  const before = scene.listing.requests.length;
  await scene.listing.behave({ kind: 'ok' });
  await scene.startBot();

  const said = (await Promise.all(answers)).map((answer) => textOf(answer).replaceAll('\n', ' '));
  for (const text of said.slice(0, 3)) {
    expect(text).toMatch(/restarted while this was on its way.*may have been received: check the list/);
  }
  expect(said[3]).toContain(ACCEPTED);
  await expect.poll(() => read(messageOf(preview))).toContain('report.csv');
  const outcomes = csvOf(messageOf(preview), 'report.csv').map((row) => row[5]);
  expect(outcomes).toEqual([
    ...Array(100).fill('sent for review'),
    ...Array(100).fill('unknown'),
    ...Array(50).fill('sent for review'),
  ]);
  const sent = scene.listing.requests
    .slice(before)
    .flatMap(({ servers }) => servers.map(({ server }) => server));
  expect(sent.sort()).toEqual(
    ['w4.example.com', ...Array.from({ length: 50 }, (_, n) => `u${n + 200}.example.com`)].sort(),
  );

  // What was accepted before the update, or may have been, is not submitted again by mistake.
  for (const [server, words] of [
    ['first.example.com:27015', /it was sent for review/],
    ['u150.example.com:27015', /became of it is unknown, and it may have been received/],
  ] as const) {
    expect(textOf(await scene.member.slash('addserver', { game: 'cs2', server }))).toMatch(words);
  }
});
