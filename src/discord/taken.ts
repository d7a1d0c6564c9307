import { MessageFlags, SnowflakeUtil } from 'discord.js';
import { z } from 'zod';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { Secret } from '../secret.ts';
import type { Encryption } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import { escapeText } from '../words/words.ts';
import type { Context, Reply } from './command.ts';
import type { SignedIds } from './components/controls.ts';
import {
  announce,
  bareText,
  type Deliveries,
  deliver,
  deliverAtOnce,
  ownerOf,
  say,
  sealedReply,
} from './deliver.ts';
import type { GuildLog } from './guild-log.ts';
import { type Answer, type Incoming, workSchema } from './incoming.ts';
import { acknowledge, isRefused, LostInteraction } from './rest.ts';
import type { FailureWords, Traces } from './traces.ts';

export interface TakenDeps {
  readonly database: Pick<Database, 'tables' | 'execute' | 'inGuild'>;
  readonly encryption: Pick<Encryption, 'seal' | 'open'>;
  readonly logger: Logger;
  readonly now?: () => number;
}

/**
 * Keeps interactions from before they are acknowledged until they are answered, over a crash. Every method throws a
 * StoreError when the store fails.
 */
export interface TakenInteractions extends Part {
  /** False when this very interaction is kept already: it was delivered twice. */
  remember(interaction: Remembered): Promise<boolean>;
  /** It is answered, or can no longer be. */
  forget(interaction: Pick<Remembered, 'guildId' | 'interactionId' | 'shape'>): Promise<void>;
}

/** As long as an interaction's token lives: one that is older cannot be answered, so it is a late second delivery. */
const TOO_OLD_MS = 15 * 60_000;
/** Discord tells whether a reply was given: it is written with the next interaction, or after so many milliseconds. */
const ANSWERED_WITHIN_MS = 250;
/** How soon that is tried again when the store failed, in milliseconds. */
const AGAIN_MS = 5_000;

/** What is sealed of an interaction: the token, and what was typed, in which a password may be. */
export const carriedSchema = z.object({
  channelId: z.string(),
  user: z.object({ id: z.string(), name: z.string() }),
  /** A bit set as a decimal number, as Discord sends it. */
  permissions: z.string().regex(/^\d+$/),
  locale: z.string(),
  guildLocale: z.string(),
  /** How it was acknowledged: with a message of its own, or to change the one its button is on. */
  shape: z.enum(['reply', 'update']),
  /** Only the member sees the answer. */
  isPrivate: z.boolean(),
  work: z.exactOptional(workSchema),
  token: z.string(),
});

/** All it takes to answer an interaction after the process that took it has died. */
export interface Remembered extends Readonly<Omit<z.infer<typeof carriedSchema>, 'token'>> {
  readonly interactionId: string;
  readonly guildId: string;
  readonly token: Secret;
}

/** What the sealed part of an interaction was sealed for. */
export const interactionContext = (guildId: string, interactionId: string): string =>
  `guild ${guildId}: interaction ${interactionId}`;

export function createTakenInteractions(deps: TakenDeps): TakenInteractions {
  const { database, encryption, logger, now = Date.now } = deps;
  const { tables } = database;
  const answered = createAnswered(deps);

  return {
    name: 'interactions',
    stop: () => answered.write(),
    async remember({ guildId, interactionId, token, ...carried }) {
      const ageMs = now() - SnowflakeUtil.timestampFrom(interactionId);
      if (ageMs > TOO_OLD_MS) {
        logger.warn(
          { interactionId, ageMs },
          'an interaction was not taken: by its id it is older than 15 minutes; is the clock of this machine wrong?',
        );
        return false;
      }
      const plain = JSON.stringify({ ...carried, token: token.reveal() });
      const sealed = JSON.stringify(encryption.seal(plain, interactionContext(guildId, interactionId)));
      const take = async () => {
        const { numInsertedOrUpdatedRows } = await tables
          .insertInto('interactions')
          .values({ id: interactionId, guild_id: guildId, taken_at: now(), sealed })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst();
        return numInsertedOrUpdatedRows === 1n;
      };
      // In one commit with what follows.
      answered.writeWithOthers();
      // It has to survive the end of the process only: nothing has been done yet.
      return database.inGuild(guildId, take, { synced: false });
    },
    async forget({ guildId, interactionId, shape }) {
      answered.add(interactionId, guildId);
      // Of a change to a message Discord does not tell whether it was made.
      if (shape === 'update') return answered.write();
      answered.writeLater();
    },
  };
}

/** Interactions that were answered, until that is written, of several at once: their rows stay without what was sealed. */
function createAnswered({ database, logger }: Pick<TakenDeps, 'database' | 'logger'>) {
  /** Interaction → guild. */
  const waiting = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const all = [...waiting];
    const [first] = all;
    if (first === undefined) return;
    waiting.clear();
    const ids = all.map(([id]) => id);
    const forget = () =>
      database.tables.updateTable('interactions').set({ sealed: null }).where('id', 'in', ids).execute();
    try {
      await database.inGuild(first[1], forget, { synced: false });
    } catch (error) {
      for (const [id, guildId] of all) waiting.set(id, guildId);
      throw error;
    }
  }

  function writeOrAgain(): void {
    write().catch((error: unknown) => {
      logger.error({ err: error }, 'answered interactions could not be forgotten; will try again');
      writeLater(AGAIN_MS);
    });
  }

  function writeLater(ms = ANSWERED_WITHIN_MS): void {
    timer ??= setTimeout(writeOrAgain, ms).unref();
  }

  return {
    add: (interactionId: string, guildId: string) => void waiting.set(interactionId, guildId),
    /** At once. @throws StoreError when the store fails; they wait on then */
    write,
    writeWithOthers: writeOrAgain,
    writeLater: () => writeLater(),
  };
}

export interface DeferralDeps {
  /** Every button, select and modal is bound to its guild, and to its member where only they see it. */
  readonly ids: SignedIds;
  readonly memory: Pick<TakenInteractions, 'remember' | 'forget'>;
  readonly words: FailureWords;
  readonly deliveries: Deliveries;
  readonly traces: Traces;
  /** What an admin reads above the answer to a command, of what they have to do something about; `undefined`: nothing. */
  readonly firstForAdmins: (context: Context, command: string, answer: string) => Promise<string | undefined>;
  /** Says to a guild what its member can no longer be told. */
  readonly tellGuild: GuildLog['tell'];
  readonly logger: Logger;
}

/** An interaction whose answer takes longer than Discord waits. */
export interface Deferred extends Extract<Answer, { shape: 'reply' | 'update' }> {
  readonly interaction: Incoming;
  readonly context: Context;
}

/** Remember, acknowledge, carry out, answer, forget: a crash anywhere in between leaves nobody waiting. */
export function createDeferral(deps: DeferralDeps) {
  const { ids, memory, words, deliveries, traces, tellGuild, logger } = deps;

  async function forget({ context: { guildId, interactionId }, shape }: Deferred): Promise<void> {
    await memory.forget({ guildId, interactionId, shape }).catch((error: unknown) => {
      logger.error({ err: error, interactionId }, 'an answered interaction could not be forgotten');
    });
  }

  const answerOf = ({ context, isPrivate, run }: Pick<Deferred, 'context' | 'isPrivate' | 'run'>) =>
    run()
      .then((reply) => {
        if (reply.isRefusal) traces.became('refused');
        return sealedReply(reply, ids, ownerOf(context, isPrivate));
      })
      .catch((error: unknown) => words(error, context));

  /** Nothing is done before the first response, and it is all there is: should it fail, the member asks again. */
  async function answerAtOnce(asked: Pick<Deferred, 'interaction' | 'context' | 'run'>): Promise<void> {
    const { interaction, context } = asked;
    const answer = await below(asked, deps, await answerOf({ ...asked, isPrivate: true }));
    await deliverAtOnce(interaction, (error) => words(error, context), answer);
  }

  async function answerLater(deferred: Deferred): Promise<void> {
    const { interaction, context, shape, work } = deferred;
    try {
      if (!(await remember(deferred, deps))) throw new LostInteraction('The interaction was delivered twice');
    } catch (error) {
      if (error instanceof LostInteraction) throw error;
      return say(interaction, words(error, context));
    }
    try {
      await acknowledge(() => defer(deferred));
      traces.acknowledged();
      // discord.js does not know when the answer to that was lost, and would refuse to edit.
      interaction.deferred = true;
    } catch (error) {
      await forget(deferred);
      throw error;
    }
    const answer = await below(deferred, deps, await answerOf(deferred));
    try {
      const delivery = deliveries.begin(messageOf(deferred));
      await deliver(interaction, { shape, failed: (error) => words(error, context), delivery }, answer);
    } catch (error) {
      // What Discord did not take for another reason stays remembered, and is told after the next start.
      if (!isRefused(error)) throw error;
      await forget(deferred);
      const text = typeof answer === 'string' ? answer : bareText(answer);
      if (work)
        await tellGuild(context.guildId, (t) =>
          t('resume.told', { user: escapeText(context.user.name), what: text }),
        );
      throw error;
    }
    traces.answered();
    await forget(deferred);
    if (typeof answer === 'string') return;
    await announce(interaction, answer).catch((error: unknown) => {
      logger.warn({ err: error, interactionId: context.interactionId }, 'an announcement could not be made');
    });
  }

  return { answerAtOnce, answerLater };
}

/** The answer to a command, below what an admin is to read first. */
async function below(
  { interaction, context }: Pick<Deferred, 'interaction' | 'context'>,
  { firstForAdmins, logger }: Pick<DeferralDeps, 'firstForAdmins' | 'logger'>,
  answer: Reply | string,
): Promise<Reply | string> {
  if (!interaction.isCommand() || !context.isAdmin) return answer;
  const said = typeof answer === 'string' ? answer : (answer.content ?? '');
  const first = await firstForAdmins(context, interaction.commandName, said).catch((error: unknown) => {
    logger.warn({ err: error, guildId: context.guildId }, 'an admin could not be told what to do');
    return undefined;
  });
  if (first === undefined) return answer;
  const under = (text: string | undefined) =>
    text === undefined || text === '' ? first : `${first}\n\n${text}`;
  return typeof answer === 'string' ? under(answer) : { ...answer, content: under(answer.content) };
}

/** @returns false when this very interaction was taken before */
async function remember(
  { interaction, context, shape, isPrivate, work }: Deferred,
  { memory, logger }: Pick<DeferralDeps, 'memory' | 'logger'>,
): Promise<boolean> {
  const { interactionId, guildId, channelId, user, permissions, locale, guildLocale } = context;
  try {
    return await memory.remember({
      ...{ interactionId, guildId, channelId, user, locale, guildLocale, shape, isPrivate },
      permissions: String(permissions.bitfield),
      token: new Secret(interaction.token),
      ...(work && { work }),
    });
  } catch (error) {
    // What submits must not begin unrecorded; all else is better answered without a net than not at all.
    if (work) throw error;
    logger.warn({ err: error, interactionId }, 'an interaction could not be written down; going on without');
    return true;
  }
}

/** The interaction that the message with the answer was made for. */
function messageOf({ interaction, shape }: Deferred): string | undefined {
  if (shape === 'reply') return interaction.id;
  return ('message' in interaction && interaction.message?.interactionMetadata?.id) || undefined;
}

function defer({ interaction, shape, isPrivate }: Deferred): Promise<unknown> {
  if (shape === 'reply') return interaction.deferReply(isPrivate ? { flags: MessageFlags.Ephemeral } : {});
  if (!('deferUpdate' in interaction)) throw new Error('only buttons, selects and modals change a message');
  return interaction.deferUpdate();
}
