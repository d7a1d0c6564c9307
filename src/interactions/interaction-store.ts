import { z } from 'zod';
import { LostInteractionError } from '../discord/api.ts';
import type { Logger } from '../logger.ts';
import { DAY_MS } from '../pacing/durations.ts';
import { retryAfter } from '../pacing/retry.ts';
import type { Encryption } from '../storage/encryption.ts';
import { inPieces, PIECE } from '../storage/pieces.ts';
import type { Store } from '../storage/store.ts';
import type { InteractionsTable } from '../storage/tables.ts';
import { Secret } from '../text/secret.ts';
import { type MessageKey, messageWritten } from './deliver.ts';
import type { Interaction, MessageContent } from './interaction.ts';

/**
 * How long to keep the id of an interaction with a reply, in milliseconds since its arrival. Without the ids, 171 of 800
 * interactions that Discord redelivered late were handled twice (measured).
 */
const REPLIED_KEPT_MS = 3_600_000;
/** Applies to interactions without a reply. Their members are notified the next time the bot starts. */
export const UNREPLIED_KEPT_DAYS = 30;

const MARK_REPLIED_PAUSES_MS = [1_000, 5_000, 10_000];

/** The encrypted part of a stored interaction: everything needed to reply later, even after the process has died. */
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
  /** The {@link MessageKey} of the message that the reply creates or changes. */
  message: z.string(),
  customId: z.string().optional(),
  /** Version 0.3.0 omitted `id` and `receivedAt` if they had columns of their own. */
  id: z.string().default(''),
  receivedAt: z.number().default(0),
});

export const interactionContext = (guildId: string, interactionId: string): string =>
  `guild ${guildId}: interaction ${interactionId}`;

export interface StoredInteraction {
  readonly interaction: Interaction;
  readonly message: MessageKey;
  /** The current content of the message that the reply changes; `undefined` if the reply is a new message. */
  readonly shown?: MessageContent | undefined;
  readonly customId?: string | undefined;
}

export interface InteractionStoreDeps {
  readonly store: Pick<Store, 'tables' | 'unsynced'>;
  readonly processId: string;
  /** Whether several processes use the database, so another process could take over interactions. */
  readonly isShared: boolean;
  readonly encryption: Pick<Encryption, 'seal' | 'open'>;
  readonly logger: Pick<Logger, 'error'>;
}

export type InteractionStore = ReturnType<typeof createInteractionStore>;

/**
 * Creates the store for interactions that submit or change something. Each interaction is recorded before it is
 * acknowledged, and stays recorded until it has been replied to. Every method throws a StoreError when the store fails.
 */
export function createInteractionStore({
  store: { tables, unsynced },
  processId,
  isShared,
  encryption,
  logger,
}: InteractionStoreDeps) {
  /** @param context binds the ciphertext to the place where it is stored */
  function seal({ interaction, ...others }: StoredInteraction, context: string): string {
    // Drops all fields that aren't part of the schema.
    const kept = encryptedSchema.parse({ ...interaction, ...others, token: interaction.token.reveal() });
    return JSON.stringify(encryption.seal(JSON.stringify(kept), context));
  }

  /**
   * @param known fields that are stored in columns of their own
   * @returns `undefined` if the data can't be decrypted or parsed, which is also logged
   */
  function open(
    encrypted: string | null,
    context: string,
    known: Pick<Interaction, 'guildId'> & Partial<Interaction>,
  ): StoredInteraction | undefined {
    try {
      const plain = encryption.open(JSON.parse(encrypted ?? ''), context);
      const { token, shown, message, customId, ...kept } = encryptedSchema.parse(JSON.parse(plain));
      const interaction: Interaction = {
        ...kept,
        token: new Secret(token),
        isInstalledInGuild: true,
        isInThread: false,
        isAdministrator: false,
        roleIds: [],
        request: { kind: 'unknown' },
        ...known,
      };
      return { interaction, shown, message, customId };
    } catch (error) {
      // A SyntaxError's message would quote the decrypted data, so it isn't logged.
      const cause = error instanceof SyntaxError ? {} : { err: error };
      logger.error({ ...cause, context }, 'could not read a stored interaction; skipping it');
      return undefined;
    }
  }

  const openRow = ({ id, guild_id: guildId, taken_at: receivedAt, encrypted }: InteractionsTable) =>
    open(encrypted, interactionContext(guildId, id), { id, guildId, receivedAt });

  /** The owner can't change during the guild's transaction. */
  async function owns(interactionId: string): Promise<boolean> {
    if (!isShared) return true;
    const row = await tables()
      .selectFrom('interactions')
      .select('process_id')
      .where('id', '=', interactionId)
      .executeTakeFirst();
    // The row is missing if an admin has deleted the guild's data.
    return row === undefined || row.process_id === processId;
  }

  const unrepliedOfAllProcesses = () =>
    tables().selectFrom('interactions').selectAll().where('encrypted', 'is not', null);

  const unreplied = () => unrepliedOfAllProcesses().where('process_id', '=', processId);

  return {
    seal,
    open,
    openRow,

    /**
     * Finds an interaction without a reply, whichever process owns it. `undefined` if it's missing or can't be decrypted.
     */
    async find(interactionId: string): Promise<StoredInteraction | undefined> {
      const row = await unrepliedOfAllProcesses().where('id', '=', interactionId).executeTakeFirst();
      return row && openRow(row);
    },

    /** @throws LostInteractionError if the interaction has already been recorded */
    async record(interaction: Interaction, shown?: MessageContent): Promise<void> {
      const { id, guildId, receivedAt, request } = interaction;
      const message = messageWritten(interaction, shown !== undefined);
      const customId = 'customId' in request ? request.customId : undefined;
      const kept = { interaction, shown, message, customId };
      const row = {
        id,
        guild_id: guildId,
        process_id: processId,
        taken_at: receivedAt,
        encrypted: seal(kept, interactionContext(guildId, id)),
        // Claims the message if the reply is a new message. An existing message is only claimed once the reply is ready;
        // see `claim` in edit-order.ts.
        message_key: message === id ? id : null,
      };
      const { numInsertedOrUpdatedRows } = await unsynced('interaction', () =>
        tables()
          .insertInto('interactions')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst(),
      );
      if (numInsertedOrUpdatedRows !== 1n)
        throw new LostInteractionError('The interaction was delivered twice');
    },

    /** Returns false if the store fails. Never throws. */
    isOwned: (interactionId: string): Promise<boolean> => owns(interactionId).catch(() => false),

    /**
     * Whether a finished action's reply can be sent. True while the store is unavailable, because no other process can then
     * take over the interaction. Never throws.
     */
    canReply: (interactionId: string): Promise<boolean> => owns(interactionId).catch(() => true),

    /** @throws LostInteractionError if the interaction was taken over */
    async demandOwned(interactionId: string): Promise<void> {
      if (await owns(interactionId)) return;
      throw new LostInteractionError('The interaction was taken over');
    },

    /** Only includes this process's interactions, oldest first. */
    unreplied: () => unreplied().orderBy('taken_at').execute(),

    async isUnreplied(interactionId: string): Promise<boolean> {
      return (await unreplied().where('id', '=', interactionId).executeTakeFirst()) !== undefined;
    },

    /**
     * Marks an interaction as replied to, even if a reply is no longer possible. Retries while a PostgreSQL server
     * restarts, because the member would otherwise be notified twice.
     */
    async markReplied(interactionId: string): Promise<void> {
      const mark = () =>
        tables()
          .updateTable('interactions')
          .set({ encrypted: null })
          .where('id', '=', interactionId)
          .execute();
      await retryAfter(MARK_REPLIED_PAUSES_MS, () => unsynced('interaction', mark));
    },

    /** @throws the abort reason once `stopping` is aborted, but only between statements */
    async prune(stopping?: AbortSignal): Promise<void> {
      const isOld = () =>
        tables()
          .selectFrom('interactions')
          .select('id')
          .where('taken_at', '<=', Date.now() - REPLIED_KEPT_MS)
          .where(({ or, eb }) =>
            or([
              eb('encrypted', 'is', null),
              eb('taken_at', '<=', Date.now() - UNREPLIED_KEPT_DAYS * DAY_MS),
            ]),
          )
          .limit(PIECE);
      const deleteSome = () =>
        tables().deleteFrom('interactions').where('id', 'in', isOld()).executeTakeFirst();
      await inPieces(
        async () => Number((await unsynced('pruning', deleteSome)).numDeletedRows) === PIECE,
        stopping,
      );
    },
  };
}
