import { ButtonStyle } from 'discord.js';
import { describe, expect } from 'vitest';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { botTest, messageOf, oneBot, setKey, type TestGuild, textOf } from '../support/bot.ts';
import { awayFromMidnight, createTestClock } from '../support/machine.ts';
import {
  ACCEPTED,
  addServer,
  adds,
  addsOf,
  allowGames,
  componentsOf,
  edit,
  labelsOf,
  openModal,
  paste,
  pressSubmit,
  setQuota,
} from '../support/people.ts';

const YELLOW = 0xfee75c;
const GREEN = 0x57f287;

const it = botTest();

const embedOf = (answer: Answer) => messageOf(answer).current?.embeds[0];
const says = (answer: Answer, text: RegExp | string) =>
  expect
    .poll(() => textOf(answer))
    .toMatch(typeof text === 'string' ? new RegExp(RegExp.escape(text)) : text);
const rejecting = ({ listing }: TestGuild, message: string) =>
  listing.behave({ kind: 'json', status: 200, body: { status: 'error', message } }, 1);

/** Checks that the service received this server last, and that the reply only offers to submit another server. */
async function isAccepted(guild: TestGuild, answer: Answer, server: object): Promise<void> {
  await says(answer, ACCEPTED);
  expect(labelsOf(answer)).toEqual(['Submit another']);
  expect(embedOf(answer)?.color).toBe(GREEN);
  expect(adds(guild).at(-1)?.servers).toEqual([server]);
}

describe('/addserver', () => {
  it("confirms the submission even if the service's response has no message", async ({ member, listing }) => {
    await listing.behave({ kind: 'json', status: 200, body: { status: 'success', message: null } }, 1);
    const answer = await addServer(member, 'play.example.com:27015');
    await says(answer, 'Sent for review.');
    expect(textOf(answer)).not.toMatch(/[“”>]/);
    expect(labelsOf(answer)).toEqual(['Submit another']);
  });

  it("replies privately with the service's message and the address", async ({ guild, member }) => {
    const answer = await addServer(member, '[2606:4700::1111]:27015', { query_port: 27016 });
    expect(textOf(answer)).toContain('(only you can see this)');
    expect(textOf(answer)).toContain(ACCEPTED);
    expect(textOf(answer)).toContain('Counter-Strike 2 [2606:4700::1111]:27015 · query port 27016');
    const sent = { server: '2606:4700::1111', port: '27015', query_port: '27016', game: 'cs2' };
    await isAccepted(guild, answer, sent);
  });

  it('hides the old address while sending the corrected one', async ({ member, listing }) => {
    const wrong = await addServer(member, 'former.example.com');
    const { modal, typed } = await openModal(member, wrong);
    const held = Promise.withResolvers<void>();
    await listing.behave({ kind: 'held', until: held.promise }, 1);
    const answer = member.submit(modal, { ...typed, server: 'corrected.example.com:1' });
    await says(wrong, 'Sending…');
    expect(textOf(wrong)).not.toContain('former.example.com');
    held.resolve();
    await says(await answer, 'corrected.example.com:1');
  });

  it('explains the next step after an error from the service', async ({ guild, member, listing }) => {
    const reads = () => listing.requests.filter(({ action }) => action === 'games').length;
    const before = reads();
    let last: Answer = { kind: 'lost' };
    const errors: readonly (readonly [string, RegExp])[] = [
      ['The server list for addition is empty.', /Please tell the bot's operator/],
      ['Server parameter is missing.', /missing\.\n/],
      ['Game alias parameter is missing.', /missing\.\n/],
      ['Invalid game alias provided.', /list of games may have changed\. \/games shows all/],
    ];
    for (const [message, next] of errors) {
      await rejecting(guild, message);
      last = await addServer(member, 'error.example.com:1');
      expect(textOf(last)).toContain(message);
      expect(textOf(last)).toMatch(next);
      expect(labelsOf(last)).toEqual(['Edit']);
    }
    // The last error makes the bot fetch the games again.
    await expect.poll(reads).toBe(before + 1);
    await edit(member, last, { game: 'Rust' });
    await isAccepted(guild, last, { server: 'error.example.com', port: '1', game: 'rust' });
  });
});

/** The member's input, the reply, its buttons, and the server sent after a press of the first button. */
const WAYS = [
  {
    options: { server: 'noport.example.com', query_port: 27016 },
    says: /^⚠️ Not sent: no port \(default is 27015\)\.$/,
    embed: '**Counter-Strike 2** `noport.example.com` · query port 27016',
    offers: ['Submit with port 27015', 'Edit'],
    sent: { server: 'noport.example.com', port: '27015', query_port: '27016', game: 'cs2' },
  },
  {
    options: { game: 'minecraf', server: 'game.example.com:25565' },
    says: /unknown game `minecraf`\. Did you mean one of these games\?$/s,
    embed: '**minecraf** `game.example.com:25565`',
    offers: [
      'Submit as Minecraft',
      'Submit as Minecraft: Bedrock Edition',
      'Submit as Minecraft: Pokémon (Cobblemon)',
      'Edit',
    ],
    sent: { server: 'game.example.com', port: '25565', game: 'minecraft' },
  },
  {
    options: { game: 'minecraf', server: 'both.example.com' },
    says: /unknown game `minecraf`/,
    embed: '**minecraf** `both.example.com`',
    offers: [
      'Submit as Minecraft, port 25565',
      'Use Minecraft: Bedrock Edition (needs a port)',
      'Use Minecraft: Pokémon (Cobblemon) (needs a port)',
      'Edit',
    ],
    sent: { server: 'both.example.com', port: '25565', game: 'minecraft' },
  },
  {
    options: { server: 'Dust2 Only | words.example.com:27015' },
    says: /not an address/,
    embed: '**Counter-Strike 2** `Dust2 Only | words.example.com:27015`',
    offers: ['Submit words.example.com:27015 (Counter-Strike 2)', 'Edit'],
    sent: { server: 'words.example.com', port: '27015', game: 'cs2' },
  },
  {
    options: { server: 'beside.example.com:28015 rust' },
    says: /not an address/,
    embed: '**Rust** `beside.example.com:28015 rust`',
    offers: ['Submit beside.example.com:28015 (Rust)', 'Edit'],
    sent: { server: 'beside.example.com', port: '28015', game: 'rust' },
  },
  {
    options: { game: 'fortnite', server: 'known.example.com:28015 rust' },
    says: /not an address/,
    embed: '**Rust** `known.example.com:28015 rust`',
    offers: ['Submit known.example.com:28015 (Rust)', 'Edit'],
    sent: { server: 'known.example.com', port: '28015', game: 'rust' },
  },
  {
    options: { server: 'https://www.example.com/server_info/93.184.216.34:27099/', game: 'gmod' },
    says: /a web page/,
    embed: "**Garry's Mod** `93.184.216.34:27099`",
    offers: ["Submit 93.184.216.34:27099 (Garry's Mod)", 'Edit'],
    sent: { server: '93.184.216.34', port: '27099', game: 'gm' },
  },
  {
    options: { server: 'two.example.com:7', port: 8 },
    says: /two ports: 7 and 8\. /,
    embed: '**Counter-Strike 2** `two.example.com:7 8`',
    offers: ['Submit with port 7', 'Submit with port 8', 'Submit with port 7 and query port 8', 'Edit'],
    sent: { server: 'two.example.com', port: '7', game: 'cs2' },
  },
];

describe('after a successful submission, the bot', () => {
  it.for([
    ['en-US', /doesn't notify anyone of the result/, 'Submit another'],
    ['de', /teilt das Ergebnis niemandem mit/, 'Noch einen'],
    ['ja', /結果は誰にも通知しません/, 'もう1件'],
  ] as const)('explains the review process only once per member (in %s)', async ([locale, review, another], {
    guild,
    listing,
  }) => {
    const member = guild.person({ locale });
    await rejecting(guild, 'No.');
    expect(textOf(await addServer(member, 'rejected.example.com:1'))).not.toMatch(review);
    const first = await addServer(member, 'first.example.com:1', { game: 'rust' });
    expect(textOf(first)).toContain(ACCEPTED);
    expect(textOf(first)).toMatch(review);
    const { modal, typed } = await openModal(member, first, another);
    expect(typed).toEqual({ game: 'rust', server: '', port: '', query_port: '' });
    const second = await member.submit(modal, { ...typed, server: 'second.example.com', port: '2' });
    expect(messageOf(second).id).not.toBe(messageOf(first).id);
    expect(textOf(second)).toContain(ACCEPTED);
    expect(textOf(second)).not.toMatch(review);
    expect(listing.submitted.at(-1)).toMatchObject({ server: 'second.example.com', game: 'rust' });
  });

  it('prefills the game in "Submit another" only if all servers share it', async ({ member }) => {
    const one = await pressSubmit(member, await paste(member, 'a.example.com:1 cs2\nb.example.com:1 cs2'));
    expect(textOf(one)).toContain("doesn't notify anyone of the result");
    expect((await openModal(member, one, 'Submit another')).typed.game).toBe('cs2');
    const two = await pressSubmit(member, await paste(member, 'c.example.com:1 cs2\nd.example.com:1 rust'));
    expect(textOf(two)).not.toContain("doesn't notify anyone of the result");
    expect((await openModal(member, two, 'Submit another')).typed.game).toBe('');
  });
});

describe('the reply to invalid input in /addserver', () => {
  it.for(WAYS)('has a "$offers.0" button that submits the corrected server ($options)', async ({
    options,
    ...way
  }, { guild, member }) => {
    const answer = await addServer(member, options.server, options);
    const { content, embeds } = messageOf(answer).current ?? {};
    expect(content).toMatch(way.says);
    expect(embeds).toMatchObject([{ color: YELLOW, description: way.embed }]);
    expect(labelsOf(answer)).toEqual(way.offers);
    expect(adds(guild)).toEqual([]);
    await member.press(answer, way.offers[0] ?? '');
    await isAccepted(guild, answer, way.sent);
  });

  it.for([
    { options: { server: '192.168.0.4', port: 27015, query_port: 27016 }, reason: /private address/ },
    { options: { server: 'localhost:27015' }, reason: /your own computer\. .*public address/ },
    { options: { server: 'a.example.com:70000' }, reason: /port `70000` isn't a number from 1 to 65535/ },
    {
      options: { server: '@everyone **x** `y`' },
      reason: /not an address\. Enter only the address with its port/,
    },
    {
      options: { game: 'zzzzzz', server: 'a.example.com', port: 1 },
      reason: /unknown game `zzzzzz`\. <\/games/,
    },
    { options: { game: '  ', server: 'a.example.com', port: 1 }, reason: /no game\. / },
    { options: { game: 'minecraft', server: 'mc.example.com' }, reason: /default is 25565\)\. .*SRV record/ },
    { options: { server: '2606:4700:0:0:0:0:0:1111:27015' }, reason: /needs brackets/ },
  ])("has an Edit button that reopens the form with the member's input ($options)", async ({
    options,
    reason,
  }, { guild, member }) => {
    const answer = await addServer(member, options.server, options);
    expect(messageOf(answer).current?.content).toMatch(reason);
    expect(labelsOf(answer).at(-1)).toBe('Edit');
    expect(embedOf(answer)?.color).toBe(YELLOW);
    const { game = 'cs2', server, port = '', query_port = '' } = options as Record<string, string>;
    expect((await openModal(member, answer)).typed).toEqual({
      game: game.trim(),
      server,
      port: String(port),
      query_port: String(query_port),
    });
    expect(adds(guild)).toEqual([]);
    await edit(member, answer, { game: 'cs2', server: 'right.example.com', port: '5', query_port: '' });
    await isAccepted(guild, answer, { server: 'right.example.com', port: '5', game: 'cs2' });
  });

  it('shows a list preview if the member entered several addresses', async ({ member, listing }) => {
    const answer = await addServer(member, '8.8.8.8:1, Rust: 8.8.8.8:2', { game: 'gmod' });
    expect(textOf(answer)).toContain('2 game servers are ready');
    await member.press(answer, 'Submit 2 game servers');
    await expect
      .poll(() => listing.submitted)
      .toEqual([
        { server: '8.8.8.8', port: 1, game: 'gm' },
        { server: '8.8.8.8', port: 2, game: 'rust' },
      ]);
  });

  it('has a button that corrects swapped options, commas or an extra digit', async ({ member, listing }) => {
    const swapped = await addServer(member, 'rust', { game: 'a.example.com:1' });
    expect(messageOf(swapped).current?.content).toBe('⚠️ Not sent: the game and the address are swapped.');
    expect(componentsOf(swapped).map(({ label }) => label)).toEqual([
      'Submit a.example.com:1 (Rust)',
      'Edit',
    ]);
    await member.press(swapped, 'Submit a.example.com:1 (Rust)');
    const dotted = await addServer(member, 'b,example,com:2', { game: 'rust' });
    await member.press(dotted, 'Submit b.example.com:2 (Rust)');
    const long = await addServer(member, 'c.example.com:280155', { game: 'rust' });
    await member.press(long, 'Submit with port 28015');
    expect(listing.submitted.map(({ server, port, game }) => `${server}:${port} ${game}`)).toEqual([
      'a.example.com:1 rust',
      'b.example.com:2 rust',
      'c.example.com:28015 rust',
    ]);
  });

  it('has a button that removes an invalid query port', async ({ guild, member }) => {
    const answer = await addServer(member, 'window.example.com');
    await edit(member, answer, { port: '1', query_port: 'x y' });
    await says(answer, /x y isn't a number/);
    expect(labelsOf(answer)).toEqual(['Submit without a query port', 'Edit']);
    expect((await openModal(member, answer)).typed).toMatchObject({ query_port: 'x y' });
    await member.press(answer, 'Submit without a query port');
    await isAccepted(guild, answer, { server: 'window.example.com', port: '1', game: 'cs2' });
  });
});

it.for([
  ['q1.example.org:27021', 'q1.example.org', '27021'],
  ['MÜNCHEN.example.org:27021', 'MÜNCHEN.example.org', '27021'],
  ['[2606:4700::1111]:27021', '[2606:4700::1111]', '27021'],
  ['10.0.0.1:27021', '10.0.0.1:27021', ''],
  ['q1.example.org:99999', 'q1.example.org:99999', ''],
] as const)('the Edit form splits an address into host and port only if it is valid (%s)', async ([
  typed,
  server,
  port,
], { guild, member }) => {
  await rejecting(guild, 'No.');
  const answer = await addServer(member, typed);
  expect((await openModal(member, answer)).typed).toMatchObject({ server, port });
});

it('the Edit form accepts a port as part of the address', async ({ guild, member }) => {
  await rejecting(guild, 'No.');
  const answer = await addServer(member, 'q1.example.org:27021');
  await rejecting(guild, 'No.');
  await edit(member, answer, { port: '28099' });
  expect(adds(guild).at(-1)?.servers).toEqual([{ server: 'q1.example.org', port: '28099', game: 'cs2' }]);
  await edit(member, answer, { server: 'q2.example.org:5' });
  await isAccepted(guild, answer, { server: 'q2.example.org', port: '5', game: 'cs2' });
});

describe('an unsent submission', () => {
  const good = 'good.example.com:27015';
  const sent = { server: 'good.example.com', port: '27015', game: 'cs2' };

  it('can be sent once an admin has entered an API key', async ({ bot, guild }) => {
    const own = await bot.newGuild();
    const answer = await addServer(own.admin, good);
    expect(textOf(answer)).toMatch(/⚠️ Not sent\. .*no API key/);
    expect(labelsOf(answer)).toEqual(['Enter an API key', 'Submit again', 'Edit']);
    const asked = await addServer(own.member, 'later.example.com');
    // A single message describes all problems.
    expect(textOf(asked)).toMatch(/no API key.*Ask someone with the “Manage Server” permission.*no port/s);
    expect(labelsOf(asked)).toEqual(['Submit with port 27015', 'Edit']);
    await own.member.press(asked, 'Submit with port 27015');
    await expect.poll(() => labelsOf(asked)).toEqual(['Submit again', 'Edit']);
    // The port has changed, so this isn't the same attempt again.
    expect(textOf(asked)).not.toContain('Still not possible');
    const { components = [] } = messageOf(answer).current ?? {};
    expect(components[0]).toMatchObject({
      components: [{ style: ButtonStyle.Primary }, { style: ButtonStyle.Secondary }, {}],
    });
    expect(textOf(await own.admin.press(answer, 'Submit again'))).toMatch(/^.*Still not possible at .*:/);
    const saved = await edit(own.admin, answer, { key: 'sandbox-key' }, 'Enter an API key');
    await own.admin.press(saved, 'Submit again');
    await isAccepted(guild, saved, sent);
    await own.member.press(asked, 'Submit again');
    await isAccepted(guild, asked, { server: 'later.example.com', port: '27015', game: 'cs2' });
  });

  it('can be continued in /submissions', async ({ bot }) => {
    const { admin, member } = await bot.newGuild();
    await addServer(member, 'held.example.com:27015');
    const history = await member.slash('submissions');
    expect(textOf(history)).toContain('Not sent yet: held.example.com:27015.');
    await setKey(admin, 'sandbox-key');
    await pressSubmit(member, await member.press(history, 'Continue'));
    expect(addsOf(bot, 'held.example.com')).toHaveLength(1);
    expect(labelsOf(await member.slash('submissions'))).not.toContain('Continue');
    // What was refused because it was already submitted isn't unfinished.
    await addServer(member, 'held.example.com:27015');
    expect(textOf(await member.slash('submissions'))).not.toContain('Not sent yet');
  });

  it('can be sent with a new key after the service has rejected the old one', async ({
    guild,
    admin,
    member,
    listing,
  }) => {
    listing.allow('dying-key');
    await setKey(admin, 'dying-key');
    listing.revoke('dying-key');
    const first = await addServer(member, good);
    expect(textOf(first)).toMatch(
      /❌.*Invalid API key\..*@.* set the key and can replace it with \/setkey\./s,
    );
    expect(embedOf(first)?.color).toBe(0xed4245);
    const requests = listing.requests.length;
    const second = await addServer(admin, 'second.example.com:1');
    expect(textOf(second)).toMatch(
      /⚠️ Not sent\. .*rejects.*so nothing can be sent\. The rejected key was set by @/,
    );
    expect(messageOf(second).current?.mentions).toEqual([]);
    expect(listing.requests).toHaveLength(requests);
    await setKey(admin, 'sandbox-key');
    await member.press(first, 'Submit again');
    await isAccepted(guild, first, sent);
    await admin.press(second, 'Submit again');
    await isAccepted(guild, second, { server: 'second.example.com', port: '1', game: 'cs2' });
  });

  it('can be sent once the circuit breaker has closed', async ({ guild, admin, member, listing }) => {
    await listing.behave({ kind: 'status', status: 500 });
    for (const n of [1, 2, 3]) await addServer(member, `fails${n}.example.com:1`);
    const before = adds(guild).length;
    const answer = await addServer(member, good);
    const held = /⚠️ Not sent\. .* had just failed several times.*You can try again from .*\d+:\d+/;
    expect(textOf(answer)).toMatch(held);
    expect(labelsOf(answer)).toEqual(['Submit again', 'Edit']);
    expect(textOf(await member.press(answer, 'Submit again'))).toMatch(/Still not possible at .*:\n/);
    expect(textOf(answer)).toMatch(held);
    expect(adds(guild)).toHaveLength(before);
    await listing.behave({ kind: 'ok' });
    // After a new key is set, the bot fetches the games and notices that the service is back.
    await setKey(admin, 'sandbox-key');
    await member.press(answer, 'Submit again');
    await isAccepted(guild, answer, sent);
  });

  it('can be sent once an admin has raised the daily quota', async ({ guild, member }) => {
    awayFromMidnight();
    expect(textOf(await addServer(member, 'noquota.example.com:1'))).not.toContain('You can submit');
    await setQuota(guild, '3');
    expect(textOf(await member.slash('help'))).not.toContain('You can submit');
    const next = await addServer(member, 'next.example.com:1');
    expect(textOf(next)).toContain('You can submit 1 more game server today.');
    const last = await addServer(member, 'last.example.com:1');
    expect(textOf(last)).toMatch(/You can submit your next game server from .*\d+:00/);
    const answer = await addServer(member, good);
    expect(textOf(answer)).toMatch(/⚠️ Not sent: the daily quota of 3 game servers is used up\./);
    expect(textOf(answer)).toMatch(
      /The bot won't send it by itself: after that, use Continue in .*submissions/,
    );
    expect(labelsOf(answer)).toEqual(['Edit']);
    await setQuota(guild, '4');
    await pressSubmit(member, await member.press(await member.slash('submissions'), 'Continue'));
    expect(addsOf(guild, 'good.example.com')).toHaveLength(1);
  });
});

describe('the reply to a rate-limited submission', () => {
  it('says when to try again', async () => {
    const clock = createTestClock();
    const env = { MEMBER_LIMIT: '1/600', GUILD_LIMIT: '2/1200' };
    const bot = await oneBot({ env });
    const guild = await bot.newGuild({ key: 'sandbox-key' });
    await addServer(guild.member, 'a.example.com:1');
    const soon = await addServer(guild.member, 'b.example.com:1');
    expect(textOf(soon)).toMatch(/Not sent: limit reached\. You can try again from \d+:\d+/);
    expect(textOf(soon)).not.toContain('Continue');
    expect(labelsOf(soon)).toEqual(['Submit again', 'Edit']);
    await addServer(guild.admin, 'c.example.com:1');
    const later = await addServer(guild.person({ role: 'other' }), 'd.example.com:1');
    expect(textOf(later)).toMatch(
      /this Discord server has reached its limit\. You can try again from \d+:\d+/,
    );
    expect(labelsOf(later)).toEqual(['Edit']);
    clock.advance(1_201_000);
    expect(textOf(await addServer(guild.member, 'b.example.com:1'))).toContain(ACCEPTED);
    expect(guild.listing.submitted).toHaveLength(3);
  });

  it.for([
    ['en-US', 'You can submit your next game server from {}.', 'You can try again from {}.'],
    ['de', 'Den nächsten Spielserver kannst du ab {} einreichen.', 'Wieder möglich ab {}.'],
    ['ja', '次のゲームサーバーは{}以降に申請できます。', '{}以降にもう一度試せます。'],
  ] as const)('shows the retry time as a Discord timestamp (in %s)', async ([locale, next, again]) => {
    const bot = await oneBot({ env: { MEMBER_LIMIT: '1/600' } });
    const guild = await bot.newGuild({ key: 'sandbox-key' });
    const member = guild.person({ locale });
    const begun = Date.now();
    const first = await addServer(member, 'a.example.com:1');
    const ended = Date.now();
    const second = await addServer(member, 'b.example.com:1');
    for (const [answer, sentence] of [
      [first, next],
      [second, again],
    ] as const) {
      const content = messageOf(answer).current?.content ?? '';
      const seconds = Number(/<t:(\d+):t>/.exec(content)?.[1]);
      expect(content).toContain(sentence.replace('{}', `<t:${seconds}:t>`));
      expect(seconds % 60).toBe(0);
      expect(seconds * 1000).toBeGreaterThanOrEqual(begun + 600_000);
      expect(seconds * 1000).toBeLessThan(ended + 660_000);
    }
  });
});

it('/addserver suggests only similarly named games if the game is unknown', async ({ member }) => {
  const unknown = await addServer(member, 'a.example.com:1', { game: 'fortnite' });
  expect(textOf(unknown)).toContain('unknown game fortnite');
  expect(componentsOf(unknown).map(({ label }) => label)).toEqual(['Edit']);
  const near = await addServer(member, 'a.example.com:1', { game: 'valheimm' });
  expect(componentsOf(near).map(({ label }) => label)).toEqual(['Submit as Valheim', 'Edit']);
});

it('/addserver treats an address that is just a number as a port', async ({ guild, member }) => {
  const reply = await addServer(member, '27015');
  expect(textOf(reply)).toContain('no address');
  const { typed } = await openModal(member, reply);
  expect(typed).toMatchObject({ server: '', port: '27015' });
  await edit(member, reply, { server: 'a.example.com' });
  await isAccepted(guild, reply, { server: 'a.example.com', port: '27015', game: 'cs2' });
});

describe("a game that the guild doesn't allow", () => {
  it('is rejected, and the allowed games are offered instead', async ({ guild, member }) => {
    await allowGames(guild, ['css']);
    const near = await addServer(member, 'a.example.com:1', { game: 'counter-strik' });
    expect(labelsOf(near)).toEqual(['Submit as Counter-Strike: Source', 'Edit']);
    expect(textOf(near)).not.toContain('Counter-Strike 2');
    const refused = await addServer(member, 'mc.example.com', { game: 'minecraft' });
    expect(textOf(refused)).toContain("⚠️ Not sent: the game minecraft isn't allowed here");
    // Another game needs a choice in the menu, because the game server runs the game that the member named.
    expect(labelsOf(refused)).toEqual(['Edit']);
    expect(textOf(refused)).toContain('Submit as…');
    const { modal } = await openModal(member, refused);
    expect(modalFields(modal.data)[0]).toMatchObject({
      kind: 'select',
      offers: [{ label: 'Counter-Strike: Source', value: 'css' }],
      value: undefined,
    });
    await edit(member, refused, { game: 'css', port: '1' });
    await isAccepted(guild, refused, { server: 'mc.example.com', port: '1', game: 'css' });
  });

  it('can be replaced with an allowed game from a select menu', async ({ guild, member }) => {
    await allowGames(guild, ['css', 'csgo', 'cs16', 'dayz', 'ark']);
    const refused = await addServer(member, 'many.example.com', { game: 'minecraft' });
    expect(labelsOf(refused)).toEqual(['Edit']);
    const options = componentsOf(refused).flatMap((component) => component.options ?? []);
    expect(options).toHaveLength(5);
    const dayz = options.find(({ value }) => value.endsWith(':dayz'))?.value ?? '';
    await member.pick(refused, [dayz]);
    await isAccepted(guild, refused, { server: 'many.example.com', port: '2302', game: 'dayz' });
  });
});

it('/addserver works as soon as the machine wakes from sleep', async () => {
  const clock = createTestClock();
  const guild = await (await oneBot()).newGuild({ key: 'sandbox-key' });
  clock.set(20 * 60_000);
  expect(textOf(await addServer(guild.member, 'slept.example.com:1'))).toContain(ACCEPTED);
});

describe("a member's input", () => {
  const GONE = /These buttons no longer work: a day has passed/;

  it('expires after a day, except in a form that is still open', async () => {
    const clock = createTestClock();
    const bot = await oneBot();
    const guild = await bot.newGuild({ key: 'sandbox-key' });
    const [first, second] = [
      await addServer(guild.member, 'a.example.com'),
      await addServer(guild.member, 'b.example.com'),
    ];
    const window = await openModal(guild.member, first);
    clock.advance(86_400_000);
    expect(textOf(await guild.member.press(second, 'Edit'))).toMatch(GONE);
    expect(labelsOf(second)).toEqual(['Edit']);
    expect(adds(guild)).toEqual([]);
    const reopened = await openModal(guild.member, second, 'Edit');
    expect(reopened.typed).toMatchObject({ game: 'Counter-Strike 2', server: 'b.example.com' });
    await says(await guild.member.submit(reopened.modal, { ...reopened.typed, port: '27015' }), ACCEPTED);
    await says(await guild.member.submit(window.modal, { ...window.typed, port: '27015' }), ACCEPTED);
  });

  it('is sent only once, even if the member also submits the Edit form', async ({ guild, member }) => {
    const answer = await addServer(member, 'once.example.com');
    const { modal, typed } = await openModal(member, answer);
    await member.press(answer, 'Submit with port 27015');
    await isAccepted(guild, answer, { server: 'once.example.com', port: '27015', game: 'cs2' });
    expect(textOf(await member.submit(modal, { ...typed, port: '27015' }))).toContain(
      'This was already submitted.',
    );
    expect(adds(guild)).toHaveLength(1);
  });
});

describe('a previously submitted server', () => {
  it("isn't resent while the first request is in progress", async ({ bot, admin, member, listing }) => {
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    await listing.behave({ kind: 'held', until }, 1);
    const first = addServer(member, 'flight.example.com:1');
    await expect.poll(() => addsOf(bot, 'flight.example.com').length).toBe(1);
    const rejected = await addServer(admin, 'flight.example.com:1');
    expect(textOf(rejected)).toContain(
      'Not sent: already on its way. Please wait for the first one to finish.',
    );
    expect(labelsOf(rejected)).toEqual(['Submit again', 'Edit']);
    goOn();
    expect(textOf(await first)).toContain(ACCEPTED);
    await admin.press(rejected, 'Submit again');
    await expect.poll(() => labelsOf(rejected)).toEqual(['Submit again anyway', 'Edit']);
    expect(addsOf(bot, 'flight.example.com')).toHaveLength(1);
  });

  it('can be resubmitted with a button or from another guild', async ({ bot, admin, member }) => {
    await addServer(admin, 'before.example.com:1');
    const warning = await addServer(member, 'before.example.com:1');
    expect(textOf(warning)).toMatch(
      /⚠️ Not sent: already submitted here\.\s+✅ sent for review · Counter-Strike 2 · .*(now|second).* · by @admin/,
    );
    expect(textOf(await addServer(admin, 'before.example.com:1'))).toContain('by you');
    const other = await bot.newGuild({ key: 'sandbox-key' });
    expect(textOf(await addServer(other.member, 'before.example.com:1'))).toContain(ACCEPTED);
    await member.press(warning, 'Submit again anyway');
    await says(warning, ACCEPTED);
    expect(addsOf(bot, 'before.example.com')).toHaveLength(3);
  });

  it("isn't resent without confirmation if its outcome is unknown", async ({
    bot,
    guild,
    member,
    listing,
  }) => {
    await listing.behave({ kind: 'reset', carriedOut: true }, 1);
    const unknown = await addServer(member, 'unknown.example.com:1');
    expect(textOf(unknown)).toContain(
      "It may have arrived. Ask an admin to check the listing service's site before you send it again.",
    );
    expect(labelsOf(unknown)).toEqual(['Submit again anyway', 'Edit']);
    await edit(member, unknown, {});
    await says(unknown, 'It may have arrived. Ask an admin');
    expect(addsOf(bot, 'unknown.example.com')).toHaveLength(1);
    expect(labelsOf(unknown)).toEqual(['Submit again anyway', 'Edit']);
    await member.press(unknown, 'Submit again anyway');
    await isAccepted(guild, unknown, { server: 'unknown.example.com', port: '1', game: 'cs2' });
  });
});
