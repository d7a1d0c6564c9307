import { ApplicationCommandOptionType } from 'discord.js';
import { LIMITS } from '../../src/discord/limits.ts';
import type { Command, Context, PressContext, Reply } from '../../src/interactions/command.ts';
import { button, type Control, customId, rows } from '../../src/interactions/controls.ts';
import {
  type Page,
  pageButtons,
  pageFooter,
  pageOf,
  readPage,
  writePage,
} from '../../src/interactions/pager.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { createInOrder } from '../../src/pacing/in-order.ts';
import { boundedCsv } from '../../src/server-lists/csv-file.ts';
import { isInvalid, isReady, type Row } from '../../src/server-lists/row.ts';
import type { EarlierSubmission } from '../../src/submissions/already-submitted.ts';
import { type Draft, rowsToSend } from '../../src/submissions/draft.ts';
import { type HistoryFilter, MAX_ENTRIES, MAX_SUBMISSIONS_FOUND } from '../../src/submissions/history.ts';
import { choiceText, optionText } from '../../src/words/command-text.ts';
import { escapeCode, escapeText, memberText } from '../../src/words/escape.ts';
import { gameChoices } from '../../src/words/games.ts';
import { keyText } from '../../src/words/keys.ts';
import { sentences } from '../../src/words/sentences.ts';
import { addressCode, gameNamed, withSign } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { slashCommand } from '../slash-command.ts';
import { submitId } from '../submit/ids.ts';
import { decisionActions } from './decide-one.ts';
import { severalActions } from './decide-several.ts';
import { entryText, FILE_HEADING, fileRow, groupText } from './entries.ts';
import {
  AT_START,
  addressPart,
  FOUND_OUTCOMES,
  gameMark,
  outcomeNamed,
  readFilter,
  type SubmissionFilter,
  waitingId,
  writeFilter,
} from './filter.ts';
import { blocksButton } from './list-several.ts';
import {
  openActions,
  openMenu,
  PER_PAGE,
  replyWithMineButton,
  resubmitButton,
  type ShownEntry,
} from './open.ts';
import { createApprovalQueue, type Sight } from './queue.ts';

/** Each list costs several SQL statements, and Discord only waits 3 seconds for the reply. */
const MAX_OVER = 3;

interface Unfinished {
  readonly text?: string;
  readonly button?: Control;
}

/** Puts the filter into the page buttons' custom ids. */
export function submissionsCommand(deps: CommandDeps): Command {
  const { history, games } = deps;
  const queue = createApprovalQueue(deps);
  const one = decisionActions(deps, queue);
  const several = severalActions(deps, queue, (context) => showHistory(context, readFilter(''), 1));

  const exportsByMember = createInOrder();

  async function exportOne(context: PressContext): Promise<Reply> {
    const { user, t } = context;
    if (exportsByMember.isBusy(user.id)) throw new UserError(t('again.busy'), 'busy');
    return exportsByMember.run(user.id, () => exported(context));
  }

  /** Exports the matching entries of all pages, as many as fit into a file. The reply mentions any that were left out. */
  async function exported(context: PressContext): Promise<Reply> {
    const { t, mention, guildId, argument } = context;
    const sight = context.isAdmin ? 'all' : 'own';
    const which = await historyFilterFor(context, readFilter(readPage(argument).state), sight);
    async function* tableRows(): AsyncGenerator<readonly (readonly string[])[]> {
      for await (const entries of history.all(guildId, which)) {
        yield entries.map((entry) => fileRow(context, entry, games));
      }
    }
    const { data, isWhole } = await boundedCsv(FILE_HEADING, tableRows(), LIMITS.fileBytes);
    const texts = [
      t('submissions.exported'),
      !isWhole && t('submissions.leftOut', { submissions: mention('submissions') }),
    ];
    return {
      content: texts.filter(Boolean).join('\n'),
      files: [{ name: 'submissions.csv', data }],
    };
  }

  async function historyFilterFor(
    context: Context,
    filter: SubmissionFilter,
    sight: Sight,
  ): Promise<HistoryFilter> {
    const { userId, game, outcome, server } = permitted(context, filter, sight);
    return {
      readerId: context.user.id,
      ...(sight === 'decided' && { isDecided: true }),
      ...(userId !== '' && { userId }),
      // An empty alias doesn't match any server.
      ...(game !== '' && { game: (await aliasOfMark(context.guildId, game)) ?? '' }),
      ...(outcome !== undefined && { outcome }),
      ...(server !== '' && { address: server.toLowerCase() }),
    };
  }

  /** Returns the alias of the typed game, or of the most similar one. The service may no longer have the guild's games. */
  async function aliasMeant(guildId: string, typed: string): Promise<string> {
    const found = games.find(typed);
    if (found) return found.alias;
    const [near] = (await history.gameAliases(guildId)).has(typed) ? [] : games.search(typed, 1);
    return near?.alias ?? typed;
  }

  async function aliasOfMark(guildId: string, mark: string): Promise<string | undefined> {
    const known = games.all.find(({ alias }) => gameMark(alias) === mark);
    if (known) return known.alias;
    return [...(await history.gameAliases(guildId))].find((alias) => gameMark(alias) === mark);
  }

  /**
   * Shows a waiting submission that the member made or can decide on, or else the history.
   * @param waiting the place of the waiting submission to show
   */
  async function show(context: Context, filter: SubmissionFilter, waiting = AT_START): Promise<Reply> {
    if (!isWhole(context, filter)) return showHistory(context, filter, 1);
    const isOwn = filter.userId === context.user.id;
    const decide = isOwn ? (await waysToWaiting(context, filter)).decide : undefined;
    const unfinished = await unfinishedList(context);
    const extra = [unfinished.button, decide].filter((each) => each !== undefined);
    const first = await queue.waiting(context, waiting, { isOwn, extra });
    if (first === undefined) return showHistory(context, filter, 1, unfinished);
    const decides = !isOwn && (await queue.sightOf(context)) !== 'own';
    const problem = decides ? await deps.keys.problem(context.guildId) : undefined;
    const key = problem && withSign('not-sent', keyText(problem, context));
    return { ...first, content: [unfinished.text, key, first.content].filter(Boolean).join('\n\n') };
  }

  /**
   * Describes the newest unfinished list or unsent server, and builds the button that opens it. Leaves out lists that are over
   * because all of their lines were already submitted, but only looks at the newest {@link MAX_OVER} lists.
   */
  async function unfinishedList(context: Context): Promise<Unfinished> {
    const { t, guildId, user } = context;
    const over: string[] = [];
    while (over.length < MAX_OVER) {
      const found = await deps.drafts.unfinished(context, over);
      if (found === undefined) return {};
      const { newest, count } = found;
      const before = await deps.alreadySubmitted.find({ guildId, userId: user.id }, newest.rows);
      const text = unfinishedText(t, newest, before);
      if (text !== undefined) {
        const older = count > 1 ? t('submissions.olderLists', { count: count - 1 }) : undefined;
        return {
          text: sentences(text, older),
          button: button(submitId('continue', newest.id), t('submissions.continue'), 'primary'),
        };
      }
      over.push(newest.id);
    }
    return {};
  }

  /**
   * Builds the buttons that open waiting submissions: those that the member can decide on, and the member's own or those that a
   * search finds. Counts the submissions that match the filter.
   * @param which a search's filter for the history
   */
  async function waysToWaiting(
    context: Context,
    filter: SubmissionFilter,
    which?: HistoryFilter,
  ): Promise<Partial<Record<'decide' | 'own', Control | undefined>> & { readonly count: number }> {
    const { t, guildId } = context;
    if (!isWhole(context, filter)) {
      if (which === undefined || filter.outcome !== undefined) return { count: 0 };
      const outcome = 'waiting';
      const { length: count } = await history.find(guildId, { ...which, outcome });
      const page = writePage(1, writeFilter({ ...filter, outcome }));
      const label = t('submissions.ownWaiting', { count });
      return { count, own: count > 0 ? button(customId('submissions', 'page', page), label) : undefined };
    }
    const { toDecide, own } = await queue.count(context);
    const decide =
      toDecide > 0 ? button(waitingId(), t('submissions.decide', { count: toDecide })) : undefined;
    // The submissions to decide on already include the member's own.
    const isOwnShown = own > 0 && (toDecide === 0 || filter.userId !== '');
    const ownLabel = t('submissions.ownWaiting', { count: own });
    return {
      decide,
      own: isOwnShown ? button(waitingId(writeFilter(filter)), ownLabel) : undefined,
      count: filter.userId === '' ? Math.max(toDecide, own) : own,
    };
  }

  async function showHistory(
    context: Context,
    filter: SubmissionFilter,
    wantedPage: number,
    knownUnfinished?: Unfinished,
  ): Promise<Reply> {
    const { t, guildId } = context;
    const sight = await queue.sightOf(context);
    const isOthers = filter.userId !== '' && filter.userId !== context.user.id;
    if (sight === 'own' && isOthers) return replyWithMineButton(t, t('submissions.othersNotAllowed'));
    const which = await historyFilterFor(context, filter, sight);
    const found = await history.find(guildId, which);
    const { own, decide, count } = await waysToWaiting(context, filter, which);
    // The history doesn't include waiting submissions unless the filter asks for them.
    if (found.length === 0 && !isWhole(context, filter) && count > 0)
      return showHistory(context, { ...filter, outcome: 'waiting' }, wantedPage);
    // Admins find the list of blocks in /settings, and moderators in the queue as long as submissions are waiting.
    const isForModerator = sight === 'decided' && decide === undefined && isWhole(context, filter);
    const moderate = isForModerator ? blocksButton(t) : decide;
    const unfinished = knownUnfinished ?? (isWhole(context, filter) ? await unfinishedList(context) : {});
    if (found.length === 0) {
      const none = unfinished.button ? '' : noneText(context, filter, sight);
      const text = count > 0 ? `**${t('submissions.waiting', { count })}**` : none;
      if (!isWhole(context, filter)) {
        // The name of an unknown game isn't kept, and the other values alone would be misleading.
        const only = which.game === '' ? '' : onlyText(context, filter, which);
        return replyWithMineButton(t, [only, text].filter(Boolean).join('\n'));
      }
      const submit = button(customId('addserver', 'new'), t('panel.server'), 'primary');
      return {
        content: [unfinished.text, text].filter(Boolean).join('\n\n'),
        components: rows([unfinished.button, submit, own, moderate]),
      };
    }
    // Several submissions can be one entry.
    const { length: number } = found.flat();
    const entries = number > MAX_SUBMISSIONS_FOUND ? found.slice(0, -1) : found;
    const page = pageOf({ count: entries.length, perPage: PER_PAGE, wanted: wantedPage });
    const ids = entries.slice(page.offset, page.offset + page.limit);
    const shown = await entriesOf(guildId, ids, which.address);
    const isFull = (await history.size(guildId)) >= MAX_ENTRIES;
    const about = [
      onlyText(context, filter, which),
      number > MAX_SUBMISSIONS_FOUND
        ? t('submissions.countMore', { most: MAX_SUBMISSIONS_FOUND })
        : t('submissions.count', { count: number }),
      isFull && t('submissions.full', { most: MAX_ENTRIES }),
    ];
    const isOwn = sight === 'own' || filter.userId === context.user.id;
    const unsent = isWhole(context, filter) ? (await history.unsent(guildId, context.user.id)).length : 0;
    const state = writeFilter(filter);
    const isExported =
      (isOwn || context.isAdmin) && filter.outcome !== 'waiting' && filter.outcome !== 'withdrawn';
    return {
      content: unfinished.text ?? '',
      embeds: [listEmbed(context, about.filter(Boolean), shown, { page, isOwn })],
      components: rows(
        [openMenu(t, shown)],
        [unfinished.button, unsent > 0 && resubmitButton(t, '', unsent)],
        [
          ...pageButtons(context, page, { command: 'submissions', action: 'page', state }),
          isExported &&
            button(customId('submissions', 'export', writePage(1, state)), t('submissions.export')),
          own,
          moderate,
        ],
      ),
    };
  }

  async function entriesOf(
    guildId: string,
    groups: readonly (readonly string[])[],
    address: string | undefined,
  ): Promise<readonly ShownEntry[]> {
    const entries = await history.entries(guildId, groups.flat(), address);
    const lists = entries.filter(({ only }) => only === undefined);
    return groups.flatMap((ids) => {
      const group = entries.filter(({ id }) => ids.includes(id));
      const [first] = group;
      const index = group.length === 1 && first ? lists.indexOf(first) : -1;
      return group.length === 0 ? [] : { group, number: index < 0 ? undefined : index + 1 };
    });
  }

  function onlyText(
    { t, user }: Context,
    { server, outcome }: SubmissionFilter,
    { userId = user.id, game }: HistoryFilter,
  ): string {
    const names = [
      userId !== user.id && memberText({ id: userId, name: '' }),
      game !== undefined && escapeText(gameNamed(game, games).name),
      server !== '' && `\`${escapeCode(server)}\``,
      outcome !== undefined && t(`outcome.${outcome}`),
    ].filter((name) => name !== false);
    return names.length === 0 ? '' : t('submissions.only', { what: names.join(' · ') });
  }

  function listEmbed(
    context: Context,
    about: readonly unknown[],
    entries: readonly ShownEntry[],
    { page, isOwn }: { readonly page: Page; readonly isOwn: boolean },
  ) {
    const lines = entries.map(({ group, number }) => {
      const [first, ...others] = group;
      return first && others.length === 0
        ? entryText(context, first, { number, games, isOwn })
        : groupText(context, group, { games, isOwn });
    });
    return {
      title: context.t(isOwn ? 'panel.mine' : 'submissions.title'),
      description: [about.join('\n'), ...lines].join('\n\n'),
      ...pageFooter(context, page),
    };
  }

  return {
    data: commandData(),
    answers: 'immediate',
    complete: async (_call, typed) => gameChoices(games.search(typed)),
    async run(context) {
      const { field } = context;
      const game = field('game').trim();
      const filter: SubmissionFilter = {
        userId: field('member'),
        game: game === '' ? '' : gameMark(await aliasMeant(context.guildId, game)),
        outcome: outcomeNamed(field('outcome')),
        server: addressPart(field('server')),
      };
      return show(context, filter);
    },
    submits: { ...one.submits, ...several.submits },
    presses: {
      ...one.presses,
      ...several.presses,
      page: {
        answers: 'immediate update',
        async run(context) {
          const { wanted: page, state } = readPage(context.argument);
          return showHistory(context, readFilter(state), page);
        },
      },
      waiting: {
        answers: 'immediate update',
        async run(context) {
          const { wanted: waiting, state } = readPage(context.argument);
          return show(context, readFilter(state), waiting);
        },
      },
      mine: {
        answers: 'immediate',
        replaces: async () => ['submissions'],
        run: (context) => show(context, { ...readFilter(''), userId: context.user.id }),
      },
      ...openActions(deps, queue),
      export: {
        answers: 'later',
        isLarge: true,
        run: exportOne,
      },
    },
  };
}

const commandData = () =>
  slashCommand('submissions', [
    { type: ApplicationCommandOptionType.User, ...optionText('submissions', 'member') },
    {
      type: ApplicationCommandOptionType.String,
      ...optionText('submissions', 'game'),
      autocomplete: true,
      max_length: LIMITS.choiceValue,
    },
    {
      type: ApplicationCommandOptionType.String,
      ...optionText('submissions', 'outcome'),
      choices: FOUND_OUTCOMES.map((outcome) => ({ value: outcome, ...choiceText(outcome) })),
    },
    {
      type: ApplicationCommandOptionType.String,
      ...optionText('submissions', 'server'),
      max_length: LIMITS.choiceValue,
    },
  ]);

/** Restricts members to their own entries, whatever a button or an option requests. */
const permitted = ({ user }: Context, filter: SubmissionFilter, sight: Sight): SubmissionFilter =>
  sight === 'own' ? { ...filter, userId: user.id } : filter;

const filtersOnlyMember = ({ game, server, outcome }: SubmissionFilter): boolean =>
  game === '' && server === '' && outcome === undefined;

/** Whether the filter matches all entries, or all entries of the member. */
const isWhole = ({ user }: Context, filter: SubmissionFilter): boolean =>
  filtersOnlyMember(filter) && (filter.userId === '' || filter.userId === user.id);

/**
 * Counts the lines of an unfinished list, or names the single server that was held back. Returns `undefined` if the list
 * has no lines to submit, fix or choose.
 * @param alreadySubmitted the rows that the guild has already submitted
 */
function unfinishedText(
  t: Translate,
  draft: Draft,
  alreadySubmitted: ReadonlyMap<Row, EarlierSubmission>,
): string | undefined {
  const { source, rows: lines, isTried } = draft;
  const [first] = lines;
  if (first === undefined) return t('submissions.unchosen');
  if (source === 'options' && isReady(first))
    return t('submissions.notSentYet', { address: addressCode(first.submission) });
  const ready = isTried ? 0 : rowsToSend(draft, alreadySubmitted).length;
  const open = lines.filter(isInvalid).length;
  const again = isTried ? 0 : lines.filter(isReady).length - ready;
  if (again > 0 && ready + open === 0 && !draft.hasChoices) return undefined;
  if (again > 0) return t('submissions.unfinishedAgain', { ready, open, again });
  return t('submissions.unfinished', { ready, open });
}

/** Explains why the list is empty. Members whose names were deleted can no longer find their entries. */
function noneText({ t, user }: Context, filter: SubmissionFilter, sight: Sight): string {
  const { userId } = filter;
  if (!filtersOnlyMember(filter)) return t('submissions.noneFound');
  if (userId === user.id || sight === 'own') return t('submissions.noneYours');
  return t(userId === '' ? 'submissions.none' : 'submissions.noneFound');
}
