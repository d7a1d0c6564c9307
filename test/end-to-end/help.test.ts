import { PermissionFlagsBits } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';
import { languages } from '../../src/words/words.ts';
import { messageOf, openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';

let scene: Scene;
afterEach(() => scene.close());

const slashCommands = () => scene.discord.commands().filter(({ type }) => type === 1);

describe('/help', () => {
  it('shows a member the commands they may use, as mentions, with an example each', async () => {
    scene = await openAppScene();
    const answer = messageOf(await scene.member.slash('help'));
    const text = answer.current?.embeds[0]?.description ?? '';
    for (const command of slashCommands()) {
      const usable = command.default_member_permissions === null;
      expect(text.includes(`</${command.name}:${command.id}>`), command.name).toBe(usable);
    }
    expect(text).toContain('`/addserver game:cs2 server:play.example.com:27015`');
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
    expect(answer.current?.content).toContain('`/addserver game:cs2 server:play.example.com:27015`');
    expect(answer.ephemeral).toBe(true);
  });

  it('shows admins everything, and in an example only commands that exist', async () => {
    scene = await openAppScene();
    const text = textOf(await scene.admin.slash('help'));
    const commands = slashCommands();
    expect(text).toContain('Submit servers (in the menu of a message');
    for (const { name } of commands) expect(text).toContain(`/${name} — `);
    const examples = Object.entries(languages.en.help.examples);
    expect(examples.map(([name]) => name).sort()).toEqual(commands.map(({ name }) => name).sort());
    for (const [name, example] of examples) expect(example).toMatch(new RegExp(`^/${name}( |$)`));
  });

  it('says the state of the key in a word', async () => {
    scene = await openAppScene();
    const state = async () =>
      /API key of this Discord server: (.*)/.exec(textOf(await scene.member.slash('help')))?.[1];
    expect(await state()).toBe('missing');
    await setKey(scene.admin, 'sandbox-key');
    expect(await state()).toBe('set');
    scene.listing.revoke('sandbox-key');
    await scene.member.slash('addserver', { game: 'cs2', server: 'play.example.com:1' });
    expect(await state()).toBe('no longer accepted');
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
    expect(german).toContain('Die Befehle, die du benutzen kannst');
  });

  it('leaves commands that are for administrators alone to them', async () => {
    scene = await openAppScene();
    const administrator = scene.person({ role: 'other' });
    scene.discord.guildEvents.setPermissions(administrator, PermissionFlagsBits.Administrator);
    expect(textOf(await administrator.slash('help'))).toContain('/setkey — ');
  });
});
