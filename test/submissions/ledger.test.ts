import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { AddOutcome } from '../../src/listing/contract.ts';
import { Secret } from '../../src/secret.ts';
import { StoreError } from '../../src/storage/store.ts';
import { createLedger, type LedgerEntry, ledgerStep } from '../../src/submissions/ledger.ts';
import { folder, openStore } from '../storage/temporary.ts';

function entry(server: string, change: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    at: 1,
    userId: '7',
    userName: 'mia',
    server,
    port: 27015,
    game: 'rust',
    outcome: 'accepted',
    message: 'Added.',
    ...change,
  };
}

const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => entry(`s${from + index}.example.com`));

describe('the ledger', () => {
  it('lists what each guild has submitted, newest first, over a restart', async () => {
    const path = join(folder(), 'bot.sqlite');
    const before = await openStore(path);
    await createLedger({ store: before }).record('1', [entry('a.example.com'), entry('b.example.com')]);
    await createLedger({ store: before }).record('1', [entry('c.example.com', { queryPort: 27016 })]);
    await createLedger({ store: before }).record('2', [entry('other.example.com')]);
    await before.stop();

    const ledger = createLedger({ store: await openStore(path) });
    expect(await ledger.list('1')).toEqual([
      entry('c.example.com', { queryPort: 27016 }),
      entry('b.example.com'),
      entry('a.example.com'),
    ]);
    expect(await ledger.list('3')).toEqual([]);
  });

  it('finds the latest entry of an address that was accepted or may have been received', async () => {
    const ledger = createLedger({ store: await openStore() });
    const accepted = entry('a.example.com', { at: 2 });
    const unknown = entry('2001:db8::1', { at: 3, outcome: 'unknown' });
    await ledger.record('1', [entry('a.example.com', { at: 1, outcome: 'unknown' }), accepted, unknown]);
    await ledger.record('1', [
      entry('a.example.com', { at: 4, outcome: 'rejected', message: 'No.' }),
      entry('b.example.com', { outcome: 'rejected' }),
      entry('c.example.com', { outcome: 'not-sent' }),
    ]);
    const asked = ['a.example.com', 'b.example.com', 'c.example.com', 'd.example.com', '2001:db8::1'];
    const found = await ledger.find(
      '1',
      asked.map((server) => ({ server, port: 27015 })),
    );
    expect([...found]).toEqual(
      expect.arrayContaining([
        ['a.example.com:27015', accepted],
        ['[2001:db8::1]:27015', unknown],
      ]),
    );
    expect(found.size).toBe(2);
    expect((await ledger.find('1', [{ server: 'a.example.com', port: 27016 }])).size).toBe(0);
    expect((await ledger.find('2', [{ server: 'a.example.com', port: 27015 }])).size).toBe(0);
  });

  it('keeps the last 1,000 addresses, each with its latest entry and what is known of its acceptance', async () => {
    const ledger = createLedger({ store: await openStore() });
    await ledger.record('1', rows(999));
    await ledger.record('1', [entry('s0.example.com', { outcome: 'rejected', message: 'Twice.' })]);
    await ledger.record('1', [entry('s0.example.com', { outcome: 'not-sent' })]);
    await ledger.record('1', rows(2, 999));

    const list = await ledger.list('1');
    const addresses = new Set(list.map(({ server }) => server));
    expect(addresses.size).toBe(1_000);
    expect(addresses).not.toContain('s1.example.com');
    expect(list.filter(({ server }) => server === 's0.example.com').map(({ outcome }) => outcome)).toEqual([
      'not-sent',
      'accepted',
    ]);
    expect(list.length).toBe(1_001);
  });

  it('loses none of the entries that are recorded at once', async () => {
    const ledger = createLedger({ store: await openStore() });
    await Promise.all(rows(30).map((row) => ledger.record('1', [row])));
    expect(await ledger.list('1')).toHaveLength(30);
  });

  it('goes on after a write that failed', async () => {
    const store = await openStore();
    const ledger = createLedger({ store });
    const raw = new DatabaseSync(store.path);
    raw.exec('ALTER TABLE keyv RENAME TO gone');
    await expect(ledger.record('1', rows(1))).rejects.toThrow(StoreError);
    await expect(ledger.find('1', [])).rejects.toThrow(StoreError);
    await expect(ledger.list('1')).rejects.toThrow(StoreError);
    await expect(ledger.forgetMember('1', '7')).rejects.toThrow(StoreError);
    await expect(ledger.deleteGuild('1')).rejects.toThrow(StoreError);
    raw.exec('ALTER TABLE gone RENAME TO keyv');
    raw.close();
    await ledger.record('1', rows(1));
    expect(await ledger.list('1')).toHaveLength(1);
  });

  it('begins anew when its record cannot be read, which is kept aside', async () => {
    const store = await openStore();
    await store.set('ledger:1', { v: 99 });
    const ledger = createLedger({ store });
    expect(await ledger.list('1')).toEqual([]);
    await ledger.record('1', rows(1));
    expect(await ledger.list('1')).toHaveLength(1);
    expect(await store.get('set-aside.ledger:1')).toEqual({ v: 99 });
  });

  it('forgets a member: the entries stay, without the id and the name', async () => {
    const ledger = createLedger({ store: await openStore() });
    await ledger.record('1', [...rows(2), entry('z.example.com', { userId: '8', userName: 'zoe' })]);
    await ledger.record('2', rows(1));
    expect(await ledger.forgetMember('1', '7')).toBe(2);
    expect(await ledger.forgetMember('1', '7')).toBe(0);
    expect((await ledger.list('1')).map(({ userId, userName }) => userId + userName)).toEqual([
      '8zoe',
      '',
      '',
    ]);
    expect(await ledger.list('2')).toEqual(rows(1));
  });

  it('deletes what a guild has submitted', async () => {
    const ledger = createLedger({ store: await openStore() });
    await ledger.record('1', rows(1));
    await ledger.record('2', rows(1));
    await ledger.deleteGuild('1');
    await ledger.deleteGuild('1');
    expect(await ledger.list('1')).toEqual([]);
    expect(await ledger.list('2')).toHaveLength(1);
  });

  it('reads once and writes once for a request, however much a guild has submitted', async () => {
    const store = await openStore();
    const asked: string[] = [];
    const ledger = createLedger({
      store: {
        get(key) {
          asked.push('get');
          return store.get(key);
        },
        set(key, value) {
          asked.push('set');
          return store.set(key, value);
        },
        delete: (key) => store.delete(key),
        setAside: store.setAside,
      },
    });
    const long = rows(1_000).map((row) => ({ ...row, message: '😀'.repeat(300) }));
    await ledger.record('1', long);
    asked.length = 0;
    await ledger.record('1', long.slice(0, 100));
    expect(asked).toEqual(['get', 'set']);
    expect(await ledger.list('1')).toHaveLength(1_000);
  });
});

describe('the step that keeps the ledger', () => {
  const order = {
    interactionId: '1',
    guildId: '2',
    channelId: '3',
    user: { id: '7', name: 'mia' },
    key: new Secret('key'),
    servers: [{ server: 'a.example.com', port: 1, queryPort: 2, game: 'rust' }],
  };
  const cases: readonly (readonly [AddOutcome, Partial<LedgerEntry>])[] = [
    [
      { kind: 'accepted', message: 'Added.' },
      { outcome: 'accepted', message: 'Added.' },
    ],
    [
      { kind: 'rejected', message: 'No.' },
      { outcome: 'rejected', message: 'No.' },
    ],
    [
      { kind: 'rejected', message: '😀'.repeat(2_000) },
      { outcome: 'rejected', message: '😀'.repeat(300) },
    ],
    [{ kind: 'not-sent', reason: 'refused', detail: 'ECONNREFUSED' }, { outcome: 'not-sent' }],
    [{ kind: 'unknown', reason: 'timeout', detail: 'late' }, { outcome: 'unknown' }],
    [{ kind: 'nonsense', reason: 'not-json', detail: 'HTML' }, { outcome: 'unknown' }],
  ];
  it.each(cases)('notes $kind with who sent what', async (outcome, expected) => {
    const ledger = createLedger({ store: await openStore() });
    await ledgerStep(ledger, () => 9).settled(order, outcome);
    expect(await ledger.list('2')).toEqual([
      {
        at: 9,
        userId: '7',
        userName: 'mia',
        server: 'a.example.com',
        port: 1,
        queryPort: 2,
        game: 'rust',
        ...expected,
      },
    ]);
  });

  it('refuses what was accepted or may have been received before, unless that is wanted', async () => {
    const ledger = createLedger({ store: await openStore() });
    const step = ledgerStep(ledger);
    expect(await step.admit(order)).toBeUndefined();
    await step.settled(order, { kind: 'rejected', message: 'No.' });
    expect(await step.admit(order)).toBeUndefined();
    await step.settled(order, { kind: 'accepted', message: 'Added.' });
    expect(await step.admit(order)).toMatchObject({
      code: 'submitted-before',
      entries: [{ server: 'a.example.com', outcome: 'accepted' }],
    });
    expect(await step.admit({ ...order, again: true })).toBeUndefined();
    expect(await step.admit({ ...order, guildId: '9' })).toBeUndefined();
  });
});
