import { approvalView } from '../../src/approval/approval-view.ts';
import { LIMITS } from '../../src/discord/limits.ts';
import type { Context, PressContext, Reply } from '../../src/interactions/command.ts';
import { button, type Control, customId, linkButton, rows, select } from '../../src/interactions/controls.ts';
import { pageButtons, pageFooter, pageOf, readPage } from '../../src/interactions/pager.ts';
import type { ServerSubmission } from '../../src/listing/contract.ts';
import { withRepeats } from '../../src/server-lists/read-list.ts';
import { addressOf, type ReadyRow } from '../../src/server-lists/row.ts';
import type { SubmissionEntry } from '../../src/submissions/history.ts';
import { type Submission, serverResults } from '../../src/submissions/submission.ts';
import { shorten } from '../../src/text/one-line.ts';
import { pageAbout } from '../../src/words/listing-pages.ts';
import type { ServerWithOutcome } from '../../src/words/outcomes.ts';
import { labelledAddress } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { mineButton } from '../submit/repairs.ts';
import { anotherButton } from '../submit/report.ts';
import { showDraft } from '../submit/show.ts';
import { againForEntry, type NextSteps, NOTHING, resendFor, submitAgainFor } from './again.ts';
import {
  entryText,
  groupText,
  menuDescription,
  namedServersText,
  serverCountOf,
  serverTexts,
} from './entries.ts';
import type { ApprovalQueue } from './queue.ts';
import { replyForSubmission } from './waiting.ts';

export const PER_PAGE = 10;
/** With the numbers of servers, this fits into a menu's label, which is limited to 100. */
const MAX_LABELLED_ADDRESS_LENGTH = 50;

/** Submissions that are shown as one entry. If the entry is a list, `number` is its number among the lists on the page. */
export interface ShownEntry {
  readonly group: readonly SubmissionEntry[];
  readonly number: number | undefined;
}

export const openMenu = (t: Translate, entries: readonly ShownEntry[]): Control | undefined =>
  select({
    id: customId('submissions', 'open'),
    placeholder: t('submissions.open'),
    options: entries.flatMap(({ group, number }) => {
      const [first] = group;
      if (first === undefined) return [];
      const servers = namedServersText(t, group, (address) =>
        labelledAddress(address, MAX_LABELLED_ADDRESS_LENGTH),
      );
      const list = number === undefined ? servers : `${number}. ${servers}`;
      const isOne = group.length === 1 && first.only !== undefined;
      const label = isOne ? labelledAddress(addressOf(first.only), LIMITS.choiceName) : list;
      return {
        label: shorten(label, LIMITS.choiceName),
        value: first.id,
        description: shorten(menuDescription(t, first), LIMITS.choiceName),
      };
    }),
  });

export const replyWithMineButton = (t: Translate, content: string): Reply => ({
  content,
  components: rows([mineButton(t)]),
  isUserError: true,
});

export function openActions(
  deps: CommandDeps,
  { sightOf, showOne }: Pick<ApprovalQueue, 'sightOf' | 'showOne'>,
) {
  const { history, submissions, games, draftEditor } = deps;

  async function groupWith(guildId: string, entry: SubmissionEntry): Promise<readonly SubmissionEntry[]> {
    if (entry.state !== 'declined') return [entry];
    const groups = await history.find(guildId, { userId: entry.userId, outcome: 'declined' });
    const ids = groups.find((group) => group.includes(entry.id)) ?? [entry.id];
    return history.entries(guildId, ids);
  }

  /** Shows an entry in a new message, so that the page keeps its filter. The member, admins and moderators can see it. */
  async function open(context: PressContext, id: string, page = 1): Promise<Reply> {
    const { t, guildId, user } = context;
    const submission = await submissions.find(guildId, id);
    const isOwn = submission?.userId === user.id;
    const sight = await sightOf(context);
    const isSeen =
      isOwn || sight === 'all' || (sight === 'decided' && submission && isForModerators(submission));
    const [entry] = await history.entries(guildId, submission && isSeen ? [id] : []);
    if (submission === undefined || entry === undefined)
      return replyWithMineButton(t, t('submissions.noneFound'));
    if (entry.state === 'waiting')
      return isOwn ? replyForSubmission(context, submission, deps, true) : showOne(context, submission);
    if (entry.state === 'withdrawn')
      return isOwn ? showWithdrawn(context, submission) : replyWithMineButton(t, t('submissions.noneFound'));
    const group = await groupWith(guildId, entry);
    if (group.length > 1) {
      const text = groupText(context, group, { games, isOwn, isOpened: true });
      const label = t('submissions.editThese', { count: serverCountOf(group) });
      const again = isOwn && button(customId('submissions', 'resubmit', id), label, 'primary');
      return { embeds: [{ description: text }], components: rows([again]) };
    }
    const resend = sight === 'own' ? NOTHING : await resendFor(context, submission, deps);
    if (entry.only === undefined) return showServers(context, submission, page, resend);
    const again = isOwn ? await againForEntry(context, entry, deps) : { text: '', buttons: [] };
    const isUnsent = isOwn && entry.counts['not-sent'] > 0 && entry.state === 'done';
    // The draft has expired, so the server becomes a new one.
    const renew = isUnsent && again.buttons.length === 0 && resubmitButton(t, id, 1);
    const sent = entry.only.outcome.kind === 'accepted' ? sentNote(context, [entry.only]) : undefined;
    return {
      content: [again.text || resend.text, sent?.text].filter(Boolean).join('\n'),
      embeds: [
        { description: entryText(context, entry, { number: undefined, games, isOwn, isOpened: true }) },
      ],
      components: rows([
        ...again.buttons,
        ...resend.buttons,
        renew,
        isOwn && anotherButton(t, serverResults(submission)),
        sent?.button,
      ]),
    };
  }

  async function showWithdrawn(context: Context, submission: Submission): Promise<Reply> {
    const { components = [], ...reply } = await replyForSubmission(context, submission, deps);
    const remove = button(customId('submissions', 'remove', submission.id), context.t('submissions.remove'));
    return { ...reply, components: [...components, ...rows([remove])] };
  }

  /** Shows accepted servers last. */
  async function showServers(
    context: Context,
    submission: Submission,
    wanted: number,
    resend: NextSteps,
  ): Promise<Reply> {
    const { t } = context;
    const ended = serverResults(submission);
    const { length: count } = ended;
    if (count === 0) return replyWithMineButton(t, t('submissions.noneFound'));
    const page = pageOf({ count, perPage: PER_PAGE, wanted });
    const servers = ended
      .toSorted((one, other) => acceptedLast(one) - acceptedLast(other))
      .slice(page.offset, page.offset + page.limit);
    const again = await submitAgainFor(context, submission, deps);
    const isDeclined = submission.state === 'declined';
    const declined = isDeclined ? approvalView(t, submission, games).content : undefined;
    const [entry] = isDeclined ? await history.entries(submission.guildId, [submission.id]) : [];
    const isOwn = submission.userId === context.user.id;
    const edits = entry && isOwn ? (await againForEntry(context, entry, deps)).buttons : [];
    const accepted = ended.filter(({ outcome }) => outcome.kind === 'accepted').map(({ server }) => server);
    const sent = accepted.length > 0 ? sentNote(context, accepted) : undefined;
    return {
      content: [declined ?? (again.text || resend.text), sent?.text].filter(Boolean).join('\n'),
      embeds: [
        {
          title: t('look.servers', { count }),
          description: serverTexts(context, servers, { games, isDeclined }).join(isDeclined ? '\n' : '\n\n'),
          ...pageFooter(context, page),
        },
      ],
      components: rows(
        [...again.buttons, ...resend.buttons, ...edits, isOwn && anotherButton(t, ended), sent?.button],
        pageButtons(context, page, { command: 'submissions', action: 'turn', state: submission.id }),
      ),
    };
  }

  /** Makes a new draft of servers that were declined together or couldn't be sent, and shows its preview. */
  async function resubmit(context: PressContext): Promise<Reply> {
    const { t, guildId, user, argument: submissionId, interactionId: id } = context;
    const servers = await serversToResubmit(guildId, user.id, submissionId);
    if (servers.length === 0) return replyWithMineButton(t, t('submissions.nothingUnsent'));
    const rows = servers.map(
      (submission, index): ReadyRow => ({ kind: 'ready', line: index + 1, submission }),
    );
    const draft = { id, source: 'text', rows: withRepeats(rows) } as const;
    return showDraft(context, id, await draftEditor.open(context, draft), deps);
  }

  /** @param submissionId one of the declined submissions, or an unsent one; empty for everything unsent */
  async function serversToResubmit(
    guildId: string,
    userId: string,
    submissionId: string,
  ): Promise<readonly ServerSubmission[]> {
    if (submissionId === '') return history.unsent(guildId, userId);
    const [entry] = await history.entries(guildId, [submissionId]);
    if (entry?.userId !== userId) return [];
    if (entry.state !== 'declined') return history.unsent(guildId, userId, [submissionId]);
    const group = await groupWith(guildId, entry);
    const found = await Promise.all(group.map((each) => submissions.find(guildId, each.id)));
    return found.flatMap((submission) => submission?.servers.map(({ server }) => server) ?? []);
  }

  return {
    open: { answers: 'immediate', run: (context: PressContext) => open(context, context.values[0] ?? '') },
    turn: { answers: 'immediate update', run: turn },
    resubmit: { answers: 'later', run: resubmit },
    remove: {
      answers: 'update',
      async run(context: PressContext): Promise<Reply> {
        const { t, argument } = context;
        const isRemoved = await deps.approvals.removeWithdrawn(context, argument);
        return isRemoved
          ? { content: t('button.deleted') }
          : replyWithMineButton(t, t('submissions.noneFound'));
      },
    },
  } as const;

  async function turn(context: PressContext): Promise<Reply> {
    const { wanted, state: id } = readPage(context.argument);
    return open(context, id, wanted);
  }
}

const isForModerators = ({ needsModerator, state }: Submission): boolean =>
  needsModerator && state !== 'withdrawn' && state !== 'expired';

/** Builds the button that makes a new draft of unsent servers. @param id a submission's id; empty for all unsent servers */
export const resubmitButton = (t: Translate, id: string, count: number): Control =>
  button(customId('submissions', 'resubmit', id), t('submissions.allUnsent', { count }), 'primary');

/** Explains that sent servers can't be changed, and links to the listing's page if there is one. */
function sentNote(
  context: Context,
  servers: readonly ServerSubmission[],
): { readonly text: string; readonly button: Control | false } {
  const { t } = context;
  const [only, ...others] = servers;
  const page = pageAbout(context, others.length === 0 ? only : undefined);
  return {
    text: `-# ${t('submissions.sent')}`,
    button: page !== undefined && linkButton(page, t('listing.check')),
  };
}

const acceptedLast = ({ outcome }: ServerWithOutcome): number => (outcome.kind === 'accepted' ? 1 : 0);
