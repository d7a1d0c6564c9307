import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createDirectMessageChannels } from '../../src/discord/direct-message-channels.ts';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { createDirectMessageOptOuts } from '../../src/guilds/direct-message-opt-outs.ts';
import { EMPTY_ROW } from '../../src/server-lists/row.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import type { Store } from '../../src/storage/store.ts';
import { createChoices } from '../../src/submissions/choices.ts';
import { Secret } from '../../src/text/secret.ts';
import { createStoredData } from '../../src/tools/stored-data.ts';
import { addDone, partsOver, readyDraft } from '../support/builders.ts';
import { kinds, newPlace } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const [A, B, EMPTY] = ['111111', '222222', '333333'];
const MIA = { id: '900000000000000001', name: 'Mia Miller' };
const TOM = { id: '900000000000000002', name: 'Tom Taylor' };
const LONG_AGO = Date.UTC(2026, 0);

/** An address that a member didn't choose, because it belongs to somebody else. */
const unchosen = { line: 1, typed: { ...EMPTY_ROW, server: '84.112.7.41:27005' }, words: 'Kestrel joined' };

/** Adds every kind of record to guild A: of Mia, and of Tom, who also decided on Mia's submission, and Mia on his. */
async function fill(store: Store): Promise<void> {
  await store.values.set(`settings:${A}`, { locale: 'de', announce: false });
  const { drafts, blocks } = partsOver(store);
  const encryption = createEncryption([randomBytes(32)]);
  const keys = createApiKeys({ store, encryption, logger: recorder() });
  await keys.set(A, new Secret('the-key-of-the-guild'), { by: MIA });
  await keys.set(B, new Secret('the-key-of-the-guild'), { by: TOM });
  for (const [user, moderator] of [
    [MIA, TOM],
    [TOM, MIA],
  ] as const) {
    const done = { id: `by-${user.id}`, guildId: A, userId: user.id, userName: user.name, at: LONG_AGO };
    await addDone(store, { ...done, hosts: [`host-of-${user.id}`] });
    const decision = {
      decided_by: moderator.id,
      decided_by_name: moderator.name,
      corrected_by: moderator.id,
      corrected_by_name: moderator.name,
      notice: 'encrypted-token',
    };
    await store.tables().updateTable('submissions').set(decision).where('id', '=', done.id).execute();
    await drafts.save({ guildId: A, user }, readyDraft(`draft-${user.id}`, 1));
    const targets = [{ kind: 'member', id: user.id }] as const;
    await blocks.add(A, { targets, by: moderator, reason: 'spam' });
    const choices = { shape: 'people', candidates: [unchosen], game: '' } as const;
    await createChoices({ store }).save({ guildId: A, user }, `draft-${user.id}`, choices);
    await createDirectMessageOptOuts({ store }).add(A, user.id);
    await createDirectMessageChannels({ store }).add(user.id, `channel-of-${user.id}`);
    await store
      .tables()
      .insertInto('key_trials')
      .values({ guild_id: A, user_id: user.id, at: LONG_AGO })
      .execute();
  }
  const taken = { id: '7', guild_id: A, process_id: '-', taken_at: LONG_AGO, encrypted: 'encrypted-token' };
  await store.tables().insertInto('interactions').values(taken).execute();
  await store
    .tables()
    .insertInto('guild_departures')
    .values({ guild_id: A, unused_since: LONG_AGO })
    .execute();
  await store.tables().insertInto('used').values({ guild_id: A, count: 1, until: LONG_AGO }).execute();
  await store.values.set(`panels:${A}`, { panels: [] });
}

describe.each(kinds())('createStoredData() with %s', (kind) => {
  async function filled() {
    const store = await (await newPlace(kind)).open();
    await fill(store);
    const limit = { servers: 1000, seconds: 3600 };
    const config = { memberLimit: limit, guildLimit: limit, historyDays: 365 };
    return { store, data: createStoredData({ store, config, logger: recorder() }) };
  }

  it("finds all of a member's records without exposing secrets or other members' data", async () => {
    const { data } = await filled();
    const found = await data.find({ kind: 'member', id: MIA.id });
    const records = found.guilds[A];
    expect(Object.keys(found.guilds)).toEqual([A]);
    expect(Object.entries(records ?? {}).map(([name, rows]) => `${rows.length} ${name}`)).toEqual([
      '2 submissions',
      '1 servers',
      '1 drafts',
      '1 choices',
      '1 key_trials',
      '2 blocks',
      '1 api-key',
      '1 direct_message_opt_outs',
    ]);
    expect(found.everywhere.direct_message_channels).toMatchObject([{ channel_id: `channel-of-${MIA.id}` }]);
    expect(records?.['api-key']).toMatchObject([{ setBy: MIA.id, setByName: MIA.name }]);
    const text = JSON.stringify(found);
    for (const hidden of [TOM.id, TOM.name, 'encrypted-token', 'sealed', 'Kestrel', unchosen.typed.server]) {
      // The ids of the test's records contain the member's id.
      expect(text.replaceAll(`by-${TOM.id}`, '')).not.toContain(hidden);
    }
    expect((await data.find({ kind: 'member', id: TOM.id })).guilds).toHaveProperty(B);
  });

  it("finds a guild's records without exposing secrets or members' identities", async () => {
    const { data } = await filled();
    const found = await data.find({ kind: 'guild', id: A });
    expect(Object.entries(found.guilds[A] ?? {}).map(([name, rows]) => `${rows.length} ${name}`)).toEqual([
      '2 submissions',
      '2 servers',
      '2 drafts',
      '2 choices',
      '1 interactions',
      '2 key_trials',
      '2 blocks',
      '1 used',
      '1 guild_departures',
      '1 api-key',
      '1 settings',
      '1 panels',
      '2 direct_message_opt_outs',
    ]);
    const text = JSON.stringify(found).replaceAll(/(?:by|draft|host-of)-\d+/g, '');
    for (const hidden of [MIA.id, MIA.name, TOM.id, TOM.name, 'encrypted-token', 'sealed', 'Kestrel']) {
      expect(text).not.toContain(hidden);
    }
    expect(await data.find({ kind: 'guild', id: EMPTY })).toEqual({ guilds: {}, everywhere: {} });
  });

  it("deletes a member's data without affecting other members", async () => {
    const { store, data } = await filled();
    const before = await data.find({ kind: 'member', id: TOM.id });
    await data.delete({ kind: 'member', id: MIA.id });
    const kept = await data.find({ kind: 'member', id: MIA.id });
    // A block has the member's id until it is removed.
    expect(kept).toMatchObject({
      guilds: { [A]: { blocks: [{ user_id: MIA.id, reason: 'spam' }] } },
      everywhere: {},
    });
    expect(Object.keys(kept.guilds[A] ?? {})).toEqual(['blocks']);
    expect(await data.find({ kind: 'member', id: TOM.id })).toEqual(before);
    const others = await store.tables().selectFrom('submissions').select('decided_by_name').execute();
    expect(others.map(({ decided_by_name }) => decided_by_name).toSorted()).toEqual([TOM.name, null]);
  });

  it("deletes a guild's data without affecting other guilds", async () => {
    const { data } = await filled();
    const before = await data.find({ kind: 'guild', id: B });
    await data.delete({ kind: 'guild', id: A });
    expect(Object.keys((await data.find({ kind: 'guild', id: A })).guilds[A] ?? {})).toEqual(['used']);
    expect(await data.find({ kind: 'guild', id: B })).toEqual(before);
  });
});
