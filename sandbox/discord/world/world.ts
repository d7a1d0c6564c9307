import type { APIUser } from 'discord.js';
import { type Clock, createClock } from './clock.ts';
import { type Commands, createCommands } from './commands.ts';
import { createFiles, type Files } from './files.ts';
import { createGuilds, type Guilds } from './guilds.ts';
import { createInteractions, type InteractionEvent, type Interactions } from './interactions.ts';
import { createMessages, type MessageEvent, type Messages } from './messages.ts';
import { createSnowflakes, type Snowflakes } from './snowflakes.ts';
import { userObject } from './users.ts';

/** Everything that is so at the moment, whoever asks: over REST, over the gateway, or as a member. */
export interface World {
  readonly clock: Clock;
  readonly snowflakes: Snowflakes;
  readonly bot: APIUser & { readonly bot: true };
  /** The same id as the bot user's, as with every newer application. */
  readonly applicationId: string;
  readonly guilds: Guilds;
  readonly commands: Commands;
  readonly interactions: Interactions;
  readonly messages: Messages;
  readonly files: Files;
  readonly channelExists: (id: string) => boolean;
  close(): void;
}

export interface WorldOptions {
  readonly botName: string;
  /** Where attachments are, asked for late because the port is known late. */
  readonly origin: () => string;
  /** How long the bot may take for the first response to an interaction, in milliseconds. */
  readonly answerWithinMs: number;
  readonly onEvent: (event: MessageEvent | InteractionEvent) => void;
}

export function createWorld({ botName, origin, answerWithinMs, onEvent }: WorldOptions): World {
  const clock = createClock();
  const snowflakes = createSnowflakes(clock);
  const applicationId = snowflakes.next();
  const guilds = createGuilds({ clock, snowflakes });
  guilds.add({ name: 'First guild' });
  guilds.add({ name: 'Second guild' });
  const interactions = createInteractions({ clock, snowflakes, answerWithinMs, onEvent });

  return {
    clock,
    snowflakes,
    applicationId,
    // Bots still have a discriminator, and no display name.
    bot: {
      ...userObject({ id: applicationId, name: botName }),
      discriminator: '4711',
      global_name: null,
      bot: true,
    },
    guilds,
    commands: createCommands({ snowflakes, applicationId }),
    interactions,
    messages: createMessages({ onEvent }),
    files: createFiles({ clock, snowflakes, origin }),
    channelExists: (id) => guilds.withChannel(id) !== undefined,
    close() {
      interactions.abandon();
      clock.stop();
    },
  };
}
