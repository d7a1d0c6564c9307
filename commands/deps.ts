import type { ApprovalMessages } from '../src/approval/approval-messages.ts';
import type { Approvals } from '../src/approval/approvals.ts';
import type { DecisionMessages } from '../src/approval/decision-messages.ts';
import type { Discord } from '../src/discord/discord.ts';
import type { GuildLog } from '../src/guild-log/guild-log.ts';
import type { createGuilds } from '../src/guilds/guilds.ts';
import type { EditOrder } from '../src/interactions/edit-order.ts';
import type { Listing, ListingDeps } from '../src/listing/listing.ts';
import type { Logger } from '../src/logger.ts';
import type { Observer } from '../src/submissions/pipeline.ts';
import type { createSubmissionHandling } from '../src/submissions/submission-handling.ts';
import type { SubmissionStore } from '../src/submissions/submission-store.ts';

export interface CommandDeps
  extends Pick<Discord, 'posts' | 'attachments' | 'addBotLink' | 'isPublicChannel' | 'commandPermissions'>,
    Pick<
      ReturnType<typeof createGuilds>,
      'keys' | 'settings' | 'panels' | 'blocks' | 'directMessageOptOuts' | 'access' | 'deletion'
    >,
    Pick<Listing, 'games' | 'keyTrials' | 'breaker'>,
    Pick<SubmissionStore, 'drafts' | 'submissions' | 'history' | 'alreadySubmitted'>,
    ReturnType<typeof createSubmissionHandling>,
    Pick<ListingDeps, 'onKeyChange'> {
  readonly approvals: Approvals;
  readonly approvalMessages: ApprovalMessages;
  readonly decisionMessages: DecisionMessages;
  readonly editOrder: EditOrder;
  readonly guildLog: GuildLog;
  readonly submissionLog: Observer;
  /** Logs each act that can't be undone, without the user's id. */
  readonly logger: Pick<Logger, 'info'>;
  /** Number of days to keep a guild's data after the guild removes the bot. */
  readonly graceDays: number;
  /** Number of days to keep servers that the service accepted or may have received. */
  readonly historyDays: number;
  /** Number of days that deleted data stays in the bot's own backups; 0 without backups. */
  readonly backupDays: number;
  readonly links: { readonly support: string | undefined; readonly privacy: string | undefined };
}
