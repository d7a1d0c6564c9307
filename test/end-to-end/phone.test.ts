import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Person, SeenModal } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { isFinished } from '../../sandbox/prompt/show.ts';
import { chooseLogChannel, staffChannel } from '../support/guild-log.ts';
import { labelsOf, lines, upload } from '../support/lists.ts';
import { listLines, tooWide } from '../support/phone.ts';
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
  scene = await openAppScene({
    env: {
      MEMBER_LIMIT: '5000/3600',
      GUILD_LIMIT: '20000/3600',
      LISTING_NAME: 'Game List',
      LISTING_URL: 'https://list.example.com/?server={address}',
    },
  });
});
/** Rule 9: nobody is as fast, so Discord tells the bot that it asks too often. */
afterAll(() => scene.close({ breaches: [9] }));

/** What Discord takes as the title or a label of a window, and as what stands in a field or below its label. */
const MOST = { title: 45, label: 45, description: 100, placeholder: 100 } as const;

/** Everything of a window that has a limit of its own, and is over it. */
function tooLong({ data }: SeenModal): readonly string[] {
  const found: string[] = [];
  JSON.stringify(data, (key, value: unknown) => {
    const most = Object.entries(MOST).find(([name]) => name === key)?.[1];
    if (typeof value === 'string' && most !== undefined && [...value].length > most) found.push(value);
    return value;
  });
  return found;
}

const LANGUAGES = [
  {
    locale: 'en-US',
    edit: 'Edit',
    quota: 'Daily quota …',
    games: 'Games …',
    again: 'Submit again',
    use: 'Use 27015',
  },
  {
    locale: 'de',
    edit: 'Bearbeiten',
    quota: 'Tageskontingent …',
    games: 'Spiele …',
    again: 'Noch einmal einreichen',
    use: '27015 nehmen',
  },
] as const;

describe.each(LANGUAGES)('on a phone ($locale)', ({ locale, ...labels }) => {
  let own: Scene;
  let admin: Person;
  let member: Person;
  beforeAll(async () => {
    own = await inNewGuild(scene);
    admin = own.person({ role: 'admin', locale });
    member = own.person({ locale });
  });

  /** That message, which must be narrow. */
  function narrow(answer: Answer): SeenMessage {
    const message = messageOf(answer);
    expect(tooWide(message), textOf(answer)).toEqual([]);
    return message;
  }
  /** That window, nothing of which may be cut off. */
  function short(answer: Answer): SeenModal {
    const modal = modalOf(answer);
    expect(tooLong(modal)).toEqual([]);
    return modal;
  }
  /** That message and what it becomes until nothing more is to come. */
  async function narrowToTheEnd(
    answer: Answer,
  ): Promise<{ readonly message: SeenMessage; readonly bars: number }> {
    const message = messageOf(answer);
    for (let bars = 0; ; bars += 1) {
      const change = message.changed();
      narrow(answer);
      if (isFinished(message)) return { message, bars };
      await change;
    }
  }
  const add = async (server: string, game = 'cs2') =>
    narrow(await member.slash('addserver', { game, server }));

  it('/help, /setkey, /keystatus and /settings have narrow lists, without a key and with one', async () => {
    for (const person of [admin, member])
      expect(listLines(narrow(await person.slash('help'))).length).toBeGreaterThan(5);
    for (const command of ['keystatus', 'settings', 'games', 'privacy', 'submissions'])
      narrow(await admin.slash(command));
    short(await admin.slash('setkey'));
    narrow(await setKey(admin, 'sandbox-key'));
    for (const person of [admin, member]) narrow(await person.slash('help'));
    narrow(await admin.slash('keystatus'));
  });

  it('/settings stays narrow whatever is set', async () => {
    await chooseLogChannel(own);
    scene.discord.guildEvents.addRole(
      { id: own.admin.guildId, name: '', channelId: '' },
      { name: 'helpers', mentionable: true },
    );
    const settings = narrow(await admin.slash('settings'));
    expect(listLines(settings)).toHaveLength(6);
    narrow(await admin.pick(settings, ['@helpers']));
    await admin.submit(short(await admin.press(settings, labels.quota)), { quota: '4' });
    const games = narrow(await admin.press(settings, labels.games));
    narrow(await admin.pick(games, ['ARK: Survival Ascended', 'ARK: Survival Evolved', 'Counter-Strike 2']));
    const [back = ''] = labelsOf({ kind: 'message', message: games }).slice(-1);
    expect(listLines(narrow(await admin.press(games, back)))).toHaveLength(6);
    narrow(await admin.pick(narrow(await admin.press(settings, labels.games)), []));
  });

  it('a game server is narrow from the first try to /submissions, and so is the window that corrects it', async () => {
    const noPort = await add('phone.example.com');
    await narrowToTheEnd(await member.press(noPort, labels.use));
    const before = await add('phone.example.com:27015');
    expect(labelsOf({ kind: 'message', message: before })).toContain(labels.again);
    await add('phone.example.com:27015', 'minecarft');
    const refused = await add('192.168.0.4:27015');
    short(await member.press(refused, labels.edit));
    await own.listing.behave({ kind: 'status', status: 500 }, 1);
    await add('unknown.example.com:27015');
    for (const person of [member, admin]) narrow(await person.slash('submissions'));
  });

  it('a list is narrow in its preview, its window, its progress and its report', async () => {
    const wrong = [
      'a.example.com cs2',
      '10.0.0.7:1 rust',
      'b.example.com:1 counterstrik',
      'c.example.com:1',
      'd:0 cs2',
    ];
    const list = [
      ...wrong,
      ...lines(250).replaceAll('.example', `.${locale.toLowerCase()}.example`).split('\n'),
    ].join('\n');
    short(await member.slash('addservers'));
    await admin.submit(modalOf(await admin.press(messageOf(await admin.slash('settings')), labels.quota)), {
      quota: '240',
    });
    const preview = narrow(await member.slash('addservers', { file: upload('list.txt', list) }));
    short(await member.press(preview, labels.edit));
    const submit = labelsOf({ kind: 'message', message: preview }).find((label) => /\d/.test(label)) ?? '';
    await own.listing.behave({ kind: 'slow', ms: 100 });
    const pressed = await member.press(preview, submit);
    const { message, bars } = await narrowToTheEnd(pressed);
    await own.listing.behave({ kind: 'ok' });
    expect(bars).toBeGreaterThan(0);
    // Sent, to wait for another day, and not to be sent at all.
    expect(listLines(message).filter((line) => /^[✅⚠]/u.test(line)).length).toBeGreaterThan(1);
    expect(labelsOf({ kind: 'message', message })).toContain(labels.edit);
  });

  it('the log channel has entries of sentences, and no table', async () => {
    const entries = () => scene.discord.messages({ channelId: staffChannel(own) });
    await expect.poll(() => entries().length).toBeGreaterThan(2);
    for (const message of entries()) narrow({ kind: 'message', message });
  });
});
