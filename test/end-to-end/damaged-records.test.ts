import { expect, it } from 'vitest';
import { inAppScene, type Scene, setKey, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, allowGames, edit, openSettings } from '../support/people.ts';

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
    await allowGames(scene, ['css']);
    const { guildId } = scene.admin;
    await scene.bot.stop();
    for (const pattern of [`api-key:${guildId}`, `settings:${guildId}`, 'games:%'])
      expect(await damage(scene, pattern), pattern).toBe(1);
    await scene.startBot();

    expect(textOf(await addServer(elsewhere, 'a.example.com:1'))).toContain(ACCEPTED);
    const refused = "settings can't be read any more, so nothing was done.";
    for (const answer of [
      await addServer(scene.member, 'b.example.com:1'),
      await scene.member.slash('addservers'),
      await scene.member.slash('games'),
    ]) {
      expect(textOf(answer)).toContain(`${refused} Please tell someone with the “Manage Server” permission.`);
    }
    expect(textOf(await addServer(scene.admin, 'b.example.com:1'))).toContain(`${refused} Set them again`);
    const settings = await openSettings(scene);
    expect(textOf(settings)).toContain("couldn't be read any more");
    // Whatever an admin sets first, and gets wrong first, begins from the defaults.
    expect(textOf(await edit(scene.admin, settings, { quota: 'many' }, 'Daily quota …'))).toContain(
      'a whole number from 1 to',
    );
    expect(textOf(await scene.admin.press(settings, 'Games …'))).toContain('all');
    await scene.admin.press(settings, 'Back');
    await scene.admin.press(settings, 'Announce submissions');

    expect(textOf(await addServer(scene.member, 'b.example.com:1'))).toContain("can't be read any more");
    expect(textOf(await scene.admin.slash('keystatus'))).toContain("can't be read any more");
    expect(scene.output()).not.toContain(SECRET);
    await setKey(scene.admin, 'sandbox-key');
    expect(textOf(await addServer(scene.member, 'b.example.com:1'))).toContain(ACCEPTED);
  }));
