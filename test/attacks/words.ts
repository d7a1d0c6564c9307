import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { InteractionType } from 'discord.js';
import type { Answer } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { postButton } from '../support/forged-button.ts';
import { chooseLogChannel } from '../support/guild-log.ts';
import { rendered } from '../support/rendered.ts';
import { messageOf } from '../support/scene.ts';
import { type Arena, answered, type Campaign, file } from './arena.ts';

/** What nobody but the bot may make: by the names of the parser's rules and of our own checks. */
const ACTS = [
  'link',
  'url',
  'autolink',
  'invite',
  'everyone',
  'here',
  'mention',
  'email',
  'direction',
  'heading',
  'subtext',
];

const LURES = [
  '[Staff login](https://evil.example/x)',
  '[a] [Staff login](https://evil.example/x)',
  '<https://evil.example/x>',
  'https://evil.example/x',
  'discord.gg/abcdef',
  '@everyone @here',
  '# Official\n-# notice',
  '`[Staff](https://evil.example/x)',
  '\u202eelpmaxe.live//:sptth',
  '``` [Staff](https://evil.example/x) ```',
  '\\[Staff\\](https://evil.example/x)',
  '||[Staff](https://evil.example/x)||',
];

function textsOf({ current }: SeenMessage): readonly string[] {
  const embeds = current?.embeds ?? [];
  return [
    current?.content ?? '',
    ...embeds.flatMap(({ title = '', description = '', fields = [] }) => [
      title,
      description,
      ...fields.flatMap(({ name, value }) => [name, value]),
    ]),
  ];
}

function isInactive(message: SeenMessage, what: string): void {
  for (const text of textsOf(message)) {
    const acting = rendered(text).active.filter((kind) => ACTS.includes(kind));
    assert.deepEqual(acting, [], `${what} acts in: ${text}`);
  }
}

const check = (answer: Answer, what: string) => isInactive(messageOf(answered(answer, what)), what);

/** Everything that everybody can read in the attackers' guild. */
function publicMessages(arena: Arena): readonly SeenMessage[] {
  const [guild] = arena.discord.guilds;
  assert(guild);
  return arena.discord.channels(guild).flatMap(({ id }) => arena.discord.messages({ channelId: id }));
}

/** Members, admins and the service try to have the bot say what acts. */
export const WORDS: Campaign = {
  name: 'words',
  attacks: [
    {
      name: 'lures as a game, while the list is unknown',
      async prepare(arena) {
        await chooseLogChannel(arena);
        await arena.bot.stop();
        const database = new DatabaseSync(join(arena.data, 'bot.sqlite'));
        database.exec(`DELETE FROM keyv WHERE key LIKE 'games:%'`);
        database.close();
        arena.beHostile(
          ({ action }) => (action === 'games' ? { kind: 'status', status: 500 } : undefined),
          'everybody',
        );
        await arena.startBot();
      },
      async run(arena) {
        let n = 0;
        for (const lure of LURES) {
          n += 1;
          const game = lure.replaceAll('\n', ' ');
          check(await arena.member.slash('addserver', { game, server: `lure-${n}.example.com:27015` }), game);
        }
        for (const message of publicMessages(arena)) isInactive(message, 'a public message');
      },
    },
    {
      name: 'lures in the words of the service',
      async run(arena) {
        let n = 0;
        for (const status of ['error', 'success'])
          for (const lure of LURES) {
            n += 1;
            arena.beHostile(({ action }) =>
              action === 'add' ? { kind: 'json', status: 200, body: { status, message: lure } } : undefined,
            );
            check(
              await arena.member.slash('addserver', { game: 'cs2', server: `says-${n}.example.com:27015` }),
              lure,
            );
          }
        for (const message of publicMessages(arena)) isInactive(message, 'a public message');
      },
    },
    {
      name: 'formulas in a list',
      async run({ member }) {
        const starts = [
          '=',
          '+',
          '-',
          '@',
          '\u00a0=',
          '\ufeff=',
          '\u200b=',
          '\u202e=',
          '＝',
          '＋',
          '－',
          '＠',
          '\t=',
          ' =',
        ];
        const lines = starts.map((start) => `"${start}HYPERLINK(""https://evil.example"")",27015,cs2`);
        const preview = messageOf(
          await member.slash('addservers', { file: file('a.csv', lines.join('\n')) }),
        );
        const csv = preview.file('rejected.csv')?.toString();
        assert(csv, 'there is no rejected.csv');
        const cells = csv.replace(/^\ufeff/, '').split(/","|"\r\n"|^"/m);
        const live = cells.filter((cell) => /^[\s\p{Cf}\u00a0]*[=+\-@]/u.test(cell.normalize('NFKC')));
        assert.deepEqual(live, [], 'cells that a spreadsheet runs');
      },
    },
    {
      name: "another guild's channel as the log, by a forged select",
      async run(arena) {
        const { discord, admin } = arena;
        const [, other] = discord.guilds;
        assert(other);
        const settings = messageOf(await admin.slash('settings'));
        alterOwn(arena, ({ data, ...payload }) => ({
          ...payload,
          data: { ...data, values: [other.channelId] },
        }));
        try {
          answered(await admin.pick(settings, ['#staff']), 'the forged select');
        } finally {
          discord.gateway.disturbDispatch({});
        }
        const posts = discord.messages({ channelId: other.channelId });
        assert.equal(posts.length, 0, 'something was posted in another guild');
      },
    },
    {
      name: 'forged buttons',
      async run(arena) {
        const { discord, member } = arena;
        const known = [
          'settings:announce:on',
          'removekey:confirm:',
          'privacy:erase',
          'addservers:submit:1',
          '::',
        ];
        const ids = [
          ...known,
          ...known.map((id) => `${id}:AAAAAAAA`),
          ...['a', '💥', ':', '\0'].map((each) => each.repeat(100 / each.length)),
        ];
        const button = await postButton(arena, 0, 'x');
        for (const id of ids) {
          alterOwn(arena, ({ data, ...payload }) => ({ ...payload, data: { ...data, custom_id: id } }));
          answered(await member.press(button, 'Go'), `a button with the custom id ${id}`);
        }
        discord.gateway.disturbDispatch({});
      },
    },
  ],
};

interface Payload {
  readonly data: object;
}

/** What arrives at the bot of what people do with components in the attackers' guild. */
function alterOwn({ discord }: Arena, alter: (payload: Payload) => object): void {
  const own = discord.guilds[0]?.id;
  const isOwn = (payload: object): payload is Payload =>
    Object(payload).guild_id === own && Object(payload).type === InteractionType.MessageComponent;
  discord.gateway.disturbDispatch({ alter: (payload) => (isOwn(payload) ? alter(payload) : payload) });
}
