import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { LostInteraction } from '../discord/api.ts';
import type { Logger } from '../logger.ts';
import { DAY_MS } from '../numbers.ts';
import { retryAfter } from '../retry.ts';
import { Secret } from '../secret.ts';
import type { Encryption } from '../storage/encryption.ts';
import type { Store } from '../storage/store.ts';
import type { InteractionsTable } from '../storage/tables.ts';
import { type MessageKey, messageWritten } from './deliver.ts';
import type { Interaction, MessageContent } from './interaction.ts';

/**
 * How long the id of an interaction is kept after its reply: without it 171 of 800 late second deliveries were taken
 * again (tried).
 */
const REPLIED_KEPT_MS = 3_600_000;
/** For how many days an interaction without a reply is kept: the next start tells of it. */
export const UNREPLIED_KEPT_DAYS = 30;

/** Rows in one statement: 5 ms; 100,000 in one would stop everybody for 750 ms (measured). */
const DELETED_PER_STATEMENT = 500;
/** Pauses between the tries to mark an interaction as replied to, in milliseconds. */
const NOTE_PAUSES = [1_000, 5_000, 10_000];

/** The encrypted part of an interaction: what it takes to reply later, also after its process has died. */
const encryptedSchema = z.object({
  applicationId: z.string(),
  token: z.string(),
  user: z.object({ id: z.string(), name: z.string() }),
  isAdmin: z.boolean(),
  channelId: z.string(),
  locale: z.string(),
  guildLocale: z.string(),
  shown: z
    .object({ content: z.string(), embeds: z.array(z.unknown()), components: z.array(z.unknown()) })
    .optional(),
  /** The message that its reply writes. */
  message: z.string(),
  /** Of the control that was used, or of the modal. */
  customId: z.string().optional(),
  /** 0.3.0 has kept these two only where no column has them. */
  id: z.string().default(''),
  receivedAt: z.number().default(0),
});

/** Binds the encrypted part of an interaction to its guild and its id. */
export const interactionContext = (guildId: string, interactionId: string): string =>
  `guild ${guildId}: interaction ${interactionId}`;

export interface KeptInteraction {
  readonly interaction: Interaction;
  readonly message: MessageKey;
  /** What the message that its reply changes shows; `undefined`: the reply is a message of its own. */
  readonly shown?: MessageContent | undefined;
  readonly customId?: string | undefined;
}

export interface InteractionStoreDeps {
  readonly store: Pick<Store, 'tables'>;
  /** The id of this process. */
  readonly processId: string;
  /** Whether other processes of the bot use the database, which could take over an interaction from this one. */
  readonly isShared: boolean;
  readonly encryption: Pick<Encryption, 'seal' | 'open'>;
  readonly logger: Pick<Logger, 'error'>;
}

export type InteractionStore = ReturnType<typeof createInteractionStore>;

/**
 * Interactions that submit or change something, recorded from before they are acknowledged until they have their reply.
 * Every method throws a StoreError when the store fails.
 */
export function createInteractionStore({
  store,
  processId,
  isShared,
  encryption,
  logger,
}: InteractionStoreDeps) {
  /** @param context binds it to where it is kept */
  function seal({ interaction, ...others }: KeptInteraction, context: string): string {
    // Only the fields of the schema are kept.
    const kept = encryptedSchema.parse({ ...interaction, ...others, token: interaction.token.reveal() });
    return JSON.stringify(encryption.seal(JSON.stringify(kept), context));
  }

  /**
   * @param known what columns have of it
   * @returns `undefined` if it cannot be opened, which is logged
   */
  function open(
    encrypted: string | null,
    context: string,
    known: Pick<Interaction, 'guildId'> & Partial<Interaction>,
  ): KeptInteraction | undefined {
    try {
      const plain = encryption.open(JSON.parse(encrypted ?? ''), context);
      const { token, shown, message, customId, ...kept } = encryptedSchema.parse(JSON.parse(plain));
      const interaction: Interaction = {
        ...kept,
        token: new Secret(token),
        isInstalledInGuild: true,
        isInThread: false,
        roleIds: [],
        request: { kind: 'unknown' },
        ...known,
      };
      return { interaction, shown, message, customId };
    } catch (error) {
      // The message of a SyntaxError quotes the record.
      const cause = error instanceof SyntaxError ? {} : { err: error };
      logger.error({ ...cause, context }, 'an interaction that was kept cannot be read');
      return undefined;
    }
  }

  const openRow = ({ id, guild_id: guildId, taken_at: receivedAt, encrypted }: InteractionsTable) =>
    open(encrypted, interactionContext(guildId, id), { id, guildId, receivedAt });

  /** Whether the interaction was not taken over from this process. Inside of a transaction of its guild that stays so. */
  async function owns(interactionId: string): Promise<boolean> {
    if (!isShared) return true;
    const row = await store
      .tables()
      .selectFrom('interactions')
      .select('process_id')
      .where('id', '=', interactionId)
      .executeTakeFirst();
    // Without a row: an admin had the data of the guild deleted.
    return row === undefined || row.process_id === processId;
  }

  const unreplied = () =>
    store
      .tables()
      .selectFrom('interactions')
      .selectAll()
      .where('encrypted', 'is not', null)
      .where('process_id', '=', processId);

  return {
    seal,
    open,
    openRow,

    /** An interaction without a reply, of whatever process; `undefined` if there is none, or it cannot be opened. */
    async find(interactionId: string): Promise<KeptInteraction | undefined> {
      const row = await store
        .tables()
        .selectFrom('interactions')
        .selectAll()
        .where('id', '=', interactionId)
        .where('encrypted', 'is not', null)
        .executeTakeFirst();
      return row && openRow(row);
    },

    /**
     * Records an interaction, before it is acknowledged.
     * @param shown what the message that its reply changes shows
     * @returns `twice` when this very interaction was taken already
     */
    async take(interaction: Interaction, shown?: MessageContent): Promise<'taken' | 'twice'> {
      const { id, guildId, receivedAt, request } = interaction;
      const message = messageWritten(interaction, shown !== undefined);
      const customId = 'customId' in request ? request.customId : undefined;
      const kept = { interaction, shown, message, customId };
      const { numInsertedOrUpdatedRows } = await store
        .tables()
        .insertInto('interactions')
        .values({
          id,
          guild_id: guildId,
          process_id: processId,
          taken_at: receivedAt,
          encrypted: seal(kept, interactionContext(guildId, id)),
          // Its own message. Another one it writes once its reply is ready: see `claim` in edit-order.ts.
          message_key: message === id ? id : null,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n ? 'taken' : 'twice';
    },

    /** Whether the interaction belongs to this process; false while that cannot be known. Never throws. */
    surelyOwns: (interactionId: string): Promise<boolean> => owns(interactionId).catch(() => false),

    /**
     * Whether a reply may go out whose work is done: also while the store is away, since nothing is taken over meanwhile. Never
     * throws.
     */
    mayReply: (interactionId: string): Promise<boolean> => owns(interactionId).catch(() => true),

    /** @throws LostInteraction if the interaction was taken over from this process */
    async demandOwned(interactionId: string): Promise<void> {
      if (await owns(interactionId)) return;
      throw new LostInteraction('The interaction was taken over');
    },

    /** The interactions that this process owns and has not replied to, oldest first. */
    unreplied: () => unreplied().orderBy('taken_at').execute(),

    async isUnreplied(interactionId: string): Promise<boolean> {
      return (await unreplied().where('id', '=', interactionId).executeTakeFirst()) !== undefined;
    },

    /**
     * Marks an interaction as replied to, also if no reply is possible any more. Tried again while a server of PostgreSQL
     * restarts: otherwise the member would be told again.
     */
    async markReplied(interactionId: string): Promise<void> {
      await retryAfter(NOTE_PAUSES, async () => {
        await store
          .tables()
          .updateTable('interactions')
          .set({ encrypted: null })
          .where('id', '=', interactionId)
          .execute();
      });
    },

    /** Deletes what is past its time. @throws what `stopping` was aborted with, between two steps */
    async prune(stopping?: AbortSignal): Promise<void> {
      const isOld = store
        .tables()
        .selectFrom('interactions')
        .select('id')
        .where('taken_at', '<=', Date.now() - REPLIED_KEPT_MS)
        .where(({ or, eb }) =>
          or([eb('encrypted', 'is', null), eb('taken_at', '<=', Date.now() - UNREPLIED_KEPT_DAYS * DAY_MS)]),
        )
        .limit(DELETED_PER_STATEMENT);
      const some = store.tables().deleteFrom('interactions').where('id', 'in', isOld);
      for (let count = DELETED_PER_STATEMENT; count === DELETED_PER_STATEMENT; ) {
        stopping?.throwIfAborted();
        count = Number((await some.executeTakeFirst()).numDeletedRows);
        // Others have their turn between two steps.
        await setImmediate();
      }
    },
  };
}
