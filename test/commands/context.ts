import type { CommandDeps } from '../../commands/deps.ts';
import type { CommandContext, PressContext, SubmitContext } from '../../src/interactions/command.ts';
import { createWords } from '../../src/words/words.ts';

const { wordsFor, pages } = createWords();

/** Returns a context for any kind of interaction from an admin. */
export function anyContext(
  more: Partial<CommandContext & PressContext & SubmitContext> = {},
): CommandContext & PressContext & SubmitContext {
  return {
    interactionId: '1',
    receivedAt: Date.now(),
    guildId: '2',
    channelId: '3',
    isInThread: false,
    user: { id: '4', name: 'mia' },
    isAdmin: true,
    isAdministrator: false,
    roleIds: [],
    locale: 'en-US',
    guildLocale: 'de',
    t: wordsFor('en-US'),
    guildWords: async () => wordsFor('de'),
    mention: (name) => `/${name}`,
    message: undefined,
    panelChannelId: undefined,
    pages,

    argument: '',
    shown: { content: '', embeds: [], components: [] },
    posted: undefined,
    values: [],
    isRoleMentionable: true,
    progress: () => undefined,
    stopping: new AbortController().signal,
    file: () => undefined,
    field: () => '',
    ...more,
  };
}

/** Lets a test pass only the dependencies that a command needs. */
export const onlyDeps = (some: object): CommandDeps => some as CommandDeps;
