import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { modalFields } from '../../sandbox/prompt/modal-line.ts';
import { labelsOf } from '../support/lists.ts';
import {
  inAppScene,
  inNewGuild,
  messageOf,
  modalOf,
  openAppScene,
  type Scene,
  setKey,
  textOf,
} from '../support/scene.ts';

let shared: Scene;
beforeAll(async () => {
  shared = await openAppScene({ key: 'sandbox-key' });
});
afterEach(() => shared.listing.behave({ kind: 'ok' }));
afterAll(() => shared.close());

const ACCEPTED = 'Servers have been added for review';
type Options = Readonly<Record<string, string | number>>;

const requests = () => shared.listing.requests.filter(({ action }) => action === 'add');
const buttonsOf = (message: SeenMessage) => labelsOf({ kind: 'message', message });
const embedsOf = (message: SeenMessage) =>
  message.current?.embeds.map(({ color, description }) => ({ color, description }));

/** Opens the window of a message's Edit button: what stands in its fields. */
async function open(person: Person, message: SeenMessage, edit = 'Edit') {
  const modal = modalOf(await person.press(message, edit));
  const typed = Object.fromEntries(modalFields(modal.data).map(({ id, value = '' }) => [id, value]));
  return { modal, typed };
}

/** Submits that window with other values in some of its fields. */
async function edit(
  person: Person,
  message: SeenMessage,
  changes: Readonly<Record<string, string>>,
  label = 'Edit',
) {
  const { modal, typed } = await open(person, message, label);
  return person.submit(modal, { ...typed, ...changes });
}

const addserver = async (person: Person, options: Options): Promise<SeenMessage> =>
  messageOf(await person.slash('addserver', options));

async function isAccepted(message: SeenMessage, server: object): Promise<void> {
  await expect.poll(() => message.current?.content).toContain(ACCEPTED);
  expect(buttonsOf(message)).toEqual([]);
  expect(requests().at(-1)?.servers).toEqual([server]);
}

/** What a first try needs, how it is put right with presses alone, and what the service then gets. */
interface Way {
  readonly options: Options;
  readonly says: RegExp;
  readonly embed: string;
  readonly offers: readonly string[];
  readonly press: string;
  readonly sent: object;
}

const WAYS: Readonly<Record<string, Way>> = {
  'a missing port': {
    options: { game: 'cs2', server: 'noport.example.com' },
    says: /^⚠️ Not sent\. The port of `noport\.example\.com` is missing\. .*usually have 27015/,
    embed: '**Counter-Strike 2** — `noport.example.com`',
    offers: ['Use 27015', 'Edit'],
    press: 'Use 27015',
    sent: { server: 'noport.example.com', port: '27015', game: 'cs2' },
  },
  'a missing port of a Minecraft server': {
    options: { game: 'minecraft', server: 'mc.example.com' },
    says: /^⚠️ Not sent\. .*Minecraft.*25565.*SRV record/,
    embed: '**Minecraft** — `mc.example.com`',
    offers: ['Use 25565', 'Edit'],
    press: 'Use 25565',
    sent: { server: 'mc.example.com', port: '25565', game: 'minecraft' },
  },
  'a missing port beside a query port': {
    options: { game: 'cs2', server: 'connect query.example.com', query_port: 27016 },
    says: /is missing/,
    embed: '**Counter-Strike 2** — `connect query.example.com`, query port 27016',
    offers: ['Use 27015', 'Edit'],
    press: 'Use 27015',
    sent: { server: 'query.example.com', port: '27015', query_port: '27016', game: 'cs2' },
  },
  'a game that is nearly right': {
    options: { game: 'minecraf', server: 'game.example.com:25565' },
    says: /“minecraf” is not a game.*Did you mean Minecraft/s,
    embed: '**minecraf** — `game.example.com:25565`',
    offers: ['Minecraft', 'Minecraft: Bedrock Edition', 'Minecraft: Pokémon (Cobblemon)', 'Edit'],
    press: 'Minecraft',
    sent: { server: 'game.example.com', port: '25565', game: 'minecraft' },
  },
  'two ports, of which the one in the address is right': {
    options: { game: 'cs2', server: 'two.example.com:7', port: 8 },
    says: /^⚠️ Not sent\. The address says port 7/,
    embed: '**Counter-Strike 2** — `two.example.com:7 8`',
    offers: ['Use 7', 'Use 8', 'Edit'],
    press: 'Use 7',
    sent: { server: 'two.example.com', port: '7', game: 'cs2' },
  },
  'two ports, of which the other one is right': {
    options: { game: 'cs2', server: 'two.example.com:9', port: 10 },
    says: /^⚠️ Not sent\./,
    embed: '**Counter-Strike 2** — `two.example.com:9 10`',
    offers: ['Use 9', 'Use 10', 'Edit'],
    press: 'Use 10',
    sent: { server: 'two.example.com', port: '10', game: 'cs2' },
  },
  'an IPv6 address without brackets': {
    options: { game: 'cs2', server: '2606:4700:0:0:0:0:0:1111:27015' },
    says: /needs square brackets/,
    embed: '**Counter-Strike 2** — `2606:4700:0:0:0:0:0:1111:27015`',
    offers: ['Use 27015', 'Edit'],
    press: 'Use 27015',
    sent: { server: '2606:4700::1111', port: '27015', game: 'cs2' },
  },
};

describe('a first try that is put right with one press', () => {
  it.each(Object.entries(WAYS))('%s', async (_what, { options, says, embed, offers, press, sent }) => {
    const { member } = shared;
    const before = requests().length;
    const message = await addserver(member, options);
    expect(message.ephemeral).toBe(true);
    expect(message.current?.content).toMatch(says);
    expect(embedsOf(message)).toEqual([{ color: 0xfee75c, description: embed }]);
    expect(buttonsOf(message)).toEqual(offers);
    expect(requests()).toHaveLength(before);
    await member.press(message, press);
    await isAccepted(message, sent);
    expect(message.current?.embeds[0]?.color).toBe(0x57f287);
    expect(requests()).toHaveLength(before + 1);
  });
});

describe('a first try in German', () => {
  const texts = [
    [
      'ein Port fehlt',
      { game: 'cs2', server: 'eins.example.com' },
      /^⚠️ Nicht gesendet\. .*meist 27015/,
      '27015 nehmen',
    ],
    [
      'ein Port fehlt bei Minecraft',
      { game: 'minecraft', server: 'zwei.example.com' },
      /SRV-Eintrag/,
      '25565 nehmen',
    ],
    [
      'das Spiel stimmt fast',
      { game: 'minecraf', server: 'drei.example.com:1' },
      /Meintest du Minecraft/,
      'Minecraft',
    ],
    ['zwei Ports', { game: 'cs2', server: 'vier.example.com:1', port: 2 }, /steht Port 1/, '2 nehmen'],
  ] as const;
  it.each(texts)('%s', async (_what, options, says, press) => {
    const german = shared.person({ locale: 'de' });
    const message = await addserver(german, options);
    expect(message.current?.content).toMatch(says);
    expect(buttonsOf(message).at(-1)).toBe('Bearbeiten');
    await german.press(message, press);
    await expect.poll(() => message.current?.content).toMatch(/^✅ Zur Prüfung gesendet\./);
    expect(buttonsOf(message)).toEqual([]);
  });

  it('der Dienst ist nicht erreichbar, der Schlüssel fehlt', async () => {
    const { person, admin } = await inNewGuild(shared);
    const german = person({ locale: 'de' });
    const message = await addserver(german, { game: 'cs2', server: 'de.example.com:1' });
    expect(buttonsOf(message)).toEqual(['Erneut senden', 'Bearbeiten']);
    await setKey(admin, 'sandbox-key');
    await shared.listing.behave({ kind: 'down' });
    await german.press(message, 'Erneut senden');
    await expect.poll(() => buttonsOf(message)).toEqual(['Erneut versuchen', 'Bearbeiten']);
    await shared.listing.behave({ kind: 'ok' });
    await german.press(message, 'Erneut versuchen');
    await isAccepted(message, { server: 'de.example.com', port: '1', game: 'cs2' });
  });
});

/** Each problem of what can be typed as one server, in the options or in the window. */
const PROBLEMS: Readonly<Record<string, Options>> = {
  'server-missing': { game: 'cs2', server: '""' },
  'not-an-address': { game: 'cs2', server: 'our cool server' },
  'web-address': { game: 'cs2', server: 'https://example.com/join' },
  'unknown-scheme': { game: 'cs2', server: 'ftp://example.com:21' },
  'ipv6-brackets': { game: 'cs2', server: '2606:4700:0:0:0:0:0:1112:27015' },
  'ipv4-form': { game: 'cs2', server: '1.2.3:27015' },
  'bad-ipv6': { game: 'cs2', server: '[2606::1::2]:1' },
  'not-public': { game: 'cs2', server: '192.168.0.4', port: 27015, query_port: 27016 },
  'reserved-name': { game: 'cs2', server: 'localhost:27015' },
  'single-label': { game: 'cs2', server: 'server:27015' },
  'service-name': { game: 'minecraft', server: '_minecraft._tcp.example.com:25565' },
  'bad-name': { game: 'cs2', server: 'a..example.com:1' },
  'label-too-long': { game: 'cs2', server: `${'a'.repeat(64)}.example.com:1` },
  'name-too-long': { game: 'cs2', server: `${'abcdefghi.'.repeat(26)}com:1` },
  'port-not-a-number': { game: 'cs2', server: 'a.example.com:abc' },
  'port-too-low': { game: 'cs2', server: 'a.example.com:0' },
  'port-too-high': { game: 'cs2', server: 'a.example.com:70000' },
  'port-conflict': { game: 'cs2', server: 'a.example.com:7', port: 8 },
  'port-missing': { game: 'cs2', server: 'a.example.com' },
  'port-missing, without a usual one': { game: 'factorio', server: 'a.example.com' },
  'game-unknown': { game: 'zzzzzz', server: 'a.example.com:1' },
  'game-missing': { game: '  ', server: 'a.example.com:1' },
};

describe('every refusal of what was typed', () => {
  const languages = [
    ['en-US', 'Edit', '⚠️'],
    ['de', 'Bearbeiten', '⚠️'],
  ] as const;
  it.each(
    Object.entries(PROBLEMS).flatMap(([problem, options]) =>
      languages.map(([locale, label, sign]) => ({ problem, options, locale, label, sign })),
    ),
  )('$problem opens again as it was typed, and is put right there ($locale)', async (row) => {
    const { options, locale, label, sign } = row;
    const person = shared.person({ locale });
    const before = requests().length;
    const message = await addserver(person, options);
    expect(message.current?.content).toMatch(new RegExp(`^${sign} `));
    expect(buttonsOf(message).at(-1)).toBe(label);
    expect(buttonsOf(message).length).toBeLessThanOrEqual(5);
    expect(message.current?.embeds[0]?.color).toBe(0xfee75c);
    expect(requests()).toHaveLength(before);
    const { game, server, port = '', query_port = '' } = options;
    expect((await open(person, message, label)).typed).toEqual({
      game: String(game).trim(),
      server,
      port: String(port),
      query_port: String(query_port),
    });
    const good = `fixed${before}${locale.slice(0, 2)}.example.com`;
    await edit(person, message, { game: 'cs2', server: good, port: '27015', query_port: '' }, label);
    await isAccepted(message, { server: good, port: '27015', game: 'cs2' });
  });

  it('names what is wrong with the ports of the window, and leaves out a query port with a press', async () => {
    const { member } = shared;
    const message = await addserver(member, { game: 'cs2', server: 'window.example.com' });
    for (const [field, value, says, offers] of [
      ['port', 'abc', /`abc` is not a number/, ['Edit']],
      ['port', '70000', /70000 is above 65535/, ['Edit']],
      ['query_port', '0', /Port 0 is below 1/, ['No query port', 'Edit']],
      ['query_port', 'x y', /`x y` is not a number/, ['No query port', 'Edit']],
    ] as const) {
      await edit(member, message, { port: '1', query_port: '', [field]: value });
      await expect.poll(() => message.current?.content).toMatch(says);
      expect(buttonsOf(message)).toEqual(offers);
      expect((await open(member, message)).typed).toMatchObject({ [field]: value });
    }
    await member.press(message, 'No query port');
    await isAccepted(message, { server: 'window.example.com', port: '1', game: 'cs2' });
  });

  it('keeps no password that was typed', async () => {
    const { member } = shared;
    const message = await addserver(member, {
      game: 'cs2',
      server: 'connect 10.0.0.1:27015; password hunter2',
    });
    expect((await open(member, message)).typed).toMatchObject({ server: 'connect 10.0.0.1:27015' });
    const link = await addserver(member, { game: 'cs2', server: 'steam://connect/10.0.0.2:27015/hunter2' });
    expect((await open(member, link)).typed).toMatchObject({ server: 'steam://connect/10.0.0.2:27015' });
    expect(shared.discord.requests.filter(({ body }) => body.includes('hunter2'))).toEqual([]);
  });
});

describe('what the bot or the service does not take now', () => {
  const good = { game: 'cs2', server: 'good.example.com', port: 27015 };
  const sent = { server: 'good.example.com', port: '27015', game: 'cs2' };
  const typed = { game: 'cs2', server: 'good.example.com', port: '27015', query_port: '' };

  it('waits for a key, and is sent with it', async () => {
    const { member, admin } = await inNewGuild(shared);
    const message = await addserver(member, good);
    expect(message.current?.content).toMatch(/no API key/);
    expect(embedsOf(message)).toEqual([
      { color: 0xfee75c, description: '**Counter-Strike 2** — `good.example.com:27015`' },
    ]);
    expect(buttonsOf(message)).toEqual(['Send again', 'Edit']);
    expect((await open(member, message)).typed).toEqual(typed);
    await setKey(admin, 'sandbox-key');
    await member.press(message, 'Send again');
    await isAccepted(message, sent);
  });

  it('waits for a key also when it is not right yet, and says then what is wrong', async () => {
    const { member, admin } = await inNewGuild(shared);
    const message = await addserver(member, { game: 'cs2', server: 'later.example.com' });
    expect(message.current?.content).toMatch(/no API key/);
    await setKey(admin, 'sandbox-key');
    await member.press(message, 'Send again');
    await expect.poll(() => buttonsOf(message)).toEqual(['Use 27015', 'Edit']);
    await member.press(message, 'Use 27015');
    await isAccepted(message, { server: 'later.example.com', port: '27015', game: 'cs2' });
  });

  it('waits for another key, in the service’s words, with Send again', async () => {
    shared.listing.allow('dying-key');
    const { member, admin } = await inNewGuild(shared, { key: 'dying-key' });
    shared.listing.revoke('dying-key');
    const message = await addserver(member, good);
    expect(message.current?.content).toMatch(/^❌.*Invalid API key\./s);
    expect(message.current?.embeds[0]?.color).toBe(0xed4245);
    expect(buttonsOf(message)).toEqual(['Send again', 'Edit']);
    const second = await addserver(member, { ...good, server: 'second.example.com' });
    expect(buttonsOf(second)).toEqual(['Send again', 'Edit']);
    expect((await open(member, second)).typed).toEqual({ ...typed, server: 'second.example.com' });
    await setKey(admin, 'sandbox-key');
    await member.press(message, 'Send again');
    await isAccepted(message, sent);
    await member.press(second, 'Send again');
    await isAccepted(second, { ...sent, server: 'second.example.com' });
  });

  it('goes again with Try again when the service was down, or is changed first', async () => {
    const { member } = await inNewGuild(shared, { key: 'sandbox-key' });
    await shared.listing.behave({ kind: 'down' });
    const messages = [
      await addserver(member, good),
      await addserver(member, { ...good, server: 'other.example.com' }),
    ] as const;
    for (const message of messages) {
      expect(message.current?.content).toMatch(/^⚠️/);
      expect(message.current?.embeds[0]).toMatchObject({ color: 0xfee75c });
      expect(buttonsOf(message)).toEqual(['Try again', 'Edit']);
    }
    await shared.listing.behave({ kind: 'ok' });
    await member.press(messages[0], 'Try again');
    await isAccepted(messages[0], sent);
    expect((await open(member, messages[1])).typed).toEqual({ ...typed, server: 'other.example.com' });
    await edit(member, messages[1], { port: '27016' });
    await isAccepted(messages[1], { ...sent, server: 'other.example.com', port: '27016' });
  });

  it('is corrected after a refusal in the service’s own words', async () => {
    const { member } = await inNewGuild(shared, { key: 'sandbox-key' });
    const body = { status: 'error', message: 'Invalid game alias provided.' };
    await shared.listing.behave({ kind: 'json', status: 200, body }, 1);
    const message = await addserver(member, good);
    expect(message.current?.content).toMatch(/^❌.*Invalid game alias provided\./s);
    expect(buttonsOf(message)).toEqual(['Edit']);
    expect((await open(member, message)).typed).toEqual(typed);
    await edit(member, message, { game: 'Rust' });
    await isAccepted(message, { ...sent, game: 'rust' });
  });

  it('is looked at and then sent again when nobody knows whether it arrived', async () => {
    const { member } = await inNewGuild(shared, { key: 'sandbox-key' });
    await shared.listing.behave({ kind: 'reset' }, 1);
    const message = await addserver(member, good);
    expect(message.current?.content).toMatch(/check the list/);
    expect(buttonsOf(message)).not.toContain('Try again');
    await edit(member, message, {});
    await expect.poll(() => buttonsOf(message)).toEqual(['Submit again', 'Edit']);
    await member.press(message, 'Submit again');
    await isAccepted(message, sent);
  });

  it('is offered the near games that the guild allows, and no others', async () => {
    const { member, admin } = await inNewGuild(shared, { key: 'sandbox-key' });
    const settings = messageOf(await admin.slash('settings'));
    const page = await admin.press(settings, 'Games …').then(() => settings);
    await admin.pick(page, ['css']);
    const near = await addserver(member, { ...good, game: 'counter-strik' });
    expect(buttonsOf(near)).toEqual(['Counter-Strike: Source', 'Edit']);
    expect(near.current?.content).not.toContain('Counter-Strike 2');
    const refused = await addserver(member, { ...good, game: 'minecraft' });
    expect(refused.current?.content).toMatch(/Minecraft/);
    expect(buttonsOf(refused)).toEqual(['Edit']);
    await edit(member, refused, { game: 'css' });
    await isAccepted(refused, { ...sent, game: 'css' });
  });
});

describe('a game that the guild no longer allows', () => {
  const only = async ({ admin }: Scene, alias: string) => {
    shared.discord.clock.advance(1_000);
    const settings = messageOf(await admin.slash('settings'));
    await admin.press(settings, 'Games …');
    expect(textOf(await admin.pick(settings, [alias]))).toContain('Only 1 game may be submitted');
  };
  it.each([
    ['en-US', /^⚠️ Not sent: servers of Minecraft cannot be submitted here/, 'Use 25565', 'Edit'],
    ['de', /^⚠️ Nicht gesendet: Server für Minecraft lassen sich hier nicht/, '25565 nehmen', 'Bearbeiten'],
  ])('is named before a port is asked for, and at the press of what was offered (%s)', async (...given) => {
    const [locale, says, use, label] = given;
    const own = await inNewGuild(shared, { key: 'sandbox-key' });
    const person = own.person({ locale });
    const before = requests().length;
    const offered = await addserver(person, { game: 'minecraft', server: 'mc.example.com' });
    const meant = await addserver(person, { game: 'minecraf', server: 'mc.example.com' });
    expect(buttonsOf(offered)).toEqual([use, label]);
    await only(own, 'css');
    await person.press(offered, use);
    await person.press(meant, 'Minecraft');
    const typed = await addserver(person, { game: 'minecraft', server: 'mc.example.com' });
    for (const message of [offered, meant, typed]) {
      await expect.poll(() => message.current?.content).toMatch(says);
      expect(buttonsOf(message)).toEqual([label]);
    }
    expect(requests()).toHaveLength(before);
    await edit(person, typed, { port: '27015', game: 'css' }, label);
    await expect.poll(() => typed.current?.embeds[0]?.color).toBe(0x57f287);
    expect(requests().at(-1)?.servers).toEqual([{ server: 'mc.example.com', port: '27015', game: 'css' }]);
  });
});

describe('a game that may have been meant', () => {
  /** A list that the service then has, read with the guild's key. */
  async function list(scene: Scene, games: readonly object[]): Promise<void> {
    await scene.listing.behave({ kind: 'json', status: 200, body: games }, 1);
    await setKey(scene.admin, 'sandbox-key');
  }
  const LENGTHS = [30, 44, 45, 46, 60, 99, 100];
  const games = LENGTHS.map((length) => ({
    name: `Longest of ${length}`,
    alias: `:${length}:`.padEnd(length, 'x'),
  }));

  it('has a button, however long its alias is', () =>
    inAppScene({}, async (own) => {
      const { member, listing } = own;
      await list(own, games);
      for (const { name, alias } of games) {
        const server = `long${alias.length}.example.com`;
        const message = await addserver(member, { game: `${name}!x`, server: `${server}:1` });
        expect(buttonsOf(message)[0]).toBe(name);
        const body = { status: 'success', message: `${ACCEPTED}.` };
        await listing.behave({ kind: 'json', status: 200, body }, 1);
        await member.press(message, name);
        await expect.poll(() => message.current?.content).toContain(ACCEPTED);
        expect(listing.requests.at(-1)?.servers).toEqual([{ server, port: '1', game: alias }]);
      }
    }));

  it('is asked for anew when the list no longer has it', () =>
    inAppScene({}, async (own) => {
      await list(own, games);
      const message = await addserver(own.member, { game: 'longest of 10', server: 'a.example.com:1' });
      expect(buttonsOf(message)).toContain('Longest of 100');
      await list(own, games.slice(0, 2));
      await own.member.press(message, 'Longest of 100');
      await expect.poll(() => buttonsOf(message)).toEqual(['Longest of 30', 'Longest of 44', 'Edit']);
      expect(message.current?.content).toMatch(/“longest of 10” is not a game/);
      expect(own.listing.requests.filter(({ action }) => action === 'add')).toEqual([]);
    }));
});

describe('a draft of one server', () => {
  it('says plainly that it is gone, and that it was submitted', async () => {
    const { member } = await inNewGuild(shared, { key: 'sandbox-key' });
    const first = await addserver(member, { game: 'cs2', server: 'first.example.com' });
    const stale = await open(member, first);
    for (let n = 0; n < 10; n++) await addserver(member, { game: 'cs2', server: `n${n}.example.com` });
    const gone = /What you typed is no longer kept.*Nothing was sent.*\/addserver/s;
    expect(textOf(await member.press(first, 'Edit'))).toMatch(gone);
    // The window is still open, and has all of it.
    await member.submit(stale.modal, { ...stale.typed, port: '27015' });
    await isAccepted(first, { server: 'first.example.com', port: '27015', game: 'cs2' });
  });

  it('is sent once, however often and wherever it is pressed', async () => {
    const { member } = await inNewGuild(shared, { key: 'sandbox-key' });
    const message = await addserver(member, { game: 'cs2', server: 'once.example.com' });
    const windows = [await open(member, message), await open(member, message)] as const;
    const before = requests().length;
    const submit = ({ modal, typed }: (typeof windows)[number]) =>
      member.submit(modal, { ...typed, port: '27015' });
    const answers = await Promise.all([
      member.press(message, 'Use 27015'),
      member.press(message, 'Use 27015'),
      submit(windows[0]),
    ]);
    await isAccepted(message, { server: 'once.example.com', port: '27015', game: 'cs2' });
    answers.push(await submit(windows[1]));
    expect(answers.map(textOf).filter((text) => text.includes('works only once'))).toHaveLength(3);
    expect(requests()).toHaveLength(before + 1);
  });
});

describe('a limit', () => {
  it('does not count a corrected try twice, and gives back what it refuses', async () => {
    const scene = await openAppScene({ key: 'sandbox-key', env: { MEMBER_LIMIT: '2/600' } });
    try {
      const { member, listing } = scene;
      const body = { status: 'error', message: 'No.' };
      await addserver(member, { game: 'cs2', server: 'a.example.com:1' });
      await listing.behave({ kind: 'json', status: 200, body }, 1);
      const refused = await addserver(member, { game: 'cs2', server: 'b.example.com:1' });
      expect(refused.current?.content).toContain('No.');
      await edit(member, refused, { server: 'c.example.com:1' });
      await expect.poll(() => refused.current?.content).toContain(ACCEPTED);
      const third = await addserver(member, { game: 'cs2', server: 'd.example.com:1' });
      expect(third.current?.content).toMatch(/as many/);
      expect(buttonsOf(third)).toEqual(['Try again', 'Edit']);
      expect((await open(member, third)).typed).toMatchObject({ game: 'cs2', server: 'd.example.com:1' });
      expect(listing.submitted.map(({ server }) => server)).toEqual(['a.example.com', 'c.example.com']);
    } finally {
      await scene.close();
    }
  });
});

/** Makes the key of the first guild unreadable, as a torn write does. */
async function tearKey(scene: Scene): Promise<void> {
  await scene.bot.stop();
  const database = new DatabaseSync(join(scene.data, 'bot.sqlite'));
  const { changes } = database
    .prepare("UPDATE keyv SET value = 'torn' WHERE key = ?")
    .run(`api-key:${scene.discord.guilds[0]?.id}`);
  database.close();
  expect(Number(changes)).toBe(1);
  await scene.startBot();
}

async function setQuota(admin: Person, servers: string): Promise<void> {
  const modal = modalOf(await admin.press(messageOf(await admin.slash('settings')), 'Daily quota …'));
  await admin.submit(modal, { [modalFields(modal.data)[0]?.id ?? '']: servers });
}

describe.each([
  {
    locale: 'en-US',
    labels: { again: 'Try again', send: 'Send again', twice: 'Submit again', edit: 'Edit' },
    says: {
      quota: /^⚠️ Not sent: .*you have 0 left today/,
      flight: /^⚠️ Not sent: `flight\.example\.com:1` is on its way/,
      unreadable: /^⚠️ Not sent.*can no longer be read/s,
      down: /^⚠️ Not sent: the listing service is down at the moment/,
    },
  },
  {
    locale: 'de',
    labels: {
      again: 'Erneut versuchen',
      send: 'Erneut senden',
      twice: 'Noch einmal einreichen',
      edit: 'Bearbeiten',
    },
    says: {
      quota: /^⚠️ Nicht gesendet: .*heute keinen mehr frei/,
      flight: /^⚠️ Nicht gesendet: `flight\.example\.com:1` ist schon auf dem Weg/,
      unreadable: /^⚠️ Nicht gesendet.*nicht mehr lesen/s,
      down: /^⚠️ Nicht gesendet: Der Listendienst ist gerade nicht erreichbar/,
    },
  },
])('what waits, and goes again without retyping ($locale)', ({ locale, labels, says }) => {
  const hosts = (scene: Scene) => scene.listing.submitted.map(({ server }) => server);
  const goes = async (scene: Scene, person: Person, message: SeenMessage, label: string, host: string) => {
    await person.press(message, label);
    await expect.poll(() => message.current?.embeds[0]?.color).toBe(0x57f287);
    expect(hosts(scene).at(-1)).toBe(host);
  };

  it('is more than the daily quota of an admin', async () => {
    const own = await inNewGuild(shared, { key: 'sandbox-key' });
    const person = own.person({ locale });
    await setQuota(own.admin, '1');
    await addserver(person, { game: 'cs2', server: 'first.example.com:1' });
    const message = await addserver(person, { game: 'cs2', server: `quota-${locale}.example.com:1` });
    expect(message.current?.content).toMatch(says.quota);
    expect(buttonsOf(message)).toEqual([labels.again, labels.edit]);
    expect((await open(person, message, labels.edit)).typed).toMatchObject({
      server: `quota-${locale}.example.com:1`,
    });
    await setQuota(own.admin, '2');
    await goes(shared, person, message, labels.again, `quota-${locale}.example.com`.toLowerCase());
  });

  it('is on its way already', async () => {
    const own = await inNewGuild(shared, { key: 'sandbox-key' });
    const person = own.person({ locale });
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    await shared.listing.behave({ kind: 'held', until }, 1);
    const before = requests().length;
    const first = addserver(own.member, { game: 'cs2', server: 'flight.example.com:1' });
    await expect.poll(() => requests().length).toBe(before + 1);
    const message = await addserver(person, { game: 'cs2', server: 'flight.example.com:1' });
    expect(message.current?.content).toMatch(says.flight);
    expect(buttonsOf(message)).toEqual([labels.again, labels.edit]);
    answer();
    await first;
    await person.press(message, labels.again);
    await expect.poll(() => buttonsOf(message)).toEqual([labels.twice, labels.edit]);
    await edit(person, message, { server: 'other.example.com:1' }, labels.edit);
    await isAccepted(message, { server: 'other.example.com', port: '1', game: 'cs2' });
  });

  it('has a key that can no longer be read', () =>
    inAppScene({ key: 'sandbox-key' }, async (own) => {
      await tearKey(own);
      const person = own.person({ locale });
      const message = await addserver(person, { game: 'cs2', server: 'torn.example.com:1' });
      expect(message.current?.content).toMatch(says.unreadable);
      expect(buttonsOf(message)).toEqual([labels.send, labels.edit]);
      expect((await open(person, message, labels.edit)).typed).toMatchObject({
        server: 'torn.example.com:1',
      });
      await setKey(own.admin, 'sandbox-key');
      await goes(own, person, message, labels.send, 'torn.example.com');
    }));

  it('meets the breaker, which knows that the service is down', () =>
    inAppScene({ key: 'sandbox-key' }, async (own) => {
      const person = own.person({ locale });
      await own.listing.behave({ kind: 'down' });
      const tries: SeenMessage[] = [];
      for (let n = 0; n < 8; n++) {
        tries.push(await addserver(person, { game: 'cs2', server: `down${n}.example.com:1` }));
      }
      const index = tries.findIndex(({ current }) => says.down.test(current?.content ?? ''));
      const message = tries[index];
      if (!message) throw new Error('the breaker refused nothing');
      expect(buttonsOf(message)).toEqual([labels.again, labels.edit]);
      expect((await open(person, message, labels.edit)).typed).toMatchObject({
        server: `down${index}.example.com:1`,
      });
      await own.listing.behave({ kind: 'ok' });
      // A list that a key brings says that the service is back.
      await setKey(own.admin, 'sandbox-key');
      await goes(own, person, message, labels.again, `down${index}.example.com`);
    }));
});
