import type { ApprovalMessages } from '../src/approval/approval-messages.ts';
import type { Approvals } from '../src/approval/approvals.ts';
import type { DecisionMessages } from '../src/approval/decision-messages.ts';
import type { Discord } from '../src/discord/discord.ts';
import type { GuildLog } from '../src/guild-log/guild-log.ts';
import type { createGuilds } from '../src/guilds/guilds.ts';
import type { EditOrder } from '../src/interactions/edit-order.ts';
import type { Listing, ListingDeps } from '../src/listing/listing.ts';
import type { Observer } from '../src/submissions/pipeline.ts';
import type { createSubmissionHandling } from '../src/submissions/submission-handling.ts';
import type { SubmissionStore } from '../src/submissions/submission-store.ts';

/** What all commands together may touch: parts of the modules, and what is created beside them. */
export interface CommandDeps
  extends Pick<Discord, 'posts' | 'attachments' | 'addBotLink'>,
    Pick<
      ReturnType<typeof createGuilds>,
      'keys' | 'settings' | 'panels' | 'directMessageOptOuts' | 'access' | 'deletion'
    >,
    Pick<Listing, 'games' | 'keyTrials' | 'breaker'>,
    Pick<SubmissionStore, 'drafts' | 'submissions' | 'history'>,
    ReturnType<typeof createSubmissionHandling>,
    Pick<ListingDeps, 'onKeyChange'> {
  readonly approvals: Approvals;
  readonly approvalMessages: ApprovalMessages;
  readonly decisionMessages: DecisionMessages;
  readonly editOrder: EditOrder;
  readonly guildLog: GuildLog;
  /** The observer that tells the log channel. */
  readonly submissionLog: Observer;
  /** For how many days the data of a guild that removed the bot is kept. */
  readonly graceDays: number;
  /** For how many days accepted servers are kept. */
  readonly historyDays: number;
  /** For how many days the bot's own backups keep what was deleted; 0: it makes none. */
  readonly backupDays: number;
  /** Whether Steam gets addresses of game servers. */
  readonly looksUpServers: boolean;
  readonly links: { readonly support: string | undefined; readonly privacy: string | undefined };
}
