import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { modalFields } from '../../sandbox/prompt/modal-line.ts';
import { createTestClock } from '../support/clock.ts';
import { labelsOf, lines, upload } from '../support/lists.ts';
import {
  inAppScene,
  inNewGuild,
  messageOf,
  modalOf,
  openAppScene,
  type Scene,
  textOf,
} from '../support/scene.ts';

/** What changes between what a member was shown and what they press. */

let bot: Scene;
beforeAll(async () => {
  bot = await openAppScene();
});
afterAll(() => bot.close());

const WORDS = [
  {
    locale: 'en-US',
    submit: 'Submit 3 game servers',
    edit: 'Edit',
    use: 'Use 27015',
    again: 'Try again',
    noKey: 'This Discord server has no API key',
    someLeft: /1 sent for review.*2 not sent: wait until/s,
    noneLeft: 'you have 0 left today',
    listGone: 'This list is no longer there: it was submitted or cancelled, or it is older than 15 minutes.',
    typedGone: 'What you typed is no longer kept',
    sent: '✅ Sent for review',
    once: 'works only once',
    portMissing: 'Add it with Edit, as in x.example.com:27015.',
    notPublic: 'is a private address',
    tooHigh: 'Port 99999 is above 65535',
  },
  {
    locale: 'de',
    submit: '3 Spielserver absenden',
    edit: 'Bearbeiten',
    use: '27015 nehmen',
    again: 'Erneut versuchen',
    noKey: 'Dieser Discord-Server hat keinen API-Schlüssel',
    someLeft: /1 zur Prüfung gesendet.*2 nicht gesendet: erst ab/s,
    noneLeft: 'du hast heute keinen mehr frei',
    listGone:
      'Diese Liste ist nicht mehr da: Sie wurde eingereicht oder abgebrochen, oder sie ist älter als 15 Minuten.',
    typedGone: 'Was du eingegeben hast, ist nicht mehr da',
    sent: '✅ Zur Prüfung gesendet',
    once: 'geht nur einmal',
    portMissing: 'Ergänze ihn mit Bearbeiten, etwa x.example.com:27015.',
    notPublic: 'ist eine private Adresse',
    tooHigh: 'Port 99999 liegt über 65535',
  },
] as const;

const send = (person: Person, content: string) =>
  person.slash('addservers', { file: upload('list.txt', content) });
const add = (person: Person, server: string, game = 'cs2') => person.slash('addserver', { game, server });
const adds = ({ listing }: Scene) => listing.requests.filter(({ action }) => action === 'add');
const says = (answer: Answer, text: string | RegExp) =>
  expect
    .poll(() => textOf(answer))
    .toMatch(typeof text === 'string' ? new RegExp(RegExp.escape(text)) : text);

async function setQuota(admin: Person, quota: string): Promise<void> {
  const modal = modalOf(await admin.press(messageOf(await admin.slash('settings')), 'Daily quota …'));
  await admin.submit(modal, { quota });
}

it('the allowed games were chosen: they alone are on the next page of /games, in the select of a message, and by name', async () => {
  const own = await inNewGuild(bot, { key: 'sandbox-key' });
  const page = await own.member.slash('games');
  bot.discord.clock.advance(1_000);
  const settings = messageOf(await own.admin.slash('settings'));
  await own.admin.press(settings, 'Games …');
  await own.admin.pick(settings, ['Counter-Strike 2', 'Factorio']);
  await own.member.press(messageOf(page), 'Next');
  await says(page, /2 games\n.*Counter-Strike 2.*Factorio.*Only the games that the admins/s);
  const use = () =>
    own.member.useOnMessage('Submit servers', bot.discord.say(own.admin, 'play at m.example.com:27015'));
  const found = await use();
  const shown = JSON.stringify(messageOf(found).current?.components);
  expect([...shown.matchAll(/"value":"(\w+)"/g)].map(([, alias]) => alias)).toEqual(['cs2', 'factorio']);
  expect(labelsOf(found)).not.toContain('Another game');
  await bot.restart();
  const after = JSON.stringify(messageOf(await use()).current?.components);
  expect([...after.matchAll(/"value":"(\w+)"/g)].map(([, alias]) => alias)).toEqual(['cs2', 'factorio']);
});

describe.each(WORDS)('between what was shown and the press ($locale)', (words) => {
  const { locale } = words;

  it('the key was removed: nothing leaves, and the list goes once there is one', async () => {
    const own = await inNewGuild(bot, { key: 'sandbox-key' });
    const person = own.person({ locale });
    const preview = await send(person, lines(3));
    const before = adds(bot).length;
    await own.admin.press(messageOf(await own.admin.slash('removekey')), 'Remove the key');
    await person.press(messageOf(preview), words.submit);
    await says(preview, words.noKey);
    expect(labelsOf(preview)).toContain(words.submit);
    expect(adds(bot)).toHaveLength(before);
    const modal = modalOf(await own.admin.slash('setkey'));
    await own.admin.submit(modal, { [modalFields(modal.data)[0]?.id ?? '']: 'sandbox-key-1234' });
    await person.press(messageOf(preview), words.submit);
    await says(preview, /3 (?:sent for review|zur Prüfung gesendet)/);
  });

  it('the quota was used: what still fits goes, and of the rest nothing is lost', async () => {
    const own = await inNewGuild(bot, { key: 'sandbox-key' });
    const person = own.person({ locale });
    await setQuota(own.admin, '3');
    const preview = await send(person, lines(3));
    const single = await add(person, 'later.example.com');
    for (const n of [1, 2]) await add(person, `used${n}.example.com:1`);
    await person.press(messageOf(preview), words.submit);
    await says(preview, words.someLeft);
    expect(labelsOf(preview)).toContain(words.edit);
    await person.press(messageOf(single), words.use);
    await says(single, words.noneLeft);
    expect(labelsOf(single)).toEqual([words.again, words.edit]);
  });

  it('sixteen minutes went by: that is said, and what stands in an open window still goes', () => {
    const clock = createTestClock();
    return inAppScene({ key: 'sandbox-key' }, async (own) => {
      const person = own.person({ locale });
      const preview = await send(person, `${lines(3)}\nx.example.com:0 cs2`);
      const [first, second] = [await add(person, 'a.example.com'), await add(person, 'b.example.com')];
      const list = modalOf(await person.press(messageOf(preview), words.edit));
      const window = modalOf(await person.press(messageOf(first), words.edit));
      clock.advance(16 * 60_000);
      expect(textOf(await person.press(messageOf(preview), words.submit))).toContain(words.listGone);
      expect(textOf(await person.press(messageOf(second), words.use))).toContain(words.typedGone);
      expect(adds(own)).toEqual([]);
      const typed = { game: 'cs2', server: 'a.example.com', port: '27015', query_port: '' };
      await says(await person.submit(window, typed), words.sent);
      const corrected = await person.submit(list, { servers: '4. x.example.com:5 cs2' });
      await says(corrected, words.listGone);
      await expect
        .poll(() => labelsOf(corrected).some((label) => /^Submit 1|^1 .* absenden/.test(label)))
        .toBe(true);
    });
  });

  it('the same button was pressed: what was not sent goes once', async () => {
    const own = await inNewGuild(bot, { key: 'sandbox-key' });
    const person = own.person({ locale });
    const host = `twice-${locale}.example.com:1`.toLowerCase();
    await bot.listing.behave({ kind: 'down' });
    const message = await add(person, host);
    expect(labelsOf(message)).toEqual([words.again, words.edit]);
    await bot.listing.behave({ kind: 'ok' });
    const before = bot.listing.submitted.length;
    const presses = await Promise.all([1, 2].map(() => person.press(messageOf(message), words.again)));
    await says(message, words.sent);
    expect(presses.map(textOf).filter((text) => text.includes(words.once))).toHaveLength(1);
    expect(bot.listing.submitted).toHaveLength(before + 1);
  });

  it('a game without a usual port offers Edit alone, which takes as many tries as it needs', async () => {
    const own = await inNewGuild(bot, { key: 'sandbox-key' });
    const person = own.person({ locale });
    const message = await add(person, 'x.example.com', 'factorio');
    expect(textOf(message)).toContain(words.portMissing);
    const tries = [
      ['192.168.0.1:5', words.notPublic],
      ['x.example.com:99999', words.tooHigh],
      [`right-${locale}.example.com:34197`, words.sent],
    ] as const;
    let typed = 'x.example.com';
    for (const [server, text] of tries) {
      expect(labelsOf(message)).toEqual([words.edit]);
      const modal = modalOf(await person.press(messageOf(message), words.edit));
      expect(modalFields(modal.data).map(({ value = '' }) => value)).toEqual(['factorio', typed, '', '']);
      await person.submit(modal, { game: 'factorio', server, port: '', query_port: '' });
      await says(message, text);
      typed = server;
    }
    expect(labelsOf(message)).toEqual([]);
  });
});
