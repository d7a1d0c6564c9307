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
import { fitReply, LIMITS, shorten } from './limits.ts';

/** The parts of an interaction that an answer needs; commands, components and modal submits all have them. */
export interface Answerable {
  deferReply(options: { flags?: MessageFlags.Ephemeral }): Promise<unknown>;
  reply(options: { content: string; flags: MessageFlags.Ephemeral }): Promise<unknown>;
  editReply(options: InteractionEditReplyOptions): Promise<unknown>;
  followUp(options: { content: string; allowedMentions: { parse: [] } }): Promise<unknown>;
}

/**
 * The interaction is no longer ours: too late (10062), or acknowledged by another process on the same token or
 * a second delivery (40060). Nothing more may be done with it.
 */
export class LostInteraction extends Error {
  override readonly name = 'LostInteraction';
}

/**
 * Sends the first response. Sent once more when Discord itself failed (5xx), since that leaves the interaction
 * unacknowledged; should it have been taken after all, the 40060 of the second attempt says so.
 * @throws LostInteraction
 */
export async function acknowledge(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!isServerFault(error)) throw lostOr(error);
    await send().catch((again: unknown) => {
      if (!hasCode(again, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged)) throw lostOr(again);
    });
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
export function createProgress(interaction: Answerable): PressCall['progress'] {
  let shownAt = Number.NEGATIVE_INFINITY;
  let showing = false;
  return ({ embeds = [], components = [] }) => {
    if (showing || performance.now() - shownAt < PROGRESS_EVERY_MS) return;
    showing = true;
    shownAt = performance.now();
    interaction
      .editReply({ embeds: [...embeds], components: [...components], allowedMentions: { parse: [] } })
      .catch(() => undefined) // The work goes on, and its end is told whatever became of this.
      .finally(() => {
        showing = false;
      });
  };
}

/** Pauses between attempts to deliver an answer, in milliseconds: short, then long enough for a blip to pass. */
const RETRY_PAUSES = [500, 2000, 5000];

/** Puts the answer in place of "thinking…", and then says what everybody is to know. */
export async function deliver(interaction: Answerable, reply: Reply): Promise<void> {
  await replace(interaction, reply);
  if (reply.announcement === undefined) return;
  const content = shorten(reply.announcement, LIMITS.content);
  // A follow-up is public unless it says otherwise, whatever the reply was.
  await interaction.followUp({ content, allowedMentions: { parse: [] } });
}

/**
 * What was done is done by now, so this is tried several times on network failures and 5xx before the answer is
 * given up.
 */
async function replace(interaction: Answerable, reply: Reply): Promise<void> {
  const fitted = fitReply(reply);
  const options: InteractionEditReplyOptions = {
    content: fitted.content ?? null,
    embeds: [...(fitted.embeds ?? [])],
    components: [...(fitted.components ?? [])],
    files: (fitted.files ?? []).map(({ name, data }) => ({ name, attachment: data })),
    attachments: [],
    allowedMentions: { parse: [] },
  };
  for (const pause of [...RETRY_PAUSES, undefined]) {
    try {
      await interaction.editReply(options);
      return;
    } catch (error) {
      if (pause === undefined || (error instanceof DiscordAPIError && !isServerFault(error))) throw error;
      await sleep(pause);
    }
  }
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
export function say(interaction: Answerable, content: string): Promise<void> {
  return acknowledge(() => interaction.reply({ content, flags: MessageFlags.Ephemeral }));
}
