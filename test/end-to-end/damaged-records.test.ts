import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';

const KEY = 'key-of-the-damaged-records-tests';
const HELD = 'what-a-damaged-record-holds';

let scene: Scene;
afterEach(() => scene.close());

/** Gives every record of a kind, or of a guild, another text, while the bot is not running. */
function damage(pattern: string, text: (previous: string) => string): readonly string[] {
  const database = new DatabaseSync(join(scene.data, 'bot.sqlite'));
  const rows = database.prepare('SELECT key, value FROM keyv WHERE key LIKE ?').all(pattern);
  const write = database.prepare('UPDATE keyv SET value = ? WHERE key = ?');
  for (const { key, value } of rows) write.run(text(String(value)), String(key));
  database.close();
  return rows.map(({ key }) => String(key));
}

const setAside = () =>
  scene.log().flatMap(({ setAside, record }) => (setAside === undefined ? [] : String(record)));

const submit = async (person: Scene['admin'], server: string) =>
  textOf(await person.slash('addserver', { game: 'cs2', server }));

describe.each([
  ['torn', (previous: string) => `${previous.slice(0, previous.length / 2)}${HELD}`],
  ['of another shape', () => JSON.stringify({ value: { v: 1, held: HELD } })],
  ['of a newer version', () => JSON.stringify({ value: { v: 99, held: HELD } })],
])('records that are %s', (_what, text) => {
  it('keep the bot from nothing, and cost their own guild what they held', async () => {
    scene = await openAppScene({ listing: { keys: [KEY] }, key: KEY });
    const elsewhere = scene.person({ role: 'admin', guild: 1 });
    await setKey(elsewhere, KEY);
    await scene.admin.press(...(await button(scene, 'Announce submissions')));
    const guild = scene.discord.guilds[0]?.id;
    await scene.bot.stop();

    const damaged = [...damage(`api-key:${guild}`, text), ...damage(`settings:${guild}`, text)];
    damaged.push(...damage('games:%', text));
    expect(damaged).toHaveLength(3);
    await scene.startBot();

    expect(await submit(elsewhere, 'a.example.com:27015')).toContain('Servers have been added for review.');
    expect(await submit(scene.member, 'b.example.com:27015')).toContain('can no longer be read');
    expect(textOf(await scene.admin.slash('settings'))).toContain('could not be read any more');
    expect(textOf(await scene.admin.slash('keystatus'))).toContain('can no longer be read');
    expect(setAside().toSorted()).toEqual(damaged.toSorted());
    expect(scene.output()).not.toContain(HELD);

    await setKey(scene.admin, KEY);
    expect(await submit(scene.member, 'b.example.com:27015')).toContain(
      'Servers have been added for review.',
    );
  });
});

async function button({ admin }: Scene, label: string): Promise<Parameters<Scene['admin']['press']>> {
  const answer = await admin.slash('settings');
  if (answer.kind !== 'message') throw new Error(textOf(answer));
  return [answer.message, label];
}
