import { describe, expect, it } from 'vitest';
import { type BlockTarget, createBlockCheck, MAX_BLOCKS } from '../../src/guilds/blocks.ts';
import { UnreadableSettingsError } from '../../src/guilds/settings.ts';
import { partsOver } from '../support/builders.ts';
import { kinds, newPlace, rowsIn } from '../support/database.ts';

const guildId = '1';
const by = { id: '9', name: 'mod' };
const host = (name: string): BlockTarget => ({ kind: 'host', host: name });
const member = (id: string): BlockTarget => ({ kind: 'member', id });

describe('the block check', () => {
  const check = createBlockCheck([
    host('example.com'),
    host('93.184.216.34'),
    host('93.200.0.0/16'),
    host('2606:4700::/32'),
    member('7'),
  ]);

  it.each([
    'example.com',
    'a.b.example.com',
    '93.184.216.34',
    '93.200.255.1',
    '2606:4700:1::5',
  ])('matches %s', (each) => expect(check.hasHost(each)).toBe(true));

  it.each([
    'com',
    'badexample.com',
    'example.com.org',
    '93.184.216.35',
    '93.201.0.1',
    '2606:4701::1',
    '7',
  ])("doesn't match %s", (each) => expect(check.hasHost(each)).toBe(false));

  it('matches members by id', () => {
    expect(check.hasMember('7')).toBe(true);
    expect(check.hasMember('example.com')).toBe(false);
  });
});

describe.each(kinds())('a block (in %s)', (kind) => {
  async function open() {
    const { open: openStore } = await newPlace(kind);
    const process = async () => {
      const store = await openStore();
      return { store, ...partsOver(store) };
    };
    return { first: await process(), process };
  }

  it('is listed with its reason and the moderator who added it', async () => {
    const { first, process } = await open();
    const second = await process();
    await first.approvals.block(guildId, { targets: [host('a.example.com')], by, reason: 'spam' });
    await second.approvals.block('2', { targets: [member('7')], by, reason: '' });
    expect(await second.blocks.list(guildId)).toMatchObject([
      { target: host('a.example.com'), by, reason: 'spam' },
    ]);
  });

  it('is stored only once, even if two processes add it at the same time', async () => {
    const { first, process } = await open();
    // SQLite's processes can't wait for each other in one thread.
    const second = kind === 'sqlite' ? first : await process();
    const added = await Promise.all(
      [first, second].map(({ approvals }) =>
        approvals.block(guildId, { targets: [host('a.example.com'), member('7')], by, reason: '' }),
      ),
    );
    expect(added.map(({ length }) => length).toSorted()).toEqual([0, 2]);
    expect(await first.blocks.list(guildId)).toHaveLength(2);
  });

  it("isn't added if an existing one covers it", async () => {
    const { first } = await open();
    const add = async (...targets: BlockTarget[]) =>
      (await first.approvals.block(guildId, { targets, by, reason: '' })).length;
    expect(await add(host('93.184.0.0/20'), host('2606:4700::/48'), host('example.com'), member('7'))).toBe(
      4,
    );
    const included = ['93.184.1.1', '93.184.5.7/20', '93.184.1.0/24', '2606:4700::1', '2606:4700::1/48'];
    for (const each of [...included, 'a.example.com'])
      expect([each, await add(host(each))]).toEqual([each, 0]);
    expect(await add(member('7'))).toBe(0);
    for (const each of ['93.184.0.0/16', '93.185.0.1', '2606:4700::/32', 'example.org'])
      expect([each, await add(host(each))]).toEqual([each, 1]);
  });

  it("isn't added if the guild already has 500 blocks", async () => {
    const { first } = await open();
    const hosts = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => host(`h${from + n}.example.com`));
    await first.approvals.block(guildId, { targets: hosts(0, MAX_BLOCKS - 1), by, reason: '' });
    const added = await first.approvals.block(guildId, { targets: hosts(1_000, 2), by, reason: '' });
    expect(added).toHaveLength(1);
    expect(await first.blocks.list(guildId)).toHaveLength(MAX_BLOCKS);
    expect(await first.approvals.block('2', { targets: hosts(0, 1), by, reason: '' })).toHaveLength(1);
  });

  it("can't be removed by another guild", async () => {
    const { first } = await open();
    const [block] = await first.approvals.block(guildId, { targets: [member('7')], by, reason: '' });
    const id = block?.id ?? '';
    for (const forged of [
      await first.approvals.unblock('2', id),
      await first.approvals.unblock(guildId, 'x'),
    ]) {
      expect(forged).toBeUndefined();
    }
    expect(await first.settings.getOrThrow(guildId)).toMatchObject({ hasBlocks: true });
    expect(await first.approvals.unblock(guildId, id)).toMatchObject({ target: member('7') });
    expect(await first.settings.getOrThrow(guildId)).not.toHaveProperty('hasBlocks');
    expect(await rowsIn(first.store, 'blocks')).toEqual([]);
  });

  it("still applies if the guild's settings are corrupted", async () => {
    const { first } = await open();
    await first.approvals.block(guildId, { targets: [member('7')], by, reason: '' });
    await first.store.values.set(`settings:${guildId}`, { locale: 5 });
    await first.settings.change(guildId, (now) => ({ ...now, announce: true }));
    expect(await first.settings.getOrThrow(guildId)).toMatchObject({ announce: true, hasBlocks: true });
    await first.store.values.set('settings:2', { locale: 5 });
    const adding = first.approvals.block('2', { targets: [member('7')], by, reason: '' });
    await expect(adding).rejects.toThrow(UnreadableSettingsError);
    expect(await first.blocks.list('2')).toEqual([]);
  });
});
