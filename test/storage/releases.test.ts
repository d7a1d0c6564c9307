import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { readStoreConfig } from '../../src/config/config.ts';
import { sqliteAt } from '../../src/store-url.ts';
import { restore } from '../../src/tools/restore-backup.ts';
import { decline, inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { type Bot, BREACHES, messageOf, openBot, setKey, type TestGuild, textOf } from '../support/bot.ts';
import {
  type Kind,
  kinds,
  newDatabase,
  openStore,
  openStoreAt,
  rowsIn,
  unfinishedIn,
} from '../support/database.ts';
import { createTestClock, folder } from '../support/machine.ts';
import {
  ACCEPTED,
  addServer,
  addsOf,
  allowGames,
  edit,
  labelsOf,
  lines,
  openModal,
  openSetting,
  openSettings,
  paste,
  pickSetting,
  postComponents,
  postPanel,
  pressSetting,
  pressSubmit,
  removeKey,
  setQuota,
} from '../support/people.ts';

/** Databases from released versions, as SQL. Never change them. docs/releasing.md explains how to create one. */
const RELEASES = join(import.meta.dirname, 'releases');
const KEPT = readdirSync(RELEASES);
/** A host that the guild has blocked. */
const BLOCKED = 'blocked.example.com';
/** If set, this run writes databases for this version with the current bot. */
const { KEEP_RELEASE } = process.env;
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

/** Creates a database that can load and dump SQL. */
async function newPlace(kind: Kind) {
  if (kind === 'postgres') {
    const { url, storeUrl, query, drop } = await newDatabase();
    onTestFinished(drop);
    const dump = () =>
      execFileSync('pg_dump', ['--inserts', '--no-owner', '--no-privileges', url], { encoding: 'utf8' });
    return {
      url,
      storeUrl,
      read: async (sql: string) => void (await query(sql)),
      rows: (sql: string) => query(sql),
      // Some versions of pg_dump output psql commands along with the SQL.
      write: () => dump().replaceAll(/^\\.*\n/gm, ''),
    };
  }
  const path = join(folder(), 'bot.sqlite');
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  return {
    url: `sqlite://${path}`,
    storeUrl: sqliteAt(path),
    read: async (sql: string) => database.exec(sql),
    rows: async (sql: string) => database.prepare(sql).all(),
    write: () => sqlOf(database),
  };
}

function sqlOf(database: DatabaseSync): string {
  const objects = database
    .prepare("select name, type, sql from sqlite_schema where sql is not null order by type = 'index'")
    .all();
  const lines = objects.map(({ sql }) => `${sql};`);
  for (const { name } of objects.filter(({ type }) => type === 'table')) {
    const columns = database.prepare('select name from pragma_table_info(?)').all(String(name));
    const values = columns.map((column) => `quote("${column.name}")`).join(` || ',' || `);
    for (const row of database.prepare(`select ${values} as row from "${name}"`).all()) {
      lines.push(`insert into "${name}" values (${row.row});`);
    }
  }
  return `${lines.join('\n')}\n`;
}

interface Place {
  readonly bot: Bot;
  readonly guild: TestGuild;
  /** A guild without a key. */
  readonly keyless: TestGuild;
}

/** Runs a task with a bot that uses this database, in the first two guilds of the Discord stand-in. */
async function withBot(url: string, run: (place: Place) => Promise<void>): Promise<void> {
  const bot = await openBot({ env: { STORE_URL: url, ENCRYPTION_KEY } });
  const guildAt = (index: number): TestGuild => {
    const { discord, listing } = bot;
    const guild = discord.guilds[index];
    if (guild === undefined) throw new Error(`there is no guild ${index}`);
    const person: TestGuild['person'] = (who) => bot.person({ ...who, guild: index });
    const people = { person, admin: person({ role: 'admin' }), member: person({}) };
    return { ...guild, discord, listing, ...people };
  };
  // The Discord stand-in doesn't know the interactions in the stored database.
  bot.mayBreak(BREACHES.afterTheEnd, 10);
  // The tests post messages with the bot's token, but the bot doesn't know about these messages.
  bot.mayBreak(BREACHES.tooOften, 1);
  try {
    await run({ bot, guild: guildAt(0), keyless: guildAt(1) });
  } finally {
    await bot.close();
  }
}

/** Facts about a stored database: when it was written, in milliseconds since 1970, and the buttons of its messages. */
interface Seen {
  readonly at: number;
  /** Whether the guild has blocked a host. Versions before 0.5.0 didn't have blocks. */
  readonly hasBlock?: boolean;
  readonly buttons: Readonly<Record<'draft' | 'waiting' | 'own' | 'panel', readonly object[]>>;
}

const buttonsOf = (message: SeenMessage): readonly object[] => message.current?.components ?? [];

/**
 * Creates everything that a guild can have: a key, every setting, a block, a panel, a draft, accepted and declined servers,
 * and a waiting submission with its message and a member to notify. Some work is unfinished when the database is written.
 * Another guild has removed its key.
 * @param write called while work is unfinished
 */
async function fill({ guild, keyless }: Place, write: (seen: Seen) => void): Promise<void> {
  const { admin, member, listing } = guild;
  await setKey(keyless.admin, 'sandbox-key');
  await removeKey(keyless.admin);
  await setKey(admin, 'sandbox-key');
  await addServer(member, 'kept.example.com:27015');
  const panel = await postPanel(guild, 'Welcome');
  await turnApprovalOn(guild);
  await pickSetting(guild, 'Approval', '@Moderators');
  await pickSetting(guild, 'Role for key problems', '@Server news');
  await pickSetting(guild, 'Trusted role', '@Server news');
  await setQuota(guild, '42');
  await allowGames(guild, ['Counter-Strike 2', 'Factorio']);
  await pressSetting(guild, 'Announcements', 'Announce submissions');
  await edit(admin, await openSetting(guild, 'Blocked here'), { what: BLOCKED }, 'Block an address or id');
  await addServer(member, 'refused.example.com:27015');
  await decline(guild, await waitingIn(guild), 'Not one of ours');
  const own = await addServer(member, 'waits.example.com:27015');
  const waiting = await waitingIn(guild);
  const draft = await paste(member, lines(3));
  await pickSetting(guild, 'Language for everyone', 'Deutsch');
  const isWritten = Promise.withResolvers<void>();
  await listing.behave({ kind: 'held', until: isWritten.promise });
  const underWay = addServer(admin, 'underway.example.com:27015');
  await expect.poll(() => addsOf(guild, 'underway.example.com')).toHaveLength(1);
  write({
    at: Date.now(),
    hasBlock: true,
    buttons: {
      draft: buttonsOf(messageOf(draft)),
      waiting: buttonsOf(waiting),
      own: buttonsOf(messageOf(own)),
      panel: buttonsOf(panel),
    },
  });
  isWritten.resolve();
  await underWay;
}

/** Posts the buttons that a message had when the database was written. */
async function postButtons(
  bot: Bot,
  { buttons }: Seen,
  name: keyof Seen['buttons'],
  channelId: string,
): Promise<SeenMessage> {
  const message = await postComponents(bot, channelId, buttons[name]);
  if (message === undefined) throw new Error(`the buttons of ${name} were not posted`);
  return message;
}

/** Continues what an admin, a moderator and a member were doing. */
async function goOn({ bot, guild, keyless }: Place, seen: Seen): Promise<void> {
  const { admin, member, discord, channelId } = guild;
  const post = (name: keyof Seen['buttons'], where = channelId) => postButtons(bot, seen, name, where);
  const moderator = inStaff(guild, 'admin');

  // Discord no longer accepts a reply to the unanswered interaction, so the bot posts the outcome to the log channel.
  const inLog = () => discord.messages({ channelId: moderator.channelId }).map(textOf).join();
  await expect.poll(inLog).toContain('underway.example.com:27015');

  expect(textOf(await keyless.admin.slash('keystatus'))).toContain('no API key');
  expect(textOf(await admin.slash('keystatus'))).toContain('Last worked');
  const settings = textOf(await openSettings(guild));
  for (const line of KEPT_SETTINGS) expect(settings).toContain(line);
  const notAllowed = await addServer(member, 'rust.example.com:28015', { game: 'rust' });
  expect(textOf(notAllowed)).toContain("isn't allowed here");
  if (seen.hasBlock) expect(textOf(await addServer(member, `${BLOCKED}:1`))).toContain('is blocked here');
  const history = textOf(await admin.slash('submissions', { outcome: 'unknown' }));
  expect(history).toContain('underway.example.com:27015');
  const notSent = textOf(await admin.slash('submissions', { outcome: 'declined' }));
  expect(notSent).toMatch(/refused\.example\.com:27015.*Declined by .*Not one of ours/s);
  expect(textOf(await member.slash('submissions'))).toContain('waits.example.com:27015');

  // Earlier messages still work, and the bot can decrypt the stored data.
  const preview = await pressSubmit(member, await post('draft'));
  expect(textOf(preview)).toContain('Waiting for a moderator');
  const own = await post('own');
  expect((await openModal(member, own, 'Edit')).typed.server).toBe('waits.example.com');
  const waiting = await post('waiting', moderator.channelId);
  const [approve = '', decline = '', correct = '', ...showAll] = labelsOf(waiting);
  for (const label of [decline, correct]) expect((await moderator.press(waiting, label)).kind).toBe('modal');
  for (const label of showAll) {
    expect(textOf(await moderator.press(waiting, label))).toContain('waits.example.com');
  }
  await moderator.press(waiting, approve);
  await expect.poll(() => labelsOf(waiting)).toEqual([]);
  await expect.poll(() => addsOf(guild, 'waits.example.com')).toHaveLength(1);
  const direct = () => discord.messages({ channelId: discord.directChannel(member.userId) });
  await expect.poll(() => direct().map(textOf).join()).toContain('waits.example.com:27015');
  expect(textOf(await member.press(own, 'Withdraw'))).toContain('Approved');
  const panel = await post('panel');
  const [submit = '', submitList = '', mine = ''] = labelsOf(panel);
  for (const label of [submit, submitList]) expect((await member.press(panel, label)).kind).toBe('modal');
  expect(textOf(await member.press(panel, mine))).toContain('s2.example.com:27015');
  expect(textOf(await addServer(admin, 'new.example.com:27015'))).toContain(ACCEPTED);
}

/** The settings chosen in {@link fill}, as shown by /settings. */
const KEPT_SETTINGS = [
  'Log channel: #',
  'Role for key problems: @',
  'Games: only Counter-Strike 2 and Factorio',
  'Daily quota: 42 game servers',
  'Approval: on; @',
  'Trusted role: @',
  'Announcements: on',
  'Panels: posted',
  'Language for everyone: German',
];

describe.each(kinds())('the bot with a %s database', (kind) => {
  const fileOf = (version: string, ending: 'sql' | 'json') => join(RELEASES, `${version}-${kind}.${ending}`);

  it.runIf(KEEP_RELEASE)('writes a sample database for a new release', async () => {
    const place = await newPlace(kind);
    await withBot(place.url, (bot) =>
      fill(bot, (seen) => {
        writeFileSync(fileOf(KEEP_RELEASE ?? '', 'sql'), place.write());
        writeFileSync(fileOf(KEEP_RELEASE ?? '', 'json'), `${JSON.stringify(seen, undefined, 2)}\n`);
      }),
    );
  });

  const versions = KEPT.filter((name) => name.endsWith(`-${kind}.sql`)).map((name) =>
    name.slice(0, -`-${kind}.sql`.length),
  );

  const seenIn = (version: string): Seen => {
    const seen: Seen = JSON.parse(readFileSync(fileOf(version, 'json'), 'utf8'));
    // At this time, no record with a time limit has expired yet.
    createTestClock().set(seen.at + 60_000 - Date.now());
    return seen;
  };

  /** Loads a version's database. */
  async function placeOf(version: string) {
    const place = await newPlace(kind);
    await place.read(readFileSync(fileOf(version, 'sql'), 'utf8'));
    return place;
  }

  /** Loads a version's database, and makes sure that the bot doesn't treat a PostgreSQL database as restored. */
  async function placeForBot(version: string) {
    const place = await placeOf(version);
    if (kind === 'postgres') {
      await place.read(`update keyv set value = (
        select format('{"value":"%s %s"}', oid, 'interactions'::regclass::oid)
        from pg_database where datname = current_database()) where key = 'store:place'`);
    }
    return place;
  }

  it.each(versions)('finishes work left over from version %s', async (version) => {
    const seen = seenIn(version);
    const { url, rows } = await placeForBot(version);
    await withBot(url, async (place) => {
      await goOn(place, seen);
      await expect.poll(() => unfinishedIn({ rows })).toEqual([]);
    });
  });

  it.each(versions)('updates an approval message from version %s', async (version) => {
    const seen = seenIn(version);
    const { url, read } = await placeForBot(version);
    await withBot(url, async ({ bot, guild }) => {
      const { member, channelId } = guild;
      const message = await postButtons(bot, seen, 'waiting', inStaff(guild, 'admin').channelId);
      // The message has a different id in this Discord stand-in.
      await read(`update submissions set message_id = '${message.id}' where state = 'waiting'`);
      await member.press(await postButtons(bot, seen, 'own', channelId), 'Withdraw');
      await expect.poll(() => labelsOf(message)).toEqual([]);
    });
  });

  it.runIf(kind === 'sqlite').each(versions)('restores a backup from version %s', async (version) => {
    const backup = await placeOf(version);
    const path = join(folder(), 'bot.sqlite');
    const config = readStoreConfig({ STORE_URL: `sqlite://${path}`, ENCRYPTION_KEY });
    await restore({ config, file: backup.url.slice('sqlite://'.length) });
    const store = await openStore(path);
    expect(await rowsIn(store, 'interactions')).not.toEqual([]);
    expect(new Set((await rowsIn(store, 'interactions')).map(({ encrypted }) => encrypted))).toEqual(
      new Set([null]),
    );
  });

  it("preserves guilds' departure dates from version 0.3.0", async () => {
    const place = await placeOf('0.3.0');
    await place.read(`insert into presence (guild_id, used_at, absent_since, was_listed) values
      ('100', null, 5, 1), ('200', 7, 5, 0), ('300', 5, 7, 0), ('400', 5, null, 0)`);
    const rows = await rowsIn(await openStoreAt(place.storeUrl), 'guild_departures');
    expect(rows.toSorted((a, b) => Number(a.guild_id) - Number(b.guild_id))).toEqual([
      { guild_id: '100', unused_since: 5 },
      { guild_id: '200', unused_since: 7 },
      { guild_id: '300', unused_since: 7 },
    ]);
  });

  it("converts a draft from version 0.3.0 without changing the member's input", async () => {
    const place = await placeOf('0.3.0');
    const linesOf = (row: string, modal: object) => {
      const typed = { server: '"kind":"refused"', port: '', queryPort: '', game: '"window":"all"' };
      const rows = [{ kind: row, line: 1, typed, problem: { code: 'no-address' } }];
      return JSON.stringify({
        rows,
        includesAlreadySubmitted: false,
        typed: { text: 'x', game: '', ...modal },
      });
    };
    await place.read(`insert into documents values
      ('a', '1', '5', 'mia', 'text', '${linesOf('refused', { window: 'refused' })}', 1),
      ('b', '1', '5', 'mia', 'text', '${linesOf('ready', { window: 'paste' })}', 1)`);
    const store = await openStoreAt(place.storeUrl);
    const rows = await rowsIn(store, 'drafts');
    const linesIn = (id: string) => rows.find((row) => row.id === id)?.lines;
    expect(linesIn('a')).toBe(linesOf('invalid', { modal: 'invalid' }));
    expect(linesIn('b')).toBe(linesOf('ready', { modal: 'paste' }));
    if (kind === 'sqlite') return;
    const old = sql`select conname from pg_constraint where conname like 'documents%'`;
    expect((await old.execute(store.tables())).rows).toEqual([]);
  });
});
