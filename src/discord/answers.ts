import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIEmbed,
  type APIInteractionResponse,
  type Client,
  DiscordAPIError,
  HTTPError,
  type InteractionEditReplyOptions,
  InteractionResponseType,
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import type { Logger } from '../logger.ts';
import { UndecryptableError } from '../storage/collection.ts';
import { StoreError } from '../storage/store.ts';
import { UserError } from '../user-error.ts';
import { shortenMarkup } from '../words/escape.ts';
import type { Choice, Context, PressContext } from './command.ts';
import type { Modal } from './components/controls.ts';
import { LIMITS } from './limits.ts';
import type { Traces } from './traces.ts';

/** The parts of an interaction that an answer needs; commands, components and modal submits all have them. */
export interface Answerable {
  deferReply(options: { flags?: MessageFlags.Ephemeral }): Promise<unknown>;
  reply(options: { content: string; flags: MessageFlags.Ephemeral }): Promise<unknown>;
  editReply(options: InteractionEditReplyOptions): Promise<unknown>;
  followUp(options: {
    content: string;
    embeds?: APIEmbed[];
    flags?: MessageFlags.Ephemeral;
    allowedMentions: { parse: [] };
  }): Promise<unknown>;
}

/**
 * The interaction is no longer ours: too late (10062), or acknowledged by another process on the same token or
 * a second delivery (40060). Nothing more may be done with it.
 */
export class LostInteraction extends Error {
  override readonly name = 'LostInteraction';
}

/**
 * Pauses before the first response is sent again, in milliseconds. Discord waits 3 seconds for it; what is sent later
 * still brings its word on whether an earlier one had been taken, and so whether the member sees "thinking…".
 */
const ACKNOWLEDGE_PAUSES = [0, 250, 1000, 2500, 10_000];

/**
 * Sends the first response. Sent again when Discord itself failed (5xx) or no answer came, since that may leave the
 * interaction unacknowledged; should it have been taken after all, the 40060 of a later attempt says so.
 * @throws LostInteraction
 */
export async function acknowledge(send: () => Promise<unknown>): Promise<void> {
  const first = await failure(send);
  if (first === undefined) return;
  if (!isUncertain(first)) throw lostOr(first);
  let last: unknown = first;
  for (const pause of ACKNOWLEDGE_PAUSES) {
    await sleep(pause);
    last = await failure(send);
    if (last === undefined || hasCode(last, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged)) return;
    if (!isUncertain(last)) break;
  }
  throw lostOr(last);
}

async function failure(send: () => Promise<unknown>): Promise<unknown> {
  try {
    await send();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** What the first response to an interaction needs of it. */
export interface Unanswered {
  readonly id: string;
  readonly token: string;
  readonly client: Pick<Client, 'rest'>;
}

/**
 * Sends a first response as Discord takes it. discord.js reads and renames every field of what it is given, which
 * takes longer than all else that an autocomplete or a reply takes.
 */
export function respondFirst({ id, token, client }: Unanswered, body: APIInteractionResponse): Promise<void> {
  return acknowledge(() => client.rest.post(Routes.interactionCallback(id, token), { auth: false, body }));
}

/** Shows the choices for what is being typed. */
export const complete = (interaction: Unanswered, choices: Choice[]): Promise<void> =>
  respondFirst(interaction, {
    type: InteractionResponseType.ApplicationCommandAutocompleteResult,
    data: { choices },
  });

/** Shows the member a modal as the first response. */
export const show = (interaction: Unanswered, modal: Modal): Promise<void> =>
  respondFirst(interaction, { type: InteractionResponseType.Modal, data: modal });

/** How often a message may show progress, in milliseconds: a webhook takes about five requests in 2 seconds. */
const PROGRESS_EVERY_MS = 2000;

/** See {@link PressContext.progress}. discord.js sends the requests of one interaction in order, so the answer comes last. */
export function createProgress(interaction: Pick<Answerable, 'editReply'>): PressContext['progress'] {
  let shownAt = Number.NEGATIVE_INFINITY;
  let showing = false;
  return ({ embeds = [] }) => {
    if (showing || performance.now() - shownAt < PROGRESS_EVERY_MS) return;
    showing = true;
    shownAt = performance.now();
    interaction
      .editReply({ embeds: [...embeds], components: [], allowedMentions: { parse: [] } })
      .catch(() => undefined) // The work goes on, and its end is told whatever became of this.
      .finally(() => {
        showing = false;
      });
  };
}

/** Discord understood and said no: the same request would be refused again. */
export function isRefused(error: unknown): boolean {
  return error instanceof DiscordAPIError && !isServerFault(error);
}

/** Nobody knows whether Discord did it: it failed, or its answer did not come. */
function isUncertain(error: unknown): boolean {
  const { name, code } = Object(error);
  return isServerFault(error) || /^(Abort|Timeout)Error$/.test(name) || /^(E[A-Z_]+|UND_ERR_\w+)$/.test(code);
}

function isServerFault(error: unknown): boolean {
  return (
    (error instanceof HTTPError || error instanceof DiscordAPIError) &&
    error.status >= 500 &&
    error.status < 600
  );
}

function lostOr(error: unknown): unknown {
  const lost =
    hasCode(error, RESTJSONErrorCodes.UnknownInteraction) ||
    hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
  return lost ? new LostInteraction('The interaction can no longer be answered', { cause: error }) : error;
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof DiscordAPIError && error.code === code;
}

/** A private message as the first response, without "thinking…" before it. */
export function say(interaction: Pick<Answerable, 'reply'>, content: string): Promise<void> {
  const fitted = shortenMarkup(content, LIMITS.content);
  return acknowledge(() => interaction.reply({ content: fitted, flags: MessageFlags.Ephemeral }));
}

export interface FailureWordsDeps {
  readonly traces: Pick<Traces, 'became'>;
  readonly logger: Logger;
}

/** What a member reads in place of an answer. */
export type FailureWords = (error: unknown, context: Context) => string;

/** A UserError's own words; everything else is logged whole, under a reference that the member sees too. */
export function createFailureWords({ traces, logger }: FailureWordsDeps): FailureWords {
  return (error, context) => {
    const { t, interactionId, guildId } = context;
    if (error instanceof UserError) {
      traces.became('refused');
      return error.message;
    }
    const reference = randomUUID().slice(0, 8);
    traces.became('failed', reference);
    logger.error({ err: error, reference, interactionId, guildId }, 'an interaction failed');
    return t('dispatch.failed', { what: causeText(error, context), reference });
  };
}

/** What went wrong, for the failures that members should tell apart. */
function causeText(error: unknown, { t, mention }: Context): string {
  if (error instanceof UndecryptableError) return t('failure.undecryptable', { setkey: mention('setkey') });
  return t(error instanceof StoreError ? 'failure.store' : 'failure.unexpected');
}
