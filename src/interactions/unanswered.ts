import { setTimeout as sleep } from 'node:timers/promises';
import { SnowflakeUtil } from 'discord.js';
import { z } from 'zod';
import { type DiscordApi, isRefused, TOKEN_LIVES_MS } from '../discord/api.ts';
import type { Logger } from '../logger.ts';
import { retryAfter } from '../retry.ts';
import { Secret } from '../secret.ts';
import type { Encryption } from '../storage/encryption.ts';
import { isAbandoned } from '../storage/leases.ts';
import type { Store } from '../storage/store.ts';
import { GuildLocked, StoreError } from '../storage/store-error.ts';
import type { InteractionsTable } from '../storage/tables.ts';
import { deleteInSteps, ROWS_AT_ONCE } from '../submissions/in-steps.ts';
import type { Records } from '../submissions/record.ts';
import { UserError } from '../user-error.ts';
import { escapeText } from '../words/escape.ts';
import { sentences } from '../words/sentences.ts';
import { type Context, contextOf, type Reply, type Wording } from './command.ts';
import {
  bareText,
  deliver,
  type MessageKey,
  messageWritten,
  persist,
  type Writer,
  type Writers,
} from './deliver.ts';
import type { GuildLog } from './guild-log.ts';
import type { Interaction, Shown } from './interaction.ts';

/** How long the id of an answered interaction stays: 171 of 800 late second deliveries were taken twice without (tried). */
const ANSWERED_KEPT_MS = 3_600_000;
/** How long an interaction stays that nobody could answer: the next start tells of it. */
export const UNANSWERED_KEPT_DAYS = 30;
/** How often, and for how many milliseconds each time, an earlier answer to the same message is waited for. */
const OLDER_PAUSES = 20;
const OLDER_PAUSE_MS = 100;
/** Discord takes a first response for 3 seconds; later than this none is taken any more. In milliseconds. */
const ACKNOWLEDGED_BY_MS = 4_000;

/** Before it is noted again that an interaction was answered, in milliseconds. */
const NOTE_PAUSES = [1_000, 5_000, 10_000];

/** What is sealed of an interaction: all it takes to answer it after the process that took it has died. */
const sealedSchema = z.object({
  applicationId: z.string(),
  token: z.string(),
  user: z.object({ id: z.string(), name: z.string() }),
  isAdmin: z.boolean(),
  channelId: z.string(),
  locale: z.string(),
  guildLocale: z.string(),
  /** What the message shows that its answer changes. */
  shown: z
    .object({ content: z.string(), embeds: z.array(z.unknown()), components: z.array(z.unknown()) })
    .optional(),
  /** Which message its answer is written to. */
  message: z.string(),
});

/** What the sealed part of an interaction was sealed for. */
export const interactionContext = (guildId: string, interactionId: string): string =>
  `guild ${guildId}: interaction ${interactionId}`;

/**
 * Interactions that submit or change something, recorded from before they are acknowledged until they are answered.
 * When the process that took them has died, their members are told what became of them; nothing is done again. Every
 * method throws a StoreError when the store fails.
 */
export interface Unanswered {
  /** The ids of what this process is at work on. All else that is its own it tells of, as if it had been another's. */
  readonly underWay: Set<string>;
  /**
   * False when this very interaction was taken already: it was delivered twice.
   * @param shown what the message shows that its answer changes
   */
  take(interaction: Interaction, shown?: Shown): Promise<boolean>;
  /**
   * Whether no other process has taken it over, since this one was silent for too long. Inside of a transaction of its
   * guild that stays so.
   */
  isOurs(interactionId: string): Promise<boolean>;
  /**
   * It writes this message from now on.
   * @returns whether it is ours: see {@link Unanswered.isOurs}
   */
  begin(interactionId: string, message: MessageKey): Promise<boolean>;
  /**
   * Whether no later interaction has begun to change the message, in whatever process. Where an earlier one is still about
   * to change it, this waits for it, two seconds at most: Discord might do the earlier one's last.
   */
  isLatest(interactionId: string, message: MessageKey): Promise<boolean>;
  /** What the member sees of it: asked again once Discord takes no acknowledgement any more that is still on its way. */
  stateOf(interaction: Interaction): ReturnType<DiscordApi['read']>;
  /** It is answered, or can no longer be. */
  answered(interactionId: string): Promise<void>;
  /** Discord does not take the answer: what became of a submission is said in the guild's log. */
  undeliverable(interaction: Interaction): Promise<void>;
  /**
   * Takes over what belongs to nobody alive, guild by guild, and tells in the background of it and of what this process
   * itself could not answer. A guild that is locked, and whoever could not be told, is due again at the next call. At the start it comes before anything new is taken.
   */
  takeOver(stopping: AbortSignal): Promise<void>;
  /** Lets go of what is past its time. */
  prune(): Promise<void>;
}

export interface UnansweredDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild'>;
  /** The id of this process. */
  readonly owner: string;
  readonly encryption: Pick<Encryption, 'seal' | 'open'>;
  readonly api: Pick<DiscordApi, 'read' | 'edit'>;
  readonly writers: Writers;
  readonly wording: Wording;
  /** Ends the submissions that belong to nobody alive, so that what became of them can be told. */
  readonly submissions: Pick<Records, 'abandonedGuilds' | 'endAbandoned'>;
  /** What became of what the interaction has submitted; `undefined` when it submitted nothing. */
  readonly reportOf: (context: Context) => Promise<Reply | undefined>;
  /** Says to a guild what its member can no longer be told. */
  readonly tellGuild: GuildLog['tell'];
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** An interaction that a dead process had recorded and not answered. */
interface AbandonedInteraction {
  readonly interaction: Interaction;
  readonly shown: Shown | undefined;
  readonly message: MessageKey;
}

export function createUnanswered(deps: UnansweredDeps): Unanswered {
  const { store, owner, encryption, api, writers, wording, submissions, reportOf, tellGuild, logger } = deps;
  const { now = Date.now } = deps;
  const { pause = sleep } = deps;
  const interactions = () => store.tables().updateTable('interactions');
  const underWay = new Set<string>();

  /** While a server of PostgreSQL restarts this is tried again: otherwise what was answered is told of once more. */
  async function answered(interactionId: string): Promise<void> {
    await retryAfter(NOTE_PAUSES, () =>
      interactions().set({ sealed: null }).where('id', '=', interactionId).execute(),
    );
  }

  /** @returns `undefined` when it cannot be opened */
  function open(row: InteractionsTable): AbandonedInteraction | undefined {
    try {
      const plain = encryption.open(JSON.parse(row.sealed ?? ''), interactionContext(row.guild_id, row.id));
      const { token, shown, message, ...kept } = sealedSchema.parse(JSON.parse(plain));
      const interaction: Interaction = {
        ...kept,
        id: row.id,
        guildId: row.guild_id,
        receivedAt: row.taken_at,
        token: new Secret(token),
        mayPost: false,
        isInstalledInGuild: true,
        asked: { kind: 'unknown' },
      };
      return { interaction, shown, message };
    } catch (error) {
      // The words of a SyntaxError quote what the record holds.
      const cause = error instanceof SyntaxError ? {} : { err: error };
      logger.error({ ...cause, interactionId: row.id }, 'an interaction that was left cannot be read');
      return undefined;
    }
  }

  /** The guilds of which anything belongs to nobody alive. */
  async function abandonedGuilds(): Promise<ReadonlySet<string>> {
    const found = await store
      .tables()
      .selectFrom('interactions')
      .select('guild_id')
      .where('sealed', 'is not', null)
      .where(isAbandoned(store, owner))
      .execute();
    return new Set([...found.map(({ guild_id }) => guild_id), ...(await submissions.abandonedGuilds())]);
  }

  /**
   * Makes ours what is abandoned in a guild, in a transaction of the guild: a process that only slept reserves and sends
   * nothing of it any more.
   */
  async function claim(guildId: string): Promise<void> {
    await interactions()
      .set({ owner })
      .where('guild_id', '=', guildId)
      .where('sealed', 'is not', null)
      .where(isAbandoned(store, owner))
      .execute();
    await submissions.endAbandoned(guildId);
  }

  /** What this process has taken or claimed, and what is not answered. */
  const ours = () =>
    store
      .tables()
      .selectFrom('interactions')
      .selectAll()
      .where('sealed', 'is not', null)
      .where('owner', '=', owner);

  /** Tells, in the background, of what is ours and not under way. Who cannot be told now is told after the next call. */
  async function tellOurs(): Promise<void> {
    for (const row of await ours().orderBy('taken_at').execute()) {
      if (underWay.has(row.id)) continue;
      underWay.add(row.id);
      const abandoned = open(row);
      // It stays under way, so that this is logged once.
      if (!abandoned) continue;
      // Opened before anything new arrives, whose answer is therefore the newer one.
      const writer = writers.open(abandoned.message);
      tellOne(abandoned, writer)
        .catch((error: unknown) =>
          logger.error({ err: error, interactionId: row.id }, 'what was left could not be told'),
        )
        .finally(() => {
          writer.close();
          underWay.delete(row.id);
        });
    }
  }

  async function stateOf(interaction: Interaction): ReturnType<DiscordApi['read']> {
    const ageMs = now() - interaction.receivedAt;
    if (ageMs >= TOKEN_LIVES_MS) return 'gone';
    const state = await persist(() => api.read(interaction));
    if (state !== 'gone' || ageMs >= ACKNOWLEDGED_BY_MS) return state;
    await pause(ACKNOWLEDGED_BY_MS - Math.max(ageMs, 0));
    return persist(() => api.read(interaction));
  }

  async function undeliverable(interaction: Interaction): Promise<void> {
    const context = contextOf(interaction, wording);
    const report = await reportOf({ ...context, t: context.guildT });
    if (report) {
      await tellGuild(interaction.guildId, (t) =>
        t('resume.told', { user: escapeText(interaction.user.name), what: bareText(report) }),
      );
    }
    await answered(interaction.id);
  }

  async function isOurs(interactionId: string): Promise<boolean> {
    const row = await store
      .tables()
      .selectFrom('interactions')
      .select('owner')
      .where('id', '=', interactionId)
      .executeTakeFirst();
    // It is gone where its member had the data of the guild deleted.
    return row === undefined || row.owner === owner;
  }

  async function begin(interactionId: string, message: MessageKey): Promise<boolean> {
    if (message !== interactionId) {
      await interactions()
        .set({ changes: message })
        .where('id', '=', interactionId)
        .where('owner', '=', owner)
        .execute();
    }
    return isOurs(interactionId);
  }

  async function isLatest(interactionId: string, message: MessageKey): Promise<boolean> {
    for (let pauses = 0; ; pauses += 1) {
      const others = await store
        .tables()
        .selectFrom('interactions')
        .select('id')
        .where('changes', '=', message)
        .where('id', '<>', interactionId)
        .where(({ or, eb }) => or([eb('id', '>', interactionId), eb('sealed', 'is not', null)]))
        .execute();
      if (others.some(({ id }) => id > interactionId)) return false;
      if (others.length === 0 || pauses === OLDER_PAUSES) return true;
      await pause(OLDER_PAUSE_MS);
    }
  }

  async function tellOne(
    { interaction, shown, message }: AbandonedInteraction,
    writer: Writer,
  ): Promise<void> {
    const { id, guildId } = interaction;
    // Whoever was at work on it may have answered it since it was read.
    if (!(await ours().where('id', '=', id).executeTakeFirst())) return;
    const context = contextOf(interaction, wording);
    const state = await stateOf(interaction);
    if (state === 'gone') return undeliverable(interaction);
    // Discord shows no "thinking…" on a message that is updated.
    if (shown || state === 'thinking') {
      const { t } = context;
      // The message that it changes is shown again with its buttons.
      const next = shown ? t('ended.next.not-sent') : t('again.runAgain');
      const said = (await reportOf(context)) ?? sentences(t('notSent.stopping'), next);
      try {
        if (!(await begin(id, message))) return;
        await deliver(
          {
            api,
            interaction,
            shown,
            writer,
            isLatest: () => isLatest(id, message),
            instead: () => context.t('failure.notTaken', { submissions: context.mention('submissions') }),
          },
          said,
        );
      } catch (error) {
        // What Discord did not take for another reason is tried again.
        if (isRefused(error)) return undeliverable(interaction);
        throw error;
      }
    }
    await answered(id);
    logger.info({ interactionId: id, guildId }, 'told of what was left from before the restart');
  }

  return {
    async take(interaction, shown) {
      const { id, guildId, receivedAt, token, applicationId, user, isAdmin, channelId, locale, guildLocale } =
        interaction;
      const ageMs = now() - SnowflakeUtil.timestampFrom(id);
      if (ageMs > TOKEN_LIVES_MS) {
        logger.warn(
          { interactionId: id, ageMs },
          'an interaction was not taken: by its id it is older than 15 minutes; is the clock of this machine wrong?',
        );
        // If it is that old, Discord takes no answer to it.
        throw new UserError(contextOf(interaction, wording).t('dispatch.clock'));
      }
      const kept = {
        applicationId,
        token: token.reveal(),
        user,
        isAdmin,
        channelId,
        locale,
        guildLocale,
        shown,
        message: messageWritten(interaction, shown !== undefined),
      };
      const sealed = encryption.seal(JSON.stringify(kept), interactionContext(guildId, id));
      const { numInsertedOrUpdatedRows } = await store
        .tables()
        .insertInto('interactions')
        .values({ id, guild_id: guildId, owner, taken_at: receivedAt, sealed: JSON.stringify(sealed) })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    underWay,
    isOurs,
    begin,
    isLatest,
    stateOf,
    answered,
    undeliverable,
    async takeOver(stopping) {
      const guilds = await abandonedGuilds();
      await tellOurs();
      for (const guildId of guilds) {
        if (stopping.aborted) return;
        try {
          await store.inGuild(guildId, () => claim(guildId), { ifFree: true });
        } catch (error) {
          if (error instanceof GuildLocked) continue;
          // The database is away: the other guilds would wait for it one by one.
          if (error instanceof StoreError) throw error;
          logger.error({ err: error, guildId }, 'what is left of a guild could not be taken over');
        }
        await tellOurs();
      }
    },
    async prune() {
      const old = store
        .tables()
        .selectFrom('interactions')
        .select('id')
        .where('taken_at', '<=', now() - ANSWERED_KEPT_MS)
        .where(({ or, eb }) =>
          or([eb('sealed', 'is', null), eb('taken_at', '<=', now() - UNANSWERED_KEPT_DAYS * 24 * 3_600_000)]),
        )
        .limit(ROWS_AT_ONCE);
      await deleteInSteps(store.tables().deleteFrom('interactions').where('id', 'in', old));
    },
  };
}
