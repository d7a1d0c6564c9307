import { setTimeout as sleep } from 'node:timers/promises';
import {
  DiscordAPIError,
  HTTPError,
  type InteractionEditReplyOptions,
  MessageFlags,
  type ModalBuilder,
  RESTJSONErrorCodes,
} from 'discord.js';
import type { PressCall, Reply } from './command.ts';
import { fitReply, LIMITS, shortenMarkup } from './limits.ts';

/** The parts of an interaction that an answer needs; commands, components and modal submits all have them. */
export interface Answerable {
  deferReply(options: { flags?: MessageFlags.Ephemeral }): Promise<unknown>;
  reply(options: { content: string; flags: MessageFlags.Ephemeral }): Promise<unknown>;
  editReply(options: InteractionEditReplyOptions): Promise<unknown>;
  followUp(options: {
    content: string;
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

/** Shows the member a modal as the first response. */
export function show(
  interaction: { showModal(modal: ModalBuilder): Promise<unknown> },
  modal: ModalBuilder,
): Promise<void> {
  return acknowledge(() => interaction.showModal(modal));
}

/** How often a message may show progress, in milliseconds: a webhook takes about five requests in 2 seconds. */
const PROGRESS_EVERY_MS = 2000;

/** See {@link PressCall.progress}. discord.js sends the requests of one interaction in order, so the answer comes last. */
export function createProgress(interaction: Pick<Answerable, 'editReply'>): PressCall['progress'] {
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

/** Pauses between attempts to deliver an answer, in milliseconds: short, then long enough for a blip to pass. */
const RETRY_PAUSES = [500, 2000, 5000, 20_000, 60_000];

/**
 * Asks Discord for something that may be repeated until it is done; network failures and 5xx pass.
 * @throws DiscordAPIError when Discord refuses, or the last failure
 */
export async function persist<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (const pause of RETRY_PAUSES) {
    try {
      return await attempt();
    } catch (error) {
      if (isRefused(error)) throw error;
      await sleep(pause);
    }
  }
  return attempt();
}

/**
 * Puts the answer in place of "thinking…". What was done is done by now, so this is tried for a minute and a half
 * before the answer is given up. A text alone is a failure: on an `update`, what the message shows is still true,
 * so the failure is said beside it.
 */
export async function deliver(
  interaction: Pick<Answerable, 'editReply' | 'followUp'>,
  shape: 'reply' | 'update',
  answer: Reply | string,
): Promise<void> {
  if (typeof answer === 'string' && shape === 'update') {
    const content = shortenMarkup(answer, LIMITS.content);
    await persist(() =>
      interaction.followUp({ content, flags: MessageFlags.Ephemeral, allowedMentions: { parse: [] } }),
    );
    return;
  }
  const fitted = fitReply(typeof answer === 'string' ? { content: answer } : answer);
  await persist(() =>
    interaction.editReply({
      content: fitted.content ?? null,
      embeds: [...(fitted.embeds ?? [])],
      components: [...(fitted.components ?? [])],
      files: (fitted.files ?? []).map(({ name, data }) => ({ name, attachment: data })),
      attachments: [],
      allowedMentions: { parse: [] },
    }),
  );
}

/** Says to everybody in the channel what a reply wants them to know. Once: said twice would be worse than not. */
export async function announce(
  interaction: Pick<Answerable, 'followUp'>,
  { announcement }: Reply,
): Promise<void> {
  if (announcement === undefined) return;
  // A follow-up is public unless it says otherwise, whatever the reply was.
  const content = shortenMarkup(announcement, LIMITS.content);
  await interaction.followUp({ content, allowedMentions: { parse: [] } });
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
