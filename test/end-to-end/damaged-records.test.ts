import { expect, it } from 'vitest';
import { ACCEPTED, addServer, openSettings, press } from '../support/actions.ts';
import { inAppScene, type Scene, setKey, textOf } from '../support/scene.ts';

const SECRET = 'what-a-damaged-record-holds';

/** Gives every record of a kind, or of a guild, another text. @returns how many */
async function damage({ store }: Scene, pattern: string): Promise<number> {
  const torn = `substr(value, 1, length(value) / 2) || '${SECRET}'`;
  const damaged = await store.rows(`UPDATE keyv SET value = ${torn} WHERE key LIKE ? RETURNING key`, pattern);
  return damaged.length;
}

it('damaged records keep the bot from nothing, and cost their own guild alone what they held', () =>
  inAppScene({ key: 'sandbox-key' }, async (scene) => {
    const elsewhere = scene.person({ role: 'admin', guild: 1 });
    await setKey(elsewhere, 'sandbox-key');
    await press(scene.admin, await openSettings(scene), 'Announce submissions');
    const { guildId } = scene.admin;
    await scene.bot.stop();
    for (const pattern of [`api-key:${guildId}`, `settings:${guildId}`, 'games:%'])
      expect(await damage(scene, pattern), pattern).toBe(1);
    await scene.startBot();

    expect(textOf(await addServer(elsewhere, 'a.example.com:1'))).toContain(ACCEPTED);
    expect(textOf(await addServer(scene.member, 'b.example.com:1'))).toContain('can no longer be read');
    expect(textOf(await scene.admin.slash('settings'))).toContain('could no longer be read');
    expect(textOf(await scene.admin.slash('keystatus'))).toContain('can no longer be read');
    expect(scene.output()).not.toContain(SECRET);
    await setKey(scene.admin, 'sandbox-key');
    expect(textOf(await addServer(scene.member, 'b.example.com:1'))).toContain(ACCEPTED);
  }));
