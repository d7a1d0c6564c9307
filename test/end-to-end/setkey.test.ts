import { PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logMessages } from '../support/guild-log.ts';
import {
  inNewGuild,
  messageOf,
  modalOf,
  openAppScene,
  type Scene,
  setKey,
  textOf,
} from '../support/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openAppScene({ listing: { keys: ['sandbox-key', 'second-key-1234', 'k'] } });
});
afterAll(() => scene.close());

let port = 0;
/** Each time another server, since the same one again would bring a warning. */
const submit = async () =>
  textOf(await scene.member.slash('addserver', { game: 'cs2', server: `play.example.com:${++port}` }));

describe('/setkey', () => {
  it('is not offered to members who may not manage the server', async () => {
    expect(await scene.member.slash('setkey')).toMatchObject({ kind: 'refused' });
  });

  it('takes no options and opens a modal, so that the key is never a command argument', async () => {
    const modal = modalOf(await scene.admin.slash('setkey'));
    expect(modal.data.title).toBe('API key for this Discord server');
    expect(scene.admin.commands().find(({ name }) => name === 'setkey')?.options ?? []).toEqual([]);
  });

  it('relays that a key is not valid, and keeps nothing', async () => {
    const answer = await setKey(scene.admin, 'wrong-key');
    const said = textOf(answer);
    expect(said).toContain('(only you can see this)');
    expect(said).toMatch(/Invalid API key\..*copied all of it.*still has no usable API key/s);
    expect(await submit()).toMatch(/no API key/);
    modalOf(await scene.admin.press(messageOf(answer), 'Try again'));
  });

  it('refuses a key of spaces', async () => {
    const said = textOf(await setKey(scene.admin, '   '));
    expect(said).toContain('The API key was empty');
    expect(said).toContain('[ Try again ]');
  });

  it('says while the service is down that the key may be fine, keeps nothing, and asks again at a press', async () => {
    await scene.listing.behave({ kind: 'down' });
    const down = messageOf(await setKey(scene.admin, 'sandbox-key'));
    expect(down.current?.content).toMatch(
      /could not be reached.*it may be fine.*not saved and is kept nowhere.*no usable API key/s,
    );
    const modal = modalOf(await scene.admin.press(down, 'Try again'));
    expect(JSON.stringify(modal.data)).not.toContain('"value"');
    expect(textOf(await scene.admin.submit(modal, { key: 'sandbox-key' }))).toContain('it may be fine');
    await scene.restart();
    await scene.listing.behave({ kind: 'ok' });
    expect(await submit()).toMatch(/no API key/);
  });

  it('says so in German', async () => {
    await scene.listing.behave({ kind: 'down' });
    const german = scene.person({ role: 'admin', locale: 'de' });
    const down = messageOf(await setKey(german, 'sandbox-key'));
    expect(down.current?.content).toMatch(/nicht erreichbar.*Er kann in Ordnung sein.*steht nirgends/s);
    modalOf(await german.press(down, 'Erneut versuchen'));
    await scene.listing.behave({ kind: 'ok' });
  });

  it('keeps a key that works at the second try, in place of the message that asked for it', async () => {
    const refused = messageOf(await setKey(scene.admin, 'wrong-key'));
    const modal = modalOf(await scene.admin.press(refused, 'Try again'));
    // Showing nothing of a short one.
    const saved = textOf(await scene.admin.submit(modal, { key: '  sandbox-key ' }));
    expect(saved).toMatch(/The API key works and is saved/);
    expect(refused.current?.content).toMatch(/The API key works and is saved/);
    expect(saved).not.toContain('[ Try again ]');
    expect(await submit()).toContain('Servers have been added for review.');
    expect(textOf(await scene.member.slash('games'))).toContain('From the listing service');
  });

  it('offers to choose a log channel after the first key, in the same message', async () => {
    const own = await inNewGuild(scene);
    const saved = messageOf(await setKey(own.admin, 'sandbox-key'));
    expect(saved.current?.content).toContain('Next: choose a log channel.');
    expect(textOf(await own.admin.pick(saved, ['#staff']))).toContain('every submission');
    expect(logMessages(own)).toHaveLength(1);
    const again = textOf(await setKey(own.admin, 'second-key-1234'));
    expect(again).toContain('replaces');
    expect(again).not.toContain('log channel');

    const german = own.person({ role: 'admin', locale: 'de' });
    await own.admin.press(messageOf(await own.admin.slash('removekey')), 'Remove the key');
    expect(textOf(await setKey(german, 'sandbox-key'))).not.toContain('Protokollkanal');
    await own.admin.press(messageOf(await own.admin.slash('settings')), 'No log channel');
    await own.admin.press(messageOf(await own.admin.slash('removekey')), 'Remove the key');
    expect(textOf(await setKey(german, 'sandbox-key'))).toMatch(
      /Als Nächstes: Wähle einen Protokollkanal.*▾ Wähle einen Protokollkanal/s,
    );
  });

  it('offers no log channel where the bot user itself is missing', async () => {
    const own = await inNewGuild(scene);
    scene.discord.guildEvents.keepCommandsOnly({ id: own.admin.guildId, name: '', channelId: '' });
    const saved = textOf(await setKey(own.admin, 'sandbox-key'));
    expect(saved).toContain('is saved');
    expect(saved).not.toContain('log channel');
  });

  it('leaves the previous key in use when a new one is refused or cannot be tried', async () => {
    expect(textOf(await setKey(scene.admin, 'wrong-key'))).toContain('The API key set before stays in use.');
    await scene.listing.behave({ kind: 'html' }, 10);
    expect(textOf(await setKey(scene.admin, 'second-key-1234'))).toContain(
      'The API key set before stays in use.',
    );
    await scene.listing.behave({ kind: 'ok' });
    await submit();
    expect(scene.listing.requests.at(-1)?.key).toBe('sandbox-key');
  });

  it('replaces the previous key by one that works', async () => {
    // Five keys were tried by now; a restart begins to count anew.
    await scene.restart();
    expect(textOf(await setKey(scene.admin, 'second-key-1234'))).toMatch(/ending in 1234 works and replaces/);
    await submit();
    expect(scene.listing.requests.at(-1)?.key).toBe('second-key-1234');
  });

  it('asks for the permission again when the modal is submitted', async () => {
    const modal = modalOf(await scene.admin.slash('setkey'));
    const demote = (permissions: bigint) =>
      scene.discord.guildEvents.setPermissions(scene.admin, permissions);
    demote(0n);
    const said = textOf(await scene.admin.submit(modal, { key: 'sandbox-key' }));
    demote(PermissionFlagsBits.ManageGuild);
    expect(said).toContain('This takes the permission “Manage Server”');
    await submit();
    expect(scene.listing.requests.at(-1)?.key).toBe('second-key-1234');
  });

  it('refuses a member who was given the command under Integrations only', async () => {
    const [guild] = scene.discord.guilds;
    const id = scene.discord.commands().find(({ name }) => name === 'setkey')?.id;
    if (!guild || !id) throw new Error('the stand-in has no guild or no /setkey');
    scene.discord.setIntegrations(guild, id, [{ id: scene.member.userId, type: 'user', allow: true }]);
    expect(textOf(await scene.member.slash('setkey'))).toContain('This takes the permission “Manage Server”');
    scene.discord.setIntegrations(guild, id, []);
  });

  it('never lets the key be seen: not by Discord, not in the log, not on the disk', async () => {
    // The scene checks log and disk when it closes; this is what was sent to Discord.
    for (const key of ['sandbox-key', 'second-key-1234', 'wrong-key']) {
      expect(scene.discord.requests.filter(({ body, path }) => `${path} ${body}`.includes(key))).toEqual([]);
    }
  });

  it('tries five keys a minute for a guild, together with Check now, and tells when the next is possible', async () => {
    const elsewhere = scene.person({ role: 'admin', guild: 1 });
    const before = scene.listing.requests.length;
    for (const key of ['wrong-key', 'wrong-key', 'sandbox-key']) await setKey(elsewhere, key);
    let status = messageOf(await elsewhere.slash('keystatus'));
    for (let n = 0; n < 2; n += 1) status = messageOf(await elsewhere.press(status, 'Check now'));
    expect(status.current?.content).toContain('takes this key');
    expect(scene.listing.requests.length - before).toBe(5);

    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => setKey(elsewhere, `guess ${n}`)));
    for (const answer of all) {
      expect(messageOf(answer).current?.content).toMatch(
        /was not tried\. The next try is possible <t:\d+:R>/,
      );
    }
    const pressed = messageOf(await elsewhere.press(status, 'Check now')).current;
    expect(pressed?.content).toMatch(/was not tried.*<t:\d+:R>.*API key/s);
    expect(JSON.stringify(pressed?.components)).toContain('Check now');
    expect(scene.listing.requests.length - before).toBe(5);
    expect(textOf(await setKey(scene.admin, 'second-key-1234'))).toContain('works');
  });

  it('answers in the admin’s language', async () => {
    const german = scene.person({ role: 'admin', locale: 'de' });
    expect(modalOf(await german.slash('setkey')).data.title).toBe('API-Schlüssel für diesen Discord-Server');
  });
});
