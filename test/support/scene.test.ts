import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openScene, textOf } from './scene.ts';

describe('a scene', () => {
  it('begins with the key, keeps it over a restart, and ends clean', async () => {
    const scene = await openScene({ key: 'sandbox-key' });
    await scene.restart();
    const answer = await scene.member.slash('addserver', {
      game: 'cs2',
      server: 'a.example.com',
      port: 27015,
    });
    expect(textOf(answer)).toContain('Servers have been added for review.');
    expect(scene.listing.submitted).toEqual([{ server: 'a.example.com', port: 27015, game: 'cs2' }]);
    expect(scene.log().length).toBeGreaterThan(0);
    await scene.close();
  });

  it('does not end well when a rule of Discord was broken, unless that was wanted', async () => {
    for (const expected of [{}, { breaches: [2] }]) {
      const scene = await openScene({ startBot: false });
      await fetch(`${scene.discord.apiUrl}/v10/users/@me`, {
        headers: { 'user-agent': 'DiscordBot (x, 1)' },
      });
      const end = scene.close(expected);
      if ('breaches' in expected) await end;
      else await expect(end).rejects.toThrow('rules of Discord were broken');
    }
  });

  it('does not end well when a key lies in clear in a file', async () => {
    const scene = await openScene({ key: 'sandbox-key' });
    await writeFile(join(scene.data, 'notes'), 'it is sandbox-key');
    await expect(scene.close()).rejects.toThrow('an API key is in clear in');
  });
});
