import { PermissionFlagsBits } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';
import { languages } from '../../src/words/words.ts';
import { messageOf, openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';

let scene: Scene;
afterEach(() => scene.close());

const slashCommands = () => scene.discord.commands().filter(({ type }) => type === 1);

describe('/help', () => {
  it('shows a member the commands they may use, as mentions, in a line each', async () => {
    scene = await openAppScene();
    const answer = messageOf(await scene.member.slash('help'));
    const text = answer.current?.embeds[0]?.description ?? '';
    for (const command of slashCommands()) {
      const usable = command.default_member_permissions === null;
      expect(text.includes(`</${command.name}:${command.id}>`), command.name).toBe(usable);
    }
    expect(text.split('\n').filter((line) => line.includes('</')).length).toBe(
      slashCommands().filter(({ default_member_permissions: needed }) => needed === null).length,
    );
    expect(answer.ephemeral).toBe(true);
    expect(answer.current?.components).toEqual([]);
    expect(text).toContain('Server Settings → Integrations');
  });

  it('is answered with one request, and as its text when Discord does not take that', async () => {
    scene = await openAppScene();
    const before = scene.discord.requests.length;
    await scene.member.slash('help');
    const made = scene.discord.requests.slice(before).map(({ path }) => path);
    expect(made.filter((path) => /interactions|webhooks/.test(path))).toEqual([
      expect.stringMatching(/\/callback$/),
    ]);
    scene.discord.faults.inject({ fault: { kind: 'status', status: 400 }, path: /\/callback$/ });
    const answer = messageOf(await scene.member.slash('help'));
    expect(answer.current?.content).toContain('Ask an admin');
    expect(answer.current?.content).toContain('What you can do here');
    expect(answer.ephemeral).toBe(true);
  });

  it('shows admins everything', async () => {
    scene = await openAppScene();
    const text = textOf(await scene.admin.slash('help'));
    expect(text).toContain('Message → Apps → Submit servers — ');
    for (const { name } of slashCommands()) expect(text).toContain(`/${name} — `);
  });

  it('begins with what to do next: who can set the key, or the one command', async () => {
    scene = await openAppScene();
    const german = scene.person({ locale: 'de' });
    const next = async (person = scene.member) => textOf(await person.slash('help'));
    expect(await next()).toMatch(
      /^\(only you can see this\) This Discord server has no API key .* Ask an admin/,
    );
    expect(await next(scene.admin)).toContain('no API key for the listing service. Set one with /setkey.');
    expect(await next(scene.admin)).toContain('[ Enter the API key ]');
    expect(await next()).not.toContain('Enter the API key');
    expect(await next(german)).toContain('Bitte einen Admin darum');

    await setKey(scene.admin, 'sandbox-key');
    expect(await next()).toContain('for example:\n/addserver game:cs2 server:play.example.com:27015');
    // Under the names that this member sees.
    expect(await next(german)).toContain(
      'zum Beispiel:\n/server-eintragen spiel:cs2 server:play.example.com:27015',
    );

    scene.listing.revoke('sandbox-key');
    await scene.member.slash('addserver', { game: 'cs2', server: 'play.example.com:1' });
    expect(await next()).toMatch(/Ask an admin to renew the key.* It was set by @/);
    const said = await next(scene.admin);
    expect(said).toContain('Renew the key with /setkey. It was set by @');
    // Once, though every answer to an admin begins with it.
    expect(said.match(/renew/gi)).toHaveLength(1);
    expect(said).toContain('[ Enter the API key ]');
  });

  it('gives an example under the names that each language has for the command and its options', () => {
    for (const { commands, help } of Object.values(languages)) {
      const { name, options } = commands.addserver;
      const { game, server } = options;
      expect(help.example).toMatch(new RegExp(`^/${name} ${game.name}:\\S+ ${server.name}:\\S+$`));
    }
  });

  it('links to the pages of the configuration, in the language of the member', async () => {
    const env = {
      SUPPORT_URL: 'https://example.com/help?x=1#top',
      PRIVACY_URL: 'https://example.com/privacy',
    };
    scene = await openAppScene({ env });
    const german = textOf(await scene.person({ locale: 'de' }).slash('help'));
    expect(german).toContain('[ Hilfe → https://example.com/help?x=1#top ]');
    expect(german).toContain('[ Datenschutz → https://example.com/privacy ]');
    expect(german).toContain('Was als Nächstes zu tun ist, und deine Befehle');
  });

  it('leaves commands that are for administrators alone to them', async () => {
    scene = await openAppScene();
    const administrator = scene.person({ role: 'other' });
    scene.discord.guildEvents.setPermissions(administrator, PermissionFlagsBits.Administrator);
    expect(textOf(await administrator.slash('help'))).toContain('/setkey — ');
  });
});
