import type { APIUser } from 'discord.js';
import { type Clock, createClock } from './clock.ts';
import { type Commands, createCommands, createIntegrations, type Integrations } from './commands.ts';
import { createFiles, type Files } from './files.ts';
import { createGuilds, type Guilds } from './guilds.ts';
import { createInteractions, type InteractionEvent, type Interactions } from './interactions.ts';
import type { Bounds } from './latest.ts';
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
  readonly integrations: Integrations;
  readonly interactions: Interactions;
  readonly messages: Messages;
  readonly files: Files;
  /** Whether a channel may be preselected in a select; always so with `takesUnknownDefaults`. */
  readonly channelExists: (id: string) => boolean;
  /** For whoever still waits for something when the stand-in closes; the function returned takes it back. */
  onClose(listener: () => void): () => void;
  close(): void;
}

export interface WorldOptions {
  readonly botName: string;
  readonly cdnOrigin: () => string;
  readonly dailyLimitStatus: 400 | 429;
  readonly bounds: Bounds;
  /** How long the bot may take for the first response to an interaction, in milliseconds. */
  readonly answerWithinMs: number;
  readonly takesUnknownDefaults: boolean;
  readonly onEvent: (event: MessageEvent | InteractionEvent) => void;
}

export function createWorld(options: WorldOptions): World {
  const { botName, cdnOrigin, dailyLimitStatus, bounds, answerWithinMs, takesUnknownDefaults, onEvent } =
    options;
  const clock = createClock();
  const snowflakes = createSnowflakes(clock);
  const applicationId = snowflakes.next();
  const commands = createCommands({ clock, snowflakes, applicationId, dailyLimitStatus });
  const integrations = createIntegrations();
  commands.onForgotten((id) => integrations.forget(id));
  const guilds = createGuilds({ clock, snowflakes });
  guilds.add({ name: 'First guild' });
  guilds.add({ name: 'Second guild' });

  const interactions = createInteractions({ clock, snowflakes, bounds, answerWithinMs, onEvent });
  const closeListeners = new Set<() => void>();

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
    commands,
    integrations,
    interactions,
    messages: createMessages({ bounds, onEvent }),
    channelExists: (id) => takesUnknownDefaults || guilds.withChannel(id) !== undefined,
    files: createFiles({ clock, snowflakes, origin: cdnOrigin, bounds }),
    onClose(listener) {
      closeListeners.add(listener);
      return () => closeListeners.delete(listener);
    },
    close() {
      interactions.abandon();
      for (const listener of closeListeners) listener();
      clock.stop();
    },
  };
}
