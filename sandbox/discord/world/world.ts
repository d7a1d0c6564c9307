import type { APIUser } from 'discord.js';
import { createClock } from './clock.ts';
import { createCommands } from './commands.ts';
import { createDirectMessages } from './direct-messages.ts';
import { createFiles } from './files.ts';
import { createGuilds } from './guilds.ts';
import { createInteractions, type Interaction, type InteractionEvent } from './interactions.ts';
import { createMessages, type MessageEvent } from './messages.ts';
import { createSnowflakes } from './snowflakes.ts';
import { userObject } from './users.ts';

interface WorldOptions {
  readonly botName: string;
  /** Returns the beginning of all attachment URLs, once the port is known. */
  readonly origin: () => string;
  /** How long the bot may take to send the first response to an interaction, in milliseconds. */
  readonly answerWithinMs: number;
  readonly botTime: () => number;
  readonly onLate: (interaction: Interaction, afterMs: number) => void;
  readonly onEvent: (event: MessageEvent | InteractionEvent) => void;
}

export type World = ReturnType<typeof createWorld>;

/** Creates the state that the REST API, the gateway and the simulated users share. */
export function createWorld({ botName, origin, onEvent, ...answers }: WorldOptions) {
  const clock = createClock();
  const snowflakes = createSnowflakes(clock);
  const applicationId = snowflakes.next();
  const guilds = createGuilds({ snowflakes });
  guilds.add({ name: 'First server' });
  guilds.add({ name: 'Second server' });
  const interactions = createInteractions({ clock, snowflakes, onEvent, ...answers });

  return {
    clock,
    snowflakes,
    /** The same id as the bot user's, as for all newer applications. */
    applicationId,
    // Unlike users, bots still have a discriminator and don't have a display name.
    bot: {
      ...userObject({ id: applicationId, name: botName }),
      discriminator: '4711',
      global_name: null,
      bot: true,
    } satisfies APIUser,
    guilds,
    directMessages: createDirectMessages({ snowflakes }),
    commands: createCommands({ snowflakes, applicationId }),
    interactions,
    messages: createMessages({ onEvent }),
    files: createFiles({ clock, snowflakes, origin }),
    close(): void {
      interactions.abandon();
      clock.stop();
    },
  };
}
