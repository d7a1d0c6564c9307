import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setKey, textOf } from '../support/scene.ts';
import { type Arena, ATTACKERS_KEY, answered, beginAnew, type Campaign, file, filled } from './arena.ts';

const HELD = 'what-a-bad-record-holds';

/** Everything that the attackers' guild has stored, and the games list, are damaged while the bot is stopped. */
async function damage(arena: Arena, make: (previous: string) => string): Promise<void> {
  const { admin, member, discord } = arena;
  await beginAnew(arena);
  await member.slash('addserver', { game: 'cs2', server: 'before.example.com:27015' });
  await member.slash('addserver', { game: 'cs2', server: 'before.example.com:27015' });
  await member.slash('addservers', {
    file: file('a.txt', 'x.example.com:27015 cs2\ny.example.com:27015 cs2'),
  });
  answered(await admin.slash('settings'), '/settings');
  await arena.bot.stop();
  const guild = discord.guilds[0]?.id ?? '';
  const database = new DatabaseSync(join(arena.data, 'bot.sqlite'));
  const rows = database
    .prepare(`SELECT key, value FROM keyv WHERE key LIKE '%:' || ? || '%' OR key = 'games:list'`)
    .all(guild);
  const write = database.prepare('INSERT OR REPLACE INTO keyv (key, value) VALUES (?, ?)');
  for (const { key, value } of rows) write.run(String(key), make(String(value)));
  for (const area of [
    'settings',
    'journal',
    'absence',
    'offer',
    'batches',
    'batch-runs',
    'quota',
    'unheard-of',
  ])
    write.run(`${area}:${guild}:1`, make('{"value":{"v":1}}'));
  write.run(`settings:${guild}`, make('{"value":{"v":1,"locale":"en-US","announce":false}}'));
  database.close();
  await arena.startBot();
}

const bad = (name: string, make: (previous: string) => string) => ({
  name,
  prepare: (arena: Arena) => damage(arena, make),
  async run(arena: Arena) {
    const { admin, member } = arena;
    const commands = ['games', 'help', 'submissions', 'privacy'];
    for (const command of commands) answered(await member.slash(command), command);
    for (const command of ['settings', 'keystatus', 'removekey'])
      answered(await admin.slash(command), command);
    answered(
      await member.slash('addserver', { game: 'cs2', server: 'after.example.com:27015' }),
      '/addserver',
    );
    assert(!arena.output().includes(HELD), 'the log holds what the record held');
    assert.match(textOf(await setKey(admin, ATTACKERS_KEY)), /works and (is saved|replaces)/);
    const said = textOf(
      await member.slash('addserver', { game: 'cs2', server: `again-${Date.now()}.example.com:27015` }),
    );
    assert.match(said, /Servers have been added for review\./, `the guild itself is stuck: ${said}`);
  },
});

/** The records of one guild cannot be read. */
export const RECORDS: Campaign = {
  name: 'records that are',
  attacks: [
    bad('torn', (previous) => `${previous.slice(0, previous.length / 2)}${HELD}`),
    bad('empty', () => ''),
    bad('of another shape', () => JSON.stringify({ value: { v: 1, held: HELD } })),
    bad('of a newer version', () => JSON.stringify({ value: { v: 99, held: HELD } })),
    bad('very long', () => JSON.stringify({ value: { v: 1, held: filled(`${HELD} `, 8 * 1024 * 1024) } })),
    bad('altered by a bit', (previous) => {
      const bytes = Buffer.from(previous);
      const middle = Math.floor(bytes.length / 2);
      bytes[middle] = (bytes[middle] ?? 0) ^ 1;
      return bytes.toString('latin1');
    }),
  ],
};
