import assert from 'node:assert/strict';
import { expect } from 'vitest';
import type { Answer, Person, SeenModal } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import { isFinished } from '../../sandbox/prompt/show.ts';
import { escapeText } from '../../src/words/escape.ts';
import { createWords, type Translate } from '../../src/words/words.ts';
import { botTest, messageOf, modalOf, setKey } from '../support/bot.ts';
import {
  addServer,
  labelsOf,
  lines,
  openSettings,
  paste,
  sendFile,
  staffChannel,
} from '../support/people.ts';
import { faultsOf, PSEUDO_LOCALE, textsOf, withPseudoLanguage } from '../words/pseudo-language.ts';

/*
 * An admin's and a member's first day, in several languages and a pseudo-language. The tests check every message and every
 * modal along the way.
 */

/** Names that aren't translated, longest first. */
const NAMES = [
  ...SANDBOX_GAMES.flatMap(({ name }) => [name, escapeText(name)]),
  'minecarft',
  'play.example.com:27015 cs2',
].toSorted((one, other) => other.length - one.length);

const it = botTest({
  key: null,
  languages: withPseudoLanguage,
  env: {
    MEMBER_LIMIT: '5000/3600',
    LISTING_NAME: 'Game List',
    LISTING_URL: 'https://list.example.com/?server={address}',
  },
});

it.for([
  { locale: 'en-US', says: ['says:\n> ', '110 sent for review', 'Choose a log channel'] },
  { locale: 'de', says: ['sagt:\n> ', '110 zur Prüfung gesendet', 'Wähl einen Protokollkanal'] },
  // Russian has three plural forms.
  {
    locale: 'ru',
    says: [
      'отвечает:\n> ',
      'Отправлено на проверку: 110.',
      'Выберите канал, который может читать только ваша команда',
    ],
  },
  // Japanese has no plural forms, and its characters are twice as wide.
  {
    locale: 'ja',
    says: ['の回答：\n> ', '110件を審査に提出しました', 'チームだけが読めるチャンネルを選んで'],
  },
  { locale: PSEUDO_LOCALE, says: ['✅ ⟦'] },
])('an admin and a member can use every command in $locale', async ({ locale, says }, {
  bot,
  discord,
  listing,
}) => {
  const isPseudo = locale === PSEUDO_LOCALE;
  const faults = (shown: SeenMessage | SeenModal) => (isPseudo ? faultsOf(shown, NAMES) : []);
  const t: Translate = createWords({ name: 'Game List' }, withPseudoLanguage).wordsFor(locale);
  const guild = await bot.newGuild({ locale });
  const admin = guild.person({ role: 'admin', locale });
  const member = guild.person({ locale });
  /** Every message shown so far. */
  const seen: string[] = [];

  /** Records a reply and checks it for mistakes. */
  function good(answer: Answer): Answer {
    const shown = answer.kind === 'modal' ? answer.modal : messageOf(answer);
    seen.push(...textsOf(shown));
    expect(faults(shown)).toEqual([]);
    return answer;
  }
  const slash = async (person: Person, name: string, options = {}) => good(await person.slash(name, options));
  const pressed = async (person: Person, answer: Answer, label: string) =>
    good(await person.press(answer, label));
  const window = async (person: Person, answer: Answer, label: string) =>
    modalOf(await pressed(person, answer, label));
  const add = async (server: string, options = {}) => good(await addServer(member, server, options));
  /** Checks a reply and its edits until the reply is final. */
  async function toTheEnd(answer: Answer): Promise<Answer> {
    for (;;) {
      const change = messageOf(answer).changed();
      good(answer);
      if (isFinished(messageOf(answer))) return answer;
      await change;
    }
  }
  /** Sets up the bot as an admin. */
  async function setUp(): Promise<void> {
    for (const name of ['help', 'keystatus', 'settings', 'games', 'privacy', 'submissions', 'removekey'])
      await slash(admin, name);
    // Checks the modal without submitting it.
    good(await admin.slash('setkey'));
    const refused = good(await setKey(admin, 'wrong-key'));
    const again = await window(admin, refused, t('key.enter'));
    const saved = good(await admin.submit(again, { key: 'sandbox-key-1234' }));
    good(await admin.pick(saved, ['#staff']));
    const settings = good(await openSettings({ ...guild, admin }));
    const open = async (name: string) => good(await admin.pick(settings, [name]));
    const backToAll = () => pressed(admin, settings, t('settings.all'));
    discord.guildEvents.addRole(guild, { name: 'helpers', mentionable: true });
    await open(t('settings.role.name'));
    good(await admin.pick(settings, ['@helpers']));
    await backToAll();
    await open(t('settings.quota.name'));
    const quota = await window(admin, settings, t('settings.quota.change'));
    good(await admin.submit(quota, { quota: '4000' }));
    await backToAll();
    await open(t('settings.announce.name'));
    await pressed(admin, settings, t('settings.announceOnButton'));
    await backToAll();
    await open(t('settings.games.name'));
    good(await admin.pick(settings, ['ARK: Survival Ascended', 'ARK: Survival Evolved', 'Counter-Strike 2']));
    await pressed(admin, settings, t('settings.allowAll'));
    await backToAll();
    for (const name of [t('settings.log.name'), t('settings.approval.name'), t('settings.language.name')]) {
      await open(name);
      await backToAll();
    }
    const status = await slash(admin, 'keystatus');
    await pressed(admin, status, t('keystatus.check'));
    await pressed(admin, await slash(admin, 'removekey'), t('button.cancel'));
    good(await admin.submit(modalOf(await slash(admin, 'panel')), { text: '1 2 3.' }));
    const posted = discord.messages({ channelId: admin.channelId }).at(-1);
    assert(posted);
    const panel = good({ kind: 'message', message: posted });
    const panels = good(
      await admin.pick(await openSettings({ ...guild, admin }), [t('settings.panels.name')]),
    );
    await pressed(admin, panels, t('again.edit'));
    good(await admin.pick(panels, [t('panel.server'), t('panel.list')]));
    good(await admin.pick(panels, [t('panel.server'), t('panel.list'), t('panel.mine')]));
    for (const label of [t('panel.server'), t('panel.list'), t('panel.mine')]) {
      await pressed(member, panel, label);
    }
    await pressed(admin, await slash(admin, 'privacy'), t('privacy.erase'));
  }

  /** Submits a game server as a member, and corrects mistakes. */
  async function addOne(): Promise<void> {
    await slash(member, 'help');
    const games = await slash(member, 'games');
    await pressed(member, games, t('pager.next'));
    await slash(member, 'games', { search: 'nothing' });
    const server = `${locale}.example.com`.toLowerCase();
    const noPort = await add(server);
    await toTheEnd(await member.press(noPort, t('again.submitPort', { value: '27015' })));
    const before = await add(`${server}:27015`);
    expect(labelsOf(before)).toContain(t('again.sendAnyway'));
    await add(`${server}:1`, { game: 'minecarft' });
    const refused = await add('192.168.0.4:27015');
    const window_ = await window(member, refused, t('again.edit'));
    await listing.behave({ kind: 'status', status: 500 }, 1);
    good(await member.submit(window_, { game: 'cs2', server, port: '2', query_port: '' }));
    await listing.behave({ kind: 'down' });
    await add(`${server}:4`);
    await listing.behave({ kind: 'ok' });
    await pressed(member, await slash(member, 'submissions'), t('submissions.export'));
    const body = { status: 'error', message: 'Invalid game alias provided.' };
    await listing.behave({ kind: 'json', status: 200, body }, 1);
    await add(`${server}:3`);
  }

  /** Submits a list and a message's servers as a member. */
  async function addLists(): Promise<void> {
    const wrong = [
      'a.example.com cs2',
      '10.0.0.7:1 rust',
      'b.example.com:1 counterstrik',
      'c.example.com:1',
      'd:0 cs2',
    ];
    good(await member.slash('addservers'));
    good(await paste(member, '['));
    const zone = `.${locale.toLowerCase()}.example`;
    const list = [
      ...wrong,
      `${locale}.example.com:27015 cs2`,
      ...lines(110).replaceAll('.example', zone).split('\n'),
    ];
    const preview = good(await sendFile(member, list.join('\n')));
    const fixes = [...wrong.keys()].map((index) => t('again.fix', { count: index + 1 }));
    const openToFix = () =>
      window(member, preview, labelsOf(preview).find((label) => fixes.includes(label)) ?? '');
    await openToFix();
    await listing.behave({ kind: 'slow', ms: 100 });
    await toTheEnd(await member.press(preview, t('list.button.submit', { count: 110 })));
    await listing.behave({ kind: 'ok' });
    await openToFix();
    const found = good(
      await member.useOnMessage('Submit servers', discord.say(member, 'm.example.com:1, 10.0.0.3:1')),
    );
    await window(member, found, t('list.button.game'));
    await pressed(member, good(await member.pick(found, ['cs2'])), t('button.cancel'));
    const question = await pressed(member, await slash(member, 'privacy'), t('privacy.deleteName'));
    await pressed(member, question, t('privacy.deleteName'));
  }

  /** Replaces a key that the service has rejected, as an admin. */
  async function renewKey(): Promise<void> {
    listing.revoke('sandbox-key-1234');
    await add(`${locale}-refused.example.com:1`);
    for (const name of ['help', 'settings', 'keystatus']) await slash(admin, name);
    const rejected = good(await addServer(admin, `${locale}-refused.example.com:1`));
    const key = await window(admin, rejected, t('key.enter'));
    listing.allow('sandbox-key-1234');
    good(await admin.submit(key, { key: 'sandbox-key-1234' }));
    await toTheEnd(await admin.press(rejected, t('again.submitAgain')));
    const removed = await pressed(admin, await slash(admin, 'removekey'), t('removekey.confirm'));
    expect(labelsOf(removed)).toEqual([t('key.enter')]);
  }

  /** Checks that the log channel reported everything in the guild's language. */
  async function readLogChannel(): Promise<void> {
    const entries = () => discord.messages({ channelId: staffChannel(guild) });
    await expect.poll(() => entries().length).toBeGreaterThan(2);
    const missing = () => {
      const texts = [...seen, ...entries().flatMap(textsOf)].join('\n').replaceAll('**', '');
      return says.filter((words) => !texts.includes(words));
    };
    await expect.poll(missing).toEqual([]);
    const namesInEntries = [...NAMES, '@member', '@admin'];
    if (isPseudo) expect(entries().flatMap((entry) => faultsOf(entry, namesInEntries))).toEqual([]);
  }

  await setUp();
  await addOne();
  await addLists();
  await renewKey();
  await readLogChannel();
});
