import type {
  APIApplicationCommandOptionChoice,
  APIModalInteractionResponseCallbackData,
  ApplicationCommandType,
  InteractionType,
} from 'discord.js';
import type { Clock } from './clock.ts';
import { createLatest } from './latest.ts';
import type { SeenMessage } from './messages.ts';
import { interactionIdOf, interactionToken, type Snowflakes } from './snowflakes.ts';

/**
 * The bot must send the first response within 3 seconds. After that, it can edit the response and send follow-ups for 15
 * minutes (Discord docs: Receiving and Responding).
 */
export const ANSWER_WITHIN_MS = 3_000;
export const TOKEN_LIVES_MS = 15 * 60_000;

/** The bot's response, as the user's client receives it. */
export type Acknowledgement =
  | { readonly type: 'message'; readonly message: SeenMessage }
  | { readonly type: 'update'; readonly message: SeenMessage; readonly deferred: boolean }
  | { readonly type: 'choices'; readonly choices: readonly APIApplicationCommandOptionChoice[] }
  | { readonly type: 'modal'; readonly modal: APIModalInteractionResponseCallbackData }
  | { readonly type: 'lost' };

/** A user's action that starts an interaction. */
export interface NewInteraction {
  readonly kind: Exclude<InteractionType, InteractionType.Ping>;
  readonly userId: string;
  readonly userName: string;
  readonly channelId: string;
  readonly guildId: string;
  /** The command that Discord shows above the reply. */
  readonly command?: { readonly name: string; readonly type: ApplicationCommandType };
  /** For a submitted modal, the interaction that opened it. */
  readonly openedBy?: Interaction;
  /** The message with the component, or the message that the modal was opened from. */
  readonly source?: SeenMessage | undefined;
}

export interface Interaction extends NewInteraction {
  readonly id: string;
  readonly token: string;
  readonly createdAt: number;
  /** When the interaction was sent to the bot, as measured by `botTime`. */
  readonly sentAt: number;
  /** The bot's response, or `undefined` if it hasn't responded yet. */
  acknowledged: Acknowledgement | undefined;
  /** The body of the first response, after Discord accepted it. */
  accepted: unknown;
  /** The message that `@original` refers to. */
  original: SeenMessage | undefined;
  readonly followUps: SeenMessage[];
  /** Resolves when the bot sends the next follow-up. */
  followedUp: PromiseWithResolvers<void>;
  /** Resolves with the bot's response, or with `lost` if the bot doesn't respond in time. */
  readonly answered: Promise<Acknowledgement>;
}

/** An interaction was sent to the bot, the bot responded, or the bot didn't respond in time. */
export interface InteractionEvent {
  readonly kind: 'interaction';
  readonly state: 'sent' | Acknowledgement['type'];
  readonly interaction: Interaction;
}

export function createInteractions(deps: {
  readonly clock: Clock;
  readonly snowflakes: Snowflakes;
  readonly answerWithinMs: number;
  readonly botTime: () => number;
  /** Called if a first response was accepted, but would have been too late for the real Discord. */
  readonly onLate: (interaction: Interaction, afterMs: number) => void;
  readonly onEvent: (event: InteractionEvent) => void;
}) {
  const { clock, snowflakes, answerWithinMs, botTime, onLate, onEvent } = deps;
  const latest = createLatest<Interaction>();
  const waiting = new Map<Interaction, (how: Acknowledgement) => void>();

  function acknowledge(interaction: Interaction, how: Acknowledgement): void {
    interaction.acknowledged = how;
    const afterMs = botTime() - interaction.sentAt;
    if (how.type !== 'lost' && afterMs > ANSWER_WITHIN_MS) onLate(interaction, afterMs);
    waiting.get(interaction)?.(how);
    waiting.delete(interaction);
    onEvent({ kind: 'interaction', state: how.type, interaction });
  }

  return {
    /** Stores a new interaction and starts the time limit for the bot's response. */
    open(about: NewInteraction): Interaction {
      const id = snowflakes.next();
      const { promise, resolve } = Promise.withResolvers<Acknowledgement>();
      const interaction: Interaction = {
        ...about,
        id,
        token: interactionToken(id),
        createdAt: clock.now(),
        sentAt: botTime(),
        acknowledged: undefined,
        accepted: undefined,
        original: undefined,
        followUps: [],
        followedUp: Promise.withResolvers<void>(),
        answered: promise,
      };
      latest.set(id, interaction);
      const cancel = clock.setTimeout(() => acknowledge(interaction, { type: 'lost' }), answerWithinMs);
      waiting.set(interaction, (how) => {
        cancel();
        resolve(how);
      });
      onEvent({ kind: 'interaction', state: 'sent', interaction });
      return interaction;
    },
    get: (id: string) => latest.get(id),
    byToken(token: string): Interaction | undefined {
      const interaction = latest.get(interactionIdOf(token));
      return interaction?.token === token ? interaction : undefined;
    },
    followUp(interaction: Interaction, message: SeenMessage): void {
      interaction.followUps.push(message);
      const { resolve } = interaction.followedUp;
      interaction.followedUp = Promise.withResolvers<void>();
      resolve();
    },
    acknowledge,
    expired: ({ createdAt }: Interaction) => clock.now() - createdAt > TOKEN_LIVES_MS,
    /** Stops waiting for responses to all interactions, because the stand-in is closing. */
    abandon(): void {
      for (const interaction of waiting.keys()) acknowledge(interaction, { type: 'lost' });
    },
  };
}
