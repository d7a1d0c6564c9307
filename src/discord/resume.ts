import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  DiscordAPIError,
  InteractionWebhook,
  type Message,
  MessageFlags,
  PermissionsBitField,
  RESTJSONErrorCodes,
  ShardClientUtil,
} from 'discord.js';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { Secret } from '../secret.ts';
import { escapeText, type Translate } from '../words/words.ts';
import {
  type Command,
  type Context,
  type OptionValues,
  PERMISSION_BITS,
  type PressContext,
  type Reply,
  type SubmitContext,
  type Wording,
} from './command.ts';
import { type Answerable, deliver, ownerOf, persist, sealedReply } from './deliver.ts';
import type { Work } from './incoming.ts';
import { createProgress, handlerOf } from './presses.ts';
import { isRefused } from './rest.ts';
import {
  carriedSchema,
  type DeferralDeps,
  interactionContext,
  type Remembered,
  type TakenDeps,
} from './taken.ts';

/** An interaction that a previous run of the bot has not answered. */
export interface Pending {
  readonly interaction: Remembered;
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number;
  /** What became of it, for the member; absent when nothing was done yet. */
  readonly report?: (context: Context) => string;
}

/** Interactions that previous runs of the bot took. Every method throws a StoreError when the store fails. */
export interface LeftInteractions extends Part {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Those of these guilds that were left unanswered. Each is given out once. */
  left(isOurs: (guildId: string) => boolean): Promise<readonly Pending[]>;
}

/** How long the id stays, so that a second delivery finds it: 171 of 800 were taken twice without (tried). */
const KEPT_MS = 3600_000;
/** How long those stay that nobody answers, as where Discord took no answer: the next start tells of them. */
export const UNANSWERED_KEPT_DAYS = 30;
/** How often what is past its time goes. */
const SWEEP_MS = 600_000;

export function createLeftInteractions(deps: TakenDeps): LeftInteractions {
  const { database, logger, now = Date.now } = deps;
  let ofPreviousRun: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | undefined;

  return {
    name: 'interactions left',
    async start() {
      await sweep(database, now());
      const { rows } = await database.execute('select id from interactions where sealed is not null');
      ofPreviousRun = new Set(rows.map((row) => String(Object(row).id)));
      timer = setInterval(() => {
        sweep(database, now()).catch((error: unknown) =>
          logger.warn({ err: error }, 'old interactions could not be removed'),
        );
      }, SWEEP_MS).unref();
    },
    stop: async () => clearInterval(timer),
    async left(isOurs) {
      if (ofPreviousRun.size === 0) return [];
      const rows = await database.tables
        .selectFrom('interactions')
        .selectAll()
        .where('sealed', 'is not', null)
        .execute();
      const ours = rows.filter(({ id, guild_id }) => ofPreviousRun.has(id) && isOurs(guild_id));
      ofPreviousRun = new Set([...ofPreviousRun].filter((id) => !ours.some((row) => row.id === id)));
      return ours.flatMap((row) => {
        const interaction = open(row, deps);
        return interaction ? [{ interaction, at: row.taken_at }] : [];
      });
    },
  };
}

/** Removes what is past its time. */
async function sweep(database: Pick<TakenDeps['database'], 'execute'>, at: number): Promise<void> {
  await database.execute(
    'delete from interactions where (sealed is null and taken_at <= ?) or taken_at <= ?',
    [at - KEPT_MS, at - UNANSWERED_KEPT_DAYS * 24 * 3600_000],
  );
}

function open(
  row: { readonly id: string; readonly guild_id: string; readonly sealed: string | null },
  { encryption, logger }: Pick<TakenDeps, 'encryption' | 'logger'>,
): Remembered | undefined {
  const { id: interactionId, guild_id: guildId } = row;
  try {
    const text = encryption.open(JSON.parse(row.sealed ?? ''), interactionContext(guildId, interactionId));
    const { token, ...carried } = carriedSchema.parse(JSON.parse(text));
    return { ...carried, guildId, interactionId, token: new Secret(token) };
  } catch (error) {
    logger.error({ err: error, guildId, interactionId }, 'an interaction that was left cannot be read');
    return undefined;
  }
}

export interface ResumeDeps extends Omit<DeferralDeps, 'firstForAdmins'> {
  readonly commands: ReadonlyMap<string, Command>;
  readonly wording: Wording;
  /** Aborted when the bot is to stop. */
  readonly stopping: AbortSignal;
  readonly logger: Logger;
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** How long an interaction's token lives (Discord docs: Receiving and Responding, "Followup Messages"). */
const TOKEN_LIVES_MS = 15 * 60_000;
/** Discord takes a first response for 3 seconds; later than this none is taken any more. In milliseconds. */
const ACKNOWLEDGED_BY_MS = 4000;

/**
 * Answers what a previous run of the bot has left: by doing it now, or by saying what became of it. The member's own
 * answer is edited as long as that is possible; after that the guild is told of submissions.
 */
export function createResume(deps: ResumeDeps) {
  const { commands, ids, memory, words, deliveries, traces, tellGuild, stopping, logger } = deps;
  const { now = Date.now, pause = sleep } = deps;
  const { wordsFor, mention, pages } = deps.wording;

  async function answer({ interaction, at, report }: Pending, replies: PastReplies): Promise<void> {
    const { user, guildId, token, shape, isPrivate, work } = interaction;
    const permissions = new PermissionsBitField(BigInt(interaction.permissions)).freeze();
    const context = {
      ...interaction,
      receivedAt: at,
      permissions,
      isAdmin: permissions.has(PERMISSION_BITS['manage-guild']),
      t: wordsFor(interaction.locale),
      guildT: wordsFor(interaction.guildLocale),
      mention,
      pages,
    };
    // Discord knows better when the clock was set back, and the age is too small or negative.
    const state = now() - at >= TOKEN_LIVES_MS ? 'gone' : await stateOf(token, now() - at, replies);
    // The previous run came to its end, but for forgetting it. An update has no "thinking…" to tell by.
    if (state === 'answered' && shape === 'reply') return;
    if (state === 'gone') {
      traces.became('lost');
      const what = (t: Translate) => report?.({ ...context, t }) ?? t('resume.notDone');
      if (work)
        await tellGuild(guildId, (t) => t('resume.told', { user: escapeText(user.name), what: what(t) }));
      return;
    }
    const message = shape === 'update' ? await replies.message(token) : null;
    const original = replies.of(token);
    // Begun before the work: a previous run may have delivered the answer, and the member goes on with its buttons.
    const delivery = deliveries.begin(
      shape === 'reply' ? interaction.interactionId : message?.interactionMetadata?.id,
    );
    const press = { ...context, progress: createProgress(original), stopping };
    const again = work && resumption(commands, work, press);
    const said: Reply | string = again
      ? await again()
          .then((reply) => sealedReply(reply, ids, ownerOf(context, isPrivate)))
          .catch((error: unknown) => words(error, context))
      : report
        ? { content: report(context) }
        : context.t('resume.runAgain');
    await deliver(
      { ...original, message },
      { shape, failed: (error) => words(error, context), delivery },
      said,
    );
  }

  /** An acknowledgement that was on its way in the network when its process died may still arrive. */
  async function stateOf(token: Secret, age: number, replies: PastReplies): ReturnType<PastReplies['state']> {
    const state = await replies.state(token);
    if (state !== 'gone' || age >= ACKNOWLEDGED_BY_MS) return state;
    await pause(ACKNOWLEDGED_BY_MS - Math.max(age, 0));
    return replies.state(token);
  }

  return async function resume(pending: Pending, replies: PastReplies): Promise<void> {
    const { interactionId, guildId } = pending.interaction;
    try {
      await answer(pending, replies);
      await memory.forget(pending.interaction);
      logger.info({ interactionId, guildId }, 'answered what was left from before the restart');
    } catch (error) {
      traces.became(isRefused(error) ? 'undelivered' : 'unanswered');
      logger.error({ err: error, interactionId, guildId }, 'what was left could not be answered');
    }
  };
}

/** What is to be run again for the work, when its command still has it and wants that. */
function resumption(
  commands: ReadonlyMap<string, Command>,
  work: Work,
  context: Omit<PressContext, 'argument' | 'values' | 'channels' | 'roles'>,
): (() => Promise<Reply>) | undefined {
  const command = commands.get(work.command);
  if ('options' in work) {
    if (!command || 'useOn' in command || command.audience === 'none' || !command.resumes) return undefined;
    return () => command.run({ ...context, options: keptOptions(work.options) });
  }
  const { argument } = work;
  if ('fields' in work) {
    const handler = handlerOf(command?.submits, work.action);
    if (!handler?.resumes) return undefined;
    return () => handler.run({ ...context, argument, field: fieldOf(work.fields) });
  }
  const handler = handlerOf(command?.presses, work.action);
  if (!handler || handler.answer === 'modal' || !handler.resumes) return undefined;
  const { values } = work;
  return () => handler.run({ ...context, argument, values, channels: [], roles: [] });
}

const fieldOf =
  (fields: Readonly<Record<string, string>>): SubmitContext['field'] =>
  (id) =>
    (Object.hasOwn(fields, id) ? fields[id] : undefined) ?? '';

/** The options of a command as they were kept. */
function keptOptions(options: Readonly<Record<string, string | number>>): OptionValues {
  const value = (name: string) => (Object.hasOwn(options, name) ? options[name] : undefined);
  return {
    getString: (name) => {
      const text = value(name);
      return typeof text === 'string' ? text : null;
    },
    getInteger: (name) => {
      const number = value(name);
      return typeof number === 'number' ? number : null;
    },
    getAttachment: () => null,
    getUser: () => null,
  };
}

/** The answers of interactions that a previous run of the bot took, for as long as their tokens live. */
export interface PastReplies {
  /** Whether the guild's events come to this process. */
  owns(guildId: string): boolean;
  /**
   * What the member sees: `gone` for an interaction that was never acknowledged, and 15 minutes after it was made;
   * `thinking` as long as it was only acknowledged.
   */
  state(token: Secret): Promise<'gone' | 'thinking' | 'answered'>;
  of(token: Secret): Pick<Answerable, 'editReply' | 'followUp'>;
  /** The message with the answer, or that it changes: files of it can be kept. */
  message(token: Secret): Promise<Message | null>;
}

export function pastReplies(client: Client<true>): PastReplies {
  const webhook = (token: Secret) => new InteractionWebhook(client, client.application.id, token.reveal());
  return {
    owns(guildId) {
      const { shards } = client.ws;
      const count = client.options.shardCount ?? shards.size;
      return shards.has(ShardClientUtil.shardIdForGuildId(guildId, count));
    },
    async state(token) {
      try {
        const message = await persist(() => webhook(token).fetchMessage('@original'));
        return (Number(message?.flags ?? 0) & MessageFlags.Loading) === 0 ? 'answered' : 'thinking';
      } catch (error) {
        if (error instanceof DiscordAPIError && GONE.has(Number(error.code))) return 'gone';
        throw error;
      }
    },
    message: async (token) => (await persist(() => webhook(token).fetchMessage('@original'))) ?? null,
    of: (token) => ({
      editReply: (options) => webhook(token).editMessage('@original', options),
      followUp: (options) => webhook(token).send(options),
    }),
  };
}

const GONE: ReadonlySet<number> = new Set([
  RESTJSONErrorCodes.UnknownWebhook,
  RESTJSONErrorCodes.InvalidWebhookToken,
  RESTJSONErrorCodes.UnknownMessage,
]);
