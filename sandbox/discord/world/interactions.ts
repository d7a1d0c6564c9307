import type { APIApplicationCommandOptionChoice, APIModalInteractionResponseCallbackData } from 'discord.js';
import type { Clock } from './clock.ts';
import { type Bounds, createLatest } from './latest.ts';
import type { StoredMessage } from './messages.ts';
import { interactionIdOf, interactionToken, type Snowflakes } from './snowflakes.ts';

/** Rule 25: an answer must come within 3 seconds, and (rule 39) may be edited and followed up for 15 minutes. */
export const ANSWER_WITHIN_MS = 3_000;
export const TOKEN_LIVES_MS = 15 * 60_000;

export type InteractionKind = 2 | 3 | 4 | 5;

/** How the bot answered, as the member's Discord hears it. */
export type Acknowledgement =
  | { readonly type: 'message'; readonly message: StoredMessage }
  | { readonly type: 'update'; readonly message: StoredMessage; readonly deferred: boolean }
  | { readonly type: 'choices'; readonly choices: readonly APIApplicationCommandOptionChoice[] }
  | { readonly type: 'modal'; readonly modal: APIModalInteractionResponseCallbackData }
  | { readonly type: 'lost' };

export interface Interaction {
  readonly id: string;
  readonly token: string;
  /** 2 command, 3 component, 4 autocomplete, 5 modal submit. */
  readonly kind: InteractionKind;
  readonly createdAt: number;
  readonly userId: string;
  readonly userName: string;
  readonly channelId: string;
  readonly guildId: string | undefined;
  /** What was run, for the message's `interaction_metadata` and its type. */
  readonly commandType: 1 | 2 | 3 | undefined;
  /** With its group and subcommand. */
  readonly commandName: string | undefined;
  /** What a user or message command was used on, as `interaction_metadata` names it. */
  readonly target: object | undefined;
  /** For a modal: what opened it. */
  readonly openedBy: Interaction | undefined;
  /** For autocomplete: the type of the option that is being typed. */
  readonly focusedOptionType: number | undefined;
  /** The message the component is on, or the modal was opened from. */
  readonly source: StoredMessage | undefined;
  /** Rule 43: installed for a user only, so at most five follow-ups. */
  readonly userInstallOnly: boolean;
  /** How it was answered; `undefined` while nobody did. */
  acknowledged: Acknowledgement | undefined;
  /** The message that `@original` means. */
  original: StoredMessage | undefined;
  readonly followUps: StoredMessage[];
  /** Resolves at the next follow-up. */
  followedUp: PromiseWithResolvers<void>;
  /** Resolves at the first answer, or as lost after 3 seconds. */
  readonly answered: Promise<Acknowledgement>;
}

export type NewInteraction = Omit<
  Interaction,
  'id' | 'token' | 'createdAt' | 'acknowledged' | 'original' | 'followUps' | 'followedUp' | 'answered'
>;

/** What became of something that a person did: it was sent to the bot, and then answered so, or by nothing in time. */
export interface InteractionEvent {
  readonly kind: 'interaction';
  readonly state: 'sent' | Acknowledgement['type'];
  readonly interaction: Pick<
    Interaction,
    'id' | 'kind' | 'userId' | 'channelId' | 'guildId' | 'commandName' | 'acknowledged'
  >;
}

export interface Interactions {
  /** Starts the time in which it has to be answered. */
  open(about: NewInteraction): Interaction;
  byToken(token: string): Interaction | undefined;
  get(id: string): Interaction | undefined;
  followUp(interaction: Interaction, message: StoredMessage): void;
  acknowledge(interaction: Interaction, how: Acknowledgement): void;
  expired(interaction: Interaction): boolean;
  /** Gives up on everything unanswered, when the stand-in closes. */
  abandon(): void;
}

export function createInteractions(deps: {
  readonly clock: Clock;
  readonly snowflakes: Snowflakes;
  readonly bounds: Bounds;
  /** {@link ANSWER_WITHIN_MS} unless told. */
  readonly answerWithinMs: number;
  readonly onEvent: (event: InteractionEvent) => void;
}): Interactions {
  const { clock, snowflakes, bounds, answerWithinMs, onEvent } = deps;
  const latest = createLatest<Interaction>(bounds);
  const waiting = new Map<Interaction, (how: Acknowledgement) => void>();

  function acknowledge(interaction: Interaction, how: Acknowledgement): void {
    interaction.acknowledged = how;
    waiting.get(interaction)?.(how);
    waiting.delete(interaction);
    onEvent({ kind: 'interaction', state: how.type, interaction });
  }

  return {
    open(about) {
      const id = snowflakes.next();
      const { promise, resolve } = Promise.withResolvers<Acknowledgement>();
      const interaction: Interaction = {
        ...about,
        id,
        token: interactionToken(id),
        createdAt: clock.now(),
        acknowledged: undefined,
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
    get: (id) => latest.get(id),
    byToken(token) {
      const interaction = latest.get(interactionIdOf(token));
      return interaction?.token === token ? interaction : undefined;
    },
    followUp(interaction, message) {
      interaction.followUps.push(message);
      const { resolve } = interaction.followedUp;
      interaction.followedUp = Promise.withResolvers<void>();
      resolve();
    },
    acknowledge,
    expired: ({ createdAt }) => clock.now() - createdAt > TOKEN_LIVES_MS,
    abandon() {
      for (const interaction of waiting.keys()) acknowledge(interaction, { type: 'lost' });
    },
  };
}
