import { SnowflakeUtil } from 'discord.js';
import { z } from 'zod';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { Secret } from '../secret.ts';
import type { Encryption } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import type { Context } from './command.ts';

export interface TakenDeps {
  readonly database: Pick<Database, 'tables' | 'inGuild'>;
  readonly encryption: Pick<Encryption, 'seal' | 'open'>;
  readonly logger: Logger;
  readonly now?: () => number;
}

/** Interactions that this bot has taken. Every method throws a StoreError when the store fails. */
export interface TakenInteractions extends Memory, Part {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What a previous run of the bot has left unanswered in these guilds. Each is given out once. */
  left(isOurs: (guildId: string) => boolean): Promise<readonly Left[]>;
}

/** An interaction that a previous run of the bot has not answered. */
export interface Left {
  readonly interaction: Remembered;
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number;
}

/** As long as an interaction's token lives: one that is older cannot be answered, so it is a late second delivery. */
const TOO_OLD_MS = 15 * 60_000;
/** How long the id stays, so that a second delivery finds it: 171 of 800 were taken twice without (tried). */
const KEPT_MS = 3600_000;
/** For those that nobody ever answers, such as those of guilds that the bot has left: 30 days. */
const UNANSWERED_KEPT_MS = 30 * 24 * 3600_000;
/** How often what is past its time goes. */
const SWEEP_MS = 600_000;
/** Discord tells whether a reply was given, so that it need not be written at once; in milliseconds. */
const ANSWERED_WITHIN_MS = 100;
/** How soon that is tried again when the store failed, in milliseconds. */
const AGAIN_MS = 5_000;

/** What was asked for, where doing it again after a crash is right. */
export type Work = z.infer<typeof workSchema>;
const workSchema = z.union([
  z.object({ command: z.string(), options: z.record(z.string(), z.union([z.string(), z.number()])) }),
  z.object({
    command: z.string(),
    action: z.string(),
    argument: z.string(),
    values: z.array(z.string()).readonly(),
  }),
  // A modal that was submitted, with what stood in its fields.
  z.object({
    command: z.string(),
    action: z.string(),
    argument: z.string(),
    fields: z.record(z.string(), z.string()),
  }),
]);

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
  let ofPreviousRun: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | undefined;

  return {
    name: 'interactions',
    async start() {
      await sweep(tables, now());
      const rows = await tables
        .selectFrom('interactions')
        .select('id')
        .where('sealed', 'is not', null)
        .execute();
      ofPreviousRun = new Set(rows.map(({ id }) => id));
      timer = setInterval(() => {
        sweep(tables, now()).catch((error: unknown) =>
          logger.warn({ err: error }, 'old interactions could not be removed'),
        );
      }, SWEEP_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      await answered.write();
    },
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
      // It has to survive the end of the process only: nothing has been done yet.
      return database.inGuild(guildId, take, { synced: false });
    },
    async forget({ guildId, interactionId, shape }) {
      answered.add(interactionId, guildId);
      // Of a change to a message Discord does not tell whether it was made.
      if (shape === 'update') return answered.write();
      answered.writeLater();
    },
    async left(isOurs) {
      const rows = await tables
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

  function writeLater(ms = ANSWERED_WITHIN_MS): void {
    timer ??= setTimeout(() => {
      write().catch((error: unknown) => {
        logger.error({ err: error }, 'answered interactions could not be forgotten; will try again');
        writeLater(AGAIN_MS);
      });
    }, ms).unref();
  }

  return {
    add: (interactionId: string, guildId: string) => void waiting.set(interactionId, guildId),
    /** At once. @throws StoreError when the store fails; they wait on then */
    write,
    writeLater: () => writeLater(),
  };
}

/** Removes what is past its time. */
async function sweep(tables: TakenDeps['database']['tables'], at: number): Promise<void> {
  await tables
    .deleteFrom('interactions')
    .where(({ or, and, eb }) =>
      or([
        and([eb('sealed', 'is', null), eb('taken_at', '<=', at - KEPT_MS)]),
        eb('taken_at', '<=', at - UNANSWERED_KEPT_MS),
      ]),
    )
    .execute();
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

/** Keeps interactions from before they are acknowledged until they are answered, over a crash. */
export interface Memory {
  /** False when this very interaction is kept already: it was delivered twice. */
  remember(interaction: Remembered): Promise<boolean>;
  /** It is answered, or can no longer be. */
  forget(interaction: Pick<Remembered, 'guildId' | 'interactionId' | 'shape'>): Promise<void>;
}

/** With what became of it. */
export interface Pending extends Left {
  /** For the member; absent when nothing was done yet. */
  readonly report?: (context: Context) => string;
}
