import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secret.ts';
import type { Database } from '../../src/storage/database.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import { StoreError } from '../../src/storage/store.ts';
import type { Order } from '../../src/submissions/desk.ts';
import { createJournal } from '../../src/submissions/journal.ts';
import type { CarriedInteraction } from '../../src/submissions/journal-record.ts';
import { createLedger } from '../../src/submissions/ledger.ts';
import { bytesOnDisk, folder, openStore, recorder } from '../storage/temporary.ts';

const encryption = createEncryption([randomBytes(32)]);
const TOKEN = 'aW50ZXJhY3Rpb246MTIzNDU2Nzg5';
const ours = () => true;

function carried(interactionId: string, change: Partial<CarriedInteraction> = {}): CarriedInteraction {
  return {
    interactionId,
    guildId: '2',
    channelId: '3',
    user: { id: '7', name: 'mia' },
    permissions: '2147483648',
    locale: 'de',
    guildLocale: 'en-US',
    token: new Secret(TOKEN),
    shape: 'reply',
    isPrivate: true,
    work: { command: 'addserver', options: { server: 'a.example.com:1;password hunter2', port: 1 } },
    ...change,
  };
}

function order(interactionId: string, ...names: readonly string[]): Order {
  return {
    interactionId,
    guildId: '2',
    channelId: '3',
    user: { id: '7', name: 'mia' },
    key: new Secret('key'),
    servers: names.map((name) => ({ server: `${name}.example.com`, port: 1, game: 'rust' })),
  };
}

/** A journal over the store, as a run of the bot has it. */
async function run(store: Database, logger = recorder()) {
  const ledger = createLedger({ store });
  const journal = createJournal({ store, encryption, ledger, logger, now: () => 5 });
  await journal.start();
  return { journal, ledger, logger };
}

describe('the journal', () => {
  it('gives the next run what was not answered, as it was, and nothing of what was', async () => {
    const path = join(folder(), 'bot.sqlite');
    const before = await openStore(path);
    const { journal } = await run(before);
    await journal.remember(carried('1'));
    await journal.remember(carried('9'));
    await journal.forget('9');
    await before.stop();

    const next = (await run(await openStore(path))).journal;
    const [left, ...others] = await next.leftOver(ours);
    expect(others).toEqual([]);
    expect(left).toMatchObject({ at: 5, sent: [], wanted: 0 });
    const { token, ...rest } = left?.interaction ?? carried('none');
    const { token: _, ...expected } = carried('1');
    expect(rest).toEqual(expected);
    expect(token.reveal()).toBe(TOKEN);
    await next.forget('1');
    expect(await (await run(await openStore(path))).journal.leftOver(ours)).toEqual([]);
  });

  it('has neither the token nor what was typed on the disk in clear', async () => {
    const store = await openStore();
    await (await run(store)).journal.remember(carried('1'));
    expect(bytesOnDisk(store.path)).toContain('journal:2:1');
    for (const secret of [TOKEN, 'hunter2', 'mia']) expect(bytesOnDisk(store.path)).not.toContain(secret);
  });

  it('takes no interaction twice: while it runs, after it, or after a restart', async () => {
    const store = await openStore();
    const { journal } = await run(store);
    expect(await Promise.all([journal.remember(carried('1')), journal.remember(carried('1'))])).toEqual([
      true,
      false,
    ]);
    const next = (await run(store)).journal;
    expect(await next.remember(carried('1'))).toBe(false);
    await journal.forget('1');
    expect(await journal.remember(carried('1'))).toBe(false);
  });

  it('knows what had been sent, how it ended, and how much was wanted', async () => {
    const store = await openStore();
    const { journal } = await run(store);
    await journal.remember(carried('1'));
    await journal.step.admit(order('1', 'a', 'b', 'c', 'd', 'e'));
    const requests = [order('1', 'a', 'b'), order('1', 'c'), order('1', 'd')] as const;
    for (const request of requests) await journal.step.sending(request);
    await journal.step.settled(requests[1], { kind: 'rejected', message: 'No.' });
    await journal.step.settled(requests[0], { kind: 'accepted', message: 'Added.' });

    const next = await run(store);
    const [left] = await next.journal.leftOver(ours);
    expect(left?.wanted).toBe(5);
    expect(left?.sent).toMatchObject([
      { servers: [{ server: 'a.example.com' }, { server: 'b.example.com' }], outcome: 'accepted' },
      { servers: [{ server: 'c.example.com' }], outcome: 'rejected', message: 'No.' },
      { servers: [{ server: 'd.example.com' }], outcome: 'unknown' },
    ]);
    expect(next.journal.sent('1')).toEqual(left?.sent);
    // The one without an answer is known to the guild's ledger from then on.
    expect(await next.ledger.list('2')).toMatchObject([
      { server: 'd.example.com', outcome: 'unknown', userName: 'mia', at: 5 },
    ]);
  });

  it('settles the guilds of this process only, each once', async () => {
    const store = await openStore();
    const { journal } = await run(store);
    await journal.remember(carried('1'));
    await journal.remember(carried('4', { guildId: '5' }));
    const next = (await run(store)).journal;
    const isTwo = (guildId: string) => guildId === '2';
    expect((await next.leftOver(isTwo)).map(({ interaction }) => interaction.interactionId)).toEqual(['1']);
    expect(await next.leftOver(isTwo)).toEqual([]);
    // What this run takes itself is not left over.
    await next.remember(carried('6'));
    expect(await next.leftOver(isTwo)).toEqual([]);
  });

  it('lets nothing leave that could not be noted', async () => {
    const store = await openStore();
    const { journal } = await run(store);
    await journal.remember(carried('1'));
    const raw = new DatabaseSync(store.path);
    raw.exec('ALTER TABLE keyv RENAME TO gone');
    await expect(journal.step.sending(order('1', 'a'))).rejects.toThrow(StoreError);
    expect(journal.sent('1')).toEqual([]);
    await expect(journal.remember(carried('2'))).rejects.toThrow(StoreError);
    raw.exec('ALTER TABLE gone RENAME TO keyv');
    raw.close();
    expect(await journal.remember(carried('2'))).toBe(true);
  });

  it('names entries that it cannot read, leaves them, and settles the others', async () => {
    const store = await openStore();
    const { journal } = await run(store);
    await journal.remember(carried('1'));
    await journal.remember(carried('2'));
    await store.set('journal:2:1', { ...Object(await store.get('journal:2:2')), interactionId: '1' });
    await store.set('journal:2:0', { v: 2 });
    const next = await run(store);
    expect((await next.journal.leftOver(ours)).map(({ interaction }) => interaction.interactionId)).toEqual([
      '2',
    ]);
    expect(next.logger.lines.map(({ level }) => level)).toEqual(['error', 'error']);
    expect(await store.get('journal:2:0')).toEqual({ v: 2 });
  });

  it('does not mind orders of interactions that it does not know', async () => {
    const { journal } = await run(await openStore());
    const unknown = order('1', 'a');
    expect(await journal.step.admit(unknown)).toBeUndefined();
    await journal.step.sending(unknown);
    await journal.step.settled(unknown, { kind: 'accepted', message: '' });
    await journal.forget('1');
    expect(journal.sent('1')).toEqual([]);
  });
});
