import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAppScene, openScene, textOf } from './bot.ts';

describe('a scene', () => {
  it('begins with the key, keeps it over a restart, and ends clean', async () => {
    const scene = await openAppScene({ key: 'sandbox-key' });
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
    for (const isWanted of [false, true]) {
      const scene = await openAppScene({ startBot: false });
      await fetch(`${scene.discord.apiUrl}/v10/gateway/bot`, {
        headers: { 'user-agent': 'DiscordBot (x, 1)' },
      });
      if (isWanted) scene.mayBreak('401: Unauthorized', 1);
      const end = scene.close();
      if (isWanted) await end;
      else await expect(end).rejects.toThrow('rules of Discord were broken');
    }
  });

  it('does not end well when a first response came after three seconds', async () => {
    let now = 0;
    const botTime = () => {
      now += 3_001;
      return now;
    };
    const scene = await openAppScene({ discord: { botTime } });
    await scene.member.slash('help');
    await expect(scene.close()).rejects.toThrow('rules of Discord were broken');
  });

  it('does not end well when the listing service was asked for anything but POST /api', async () => {
    const scene = await openAppScene({ startBot: false });
    await fetch(`${scene.listing.url}/`);
    await expect(scene.close()).rejects.toThrow('the listing service was asked for something');
  });

  it('does not end well when a key lies in clear in a file', async () => {
    const scene = await openAppScene({ key: 'sandbox-key' });
    await writeFile(join(scene.data, 'notes'), 'it is sandbox-key');
    await expect(scene.close()).rejects.toThrow('an API key is in clear in');
  });

  // What the bot prints at every start, and the name of a command that it publishes then.
  it.each([
    ['prints a key', 'connected to Discord', 'the bot printed an API key'],
    ['sends a key to Discord', 'addservers', 'an API key was sent to Discord'],
  ])('does not end well when the bot %s', async (_what, key, why) => {
    const scene = await openAppScene({ key, listing: { keys: [key] } });
    await expect(scene.close()).rejects.toThrow(why);
  });

  // Both with the bot in this process, and as one of its own: what it says then comes another way.
  it.each([
    [openScene, false],
    [openAppScene, false],
    [openAppScene, true],
  ])('does not end well when the bot ended by itself, unless that was wanted', async (open, crash) => {
    const scene = await open();
    scene.discord.gateway.close(4004);
    const { status, wanted, lastWords } = await scene.bot.exited();
    expect({ status, wanted }).toEqual({ status: 1, wanted: false });
    expect(lastWords.join()).toContain('with code 4004');
    if (crash) await scene.close({ crash });
    else await expect(scene.close()).rejects.toThrow('the bot ended by itself');
  });
});
