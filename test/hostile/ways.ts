import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { postComponents } from '../support/people.ts';
import { postPanel, throughPanel } from './panel.ts';
import type { Random } from './random.ts';
import { anyCustomId } from './texts.ts';
import type { World } from './world.ts';

/** An input through which a member can send text. */
export interface Way {
  readonly name: string;
  /** How likely this input is to be chosen. */
  readonly weight: number;
  /**
   * The maximum length. For typed text, it is the number of UTF-16 units that Discord allows. For files, it is the number
   * of bytes that the bot reads.
   */
  readonly most: number;
  /** Creates random text for this input. The default is `anyText` from texts.ts. */
  anyText?(random: Random): string;
  use(world: World, person: Person, text: string): Promise<Answer | Suggested>;
}

/** The suggestions that Discord shows while a user types. */
export type Suggested = Awaited<ReturnType<Person['complete']>>;

/** How many bytes of a file /addservers reads. */
const MOST_OF_FILE = 256 * 1024;

const fileOf = (weight: number, ending: string, encoding: BufferEncoding = 'utf8'): Way => ({
  name: `a file .${ending} in ${encoding}`,
  weight,
  most: MOST_OF_FILE,
  use: (_, person, text) =>
    person.slash('addservers', { file: { filename: `list.${ending}`, bytes: Buffer.from(text, encoding) } }),
});

const optionOf = (weight: number, command: string, option: string, most: number): Way => ({
  name: `${option} of /${command}`,
  weight,
  most,
  use: (_, person, text) => {
    const others = command === 'addserver' ? { game: 'cs2', server: 's.example.com:27015' } : {};
    return person.slash(command, { ...others, [option]: text || 'a' });
  },
});

const completionOf = (weight: number, command: string, option: string, most: number): Way => ({
  name: `${option} of /${command}, while typing`,
  weight,
  most,
  use: (_, person, text) => person.complete(command, option, { [option]: text }),
});

export const WAYS: readonly Way[] = [
  fileOf(7, 'txt'),
  fileOf(7, 'csv'),
  fileOf(7, 'json'),
  fileOf(2, 'txt', 'utf16le'),
  fileOf(2, 'csv', 'latin1'),
  {
    name: 'a pasted text',
    weight: 20,
    most: 4_000,
    use: async (_, person, text) => {
      const opened = await person.slash('addservers');
      return opened.kind === 'modal' ? person.submit(opened.modal, { servers: text || 'a' }) : opened;
    },
  },
  {
    name: 'a text and a file in the window of a panel',
    weight: 8,
    most: MOST_OF_FILE,
    use: (world, person, text) =>
      throughPanel(world, person, 'Submit a list', {
        servers: text.slice(0, 3_000).toWellFormed(),
        file: { filename: 'list.txt', bytes: Buffer.from(text) },
      }),
  },
  {
    name: 'an address in the window of a panel',
    weight: 6,
    most: 500,
    use: (world, person, text) =>
      throughPanel(world, person, 'Submit a game server', {
        game: 'cs2',
        server: text.replace(/[\r\n]/g, ' ') || 'a',
        port: text.replace(/[\r\n]/g, ' ').slice(0, 20),
      }),
  },
  {
    name: "an admin's text on a panel",
    weight: 3,
    most: 500,
    use: (world, person, text) => postPanel(world, person.guildId, text),
  },
  {
    name: 'a message',
    weight: 6,
    most: 2_000,
    use: ({ discord }, person, text) =>
      person.useOnMessage('Submit servers', discord.say(person, text || 'a')),
  },
  optionOf(10, 'addserver', 'server', 6_000),
  optionOf(6, 'addserver', 'game', 100),
  optionOf(5, 'games', 'search', 60),
  optionOf(2, 'submissions', 'server', 45),
  completionOf(6, 'addserver', 'game', 6_000),
  completionOf(6, 'games', 'search', 60),
  {
    name: 'a forged button',
    weight: 8,
    most: 100,
    anyText: anyCustomId,
    use: async (world, person, text) => {
      const button = { type: 2, style: 1, label: 'Go', custom_id: text.toWellFormed() || 'x' };
      const row = { type: 1, components: [button] };
      const message = await postComponents(world, person.channelId, [row]);
      return message
        ? person.press(message, 'Go')
        : { kind: 'rejected', why: 'Discord limits what is posted' };
    },
  },
];
