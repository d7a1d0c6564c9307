import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import type { DiscordStandIn } from '../../sandbox/discord/contract.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import type { Command } from '../../src/discord/command.ts';
import { button, createSignedIds, customId, rows, select } from '../../src/discord/components/controls.ts';
import { createConnection } from '../../src/discord/connection.ts';
import { createDispatcher } from '../../src/discord/dispatch.ts';
import { createTraces } from '../../src/discord/traces.ts';
import { Secret } from '../../src/secret.ts';
import { createWords } from '../../src/words/words.ts';
import { type Line, recorder } from '../storage/temporary.ts';

const TOKEN = 'MTExMTExMTExMTExMTExMTEx.packet.a-token-of-the-packet-tests-1234567';

/** The connection and the dispatcher of the bot, with three commands that say what reached them. */
export interface SmallBot {
  readonly discord: DiscordStandIn;
  readonly log: readonly Line[];
  stop(): Promise<void>;
}

/** "Read" repeats a message's text; /echo what was typed, with a button and a select that say what was chosen. */
function commands(): readonly Command[] {
  const press = button(customId('echo', 'press'), 'Go', { style: 'primary' });
  const options = [{ label: 'a', value: 'a' }];
  const pick = select({ id: customId('echo', 'pick'), placeholder: 'Pick', options });
  return [
    {
      data: { type: ApplicationCommandType.Message, name: 'Read' },
      audience: 'member',
      useOn: async ({ text }) => ({ content: `read: ${text}` }),
    },
    {
      data: {
        type: ApplicationCommandType.ChatInput,
        name: 'echo',
        description: 'Echoes',
        options: [
          {
            type: ApplicationCommandOptionType.String,
            name: 'what',
            description: 'What',
            autocomplete: true,
            required: true,
          },
        ],
      },
      audience: 'member',
      complete: (_call, typed) => [{ name: `${typed}!`, value: 'v' }],
      run: async ({ options }) => ({
        content: `said: ${options.getString('what')}`,
        components: rows([press], [pick]),
      }),
      presses: {
        press: { answer: 'reply', run: async () => ({ content: 'pressed' }) },
        pick: { answer: 'reply', run: async ({ values }) => ({ content: `picked: ${values.join()}` }) },
      },
    },
  ];
}

export async function startSmallBot(): Promise<SmallBot> {
  const discord = await startDiscord({ token: TOKEN, reactionMs: 0 });
  const logger = recorder();
  const traces = createTraces({ logger });
  const dispatcher = createDispatcher({
    commands: commands(),
    ids: createSignedIds(new Secret(TOKEN)),
    wording: { ...createWords(), mention: (name) => name },
    memory: { remember: async () => true, forget: async () => undefined },
    traces,
    firstForAdmins: async () => undefined,
    tellGuild: async () => undefined,
    logger,
  });
  const connection = createConnection({
    apiUrl: discord.apiUrl,
    token: new Secret(TOKEN),
    ...createWords(),
    logger,
    onFatal: () => undefined,
  }).serve({
    commands: commands().map(({ data }) => data),
    onReady: async () => undefined,
    onInteraction: dispatcher.handle,
    drain: dispatcher.drain,
    onUse: [],
  });
  await Promise.all([discord.ready(), connection.start?.()]);
  return {
    discord,
    log: logger.lines,
    async stop() {
      await connection.stop?.();
      await discord.close();
    },
  };
}
