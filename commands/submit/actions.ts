import {
  type Actions,
  type Context,
  OldMessageError,
  type Press,
  type PressContext,
  type Reply,
  type SubmitContext,
} from '../../src/interactions/command.ts';
import { button, type Modal, rows } from '../../src/interactions/controls.ts';
import type { Game } from '../../src/listing/contract.ts';
import { meantAddress, repaired } from '../../src/server-lists/repair.ts';
import { EMPTY_ROW, type Row, rowText, type TypedRow, typedOf } from '../../src/server-lists/row.ts';
import type { Correction } from '../../src/submissions/check.ts';
import { type Draft, type Editing, onlyRow } from '../../src/submissions/draft.ts';
import { type EditResult, withQueryPort, withUsualPort } from '../../src/submissions/draft-editor.ts';
import { rowForServer } from '../../src/submissions/submission.ts';
import { messageCommandText } from '../../src/words/command-text.ts';
import { severalGamesText, unusableGameText } from '../../src/words/games.ts';
import { addressCode, readServerLines } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { createApprovalQueue } from '../submissions/queue.ts';
import { noDraft, replyForUnavailable, type UnavailableDraft } from '../submissions/waiting.ts';
import { changeWaiting, hasLinesInput } from './change-waiting.ts';
import { candidateRange } from './choices.ts';
import { draftBefore, enterFields, fieldsOf } from './enter-fields.ts';
import { enterLines } from './enter-lines.ts';
import { enterList } from './enter-list.ts';
import { fromPanel } from './game-field.ts';
import { readSubmitId, submitId } from './ids.ts';
import { fieldsModal, gameModal, linesModal, listModal } from './modals.ts';
import { readRepair } from './repairs.ts';
import { allowedGames, type GamelessLines, gameGuesses, showDraft } from './show.ts';
import { submitDraft } from './submit-draft.ts';

const COMMANDS_OF: Readonly<Record<Draft['source'], readonly string[]>> = {
  options: ['addserver'],
  text: ['addservers'],
  message: [messageCommandText('submit-message').name, 'addserver'],
};

/** Creates the actions for drafts. A draft is found by its id, member and guild, so only its member can use it. */
export function submitActions(deps: CommandDeps): Actions {
  const { draftEditor, drafts, approvals } = deps;
  const queue = createApprovalQueue(deps);

  async function commandsOfDraft(
    context: Context & { readonly argument: string },
  ): Promise<readonly string[]> {
    const draft = await deps.submissions.editableDraft(context, readSubmitId(context.argument).id);
    return draft.kind === 'no-draft' ? [] : COMMANDS_OF[draft.source];
  }

  const changing = (
    change: (context: PressContext, id: string, more: string) => Promise<EditResult>,
    page: (more: string) => number = () => 0,
  ): Press => ({
    answers: 'update',
    async run(context) {
      const { id, more } = readSubmitId(context.argument);
      return showDraft(context, id, await change(context, id, more), deps, { page: page(more) });
    },
  });

  /** Adds the games to the lines of an old report, which doesn't name a list's games. */
  async function withGames(context: Context, id: string, lines: readonly TypedRow[]) {
    const submission = id === '' ? undefined : await deps.submissions.latest(context.guildId, id);
    const servers = submission?.userId === context.user.id ? submission.servers : [];
    return lines.map((typed) => {
      const found = servers.find(({ server }) => addressCode(server) === `\`${typed.server}\``);
      return found && typed.game === '' ? typedOf(rowForServer(found)) : typed;
    });
  }

  const correcting = (correction: (context: PressContext) => Promise<Correction> | Correction): Press =>
    changing(async (context, id) => draftEditor.correct(context, id, await correction(context)));

  const repairIn = ({ argument, values: [chosen] }: PressContext) =>
    readRepair(chosen ?? readSubmitId(argument).more);

  const opening = (action: 'edit' | 'correct'): Press => ({
    answers: 'modal',
    async run(context) {
      const { id, more } = readSubmitId(context.argument);
      const which = action === 'correct' || more === 'all' ? 'all' : 'invalid';
      const draft = await deps.submissions.editableDraft(context, id);
      if (draft.kind === 'no-draft') {
        // The button's message is a report or an entry of the history, and stays visible.
        if (action === 'correct') throw noDraft({ id, why: draft.why }, context.t);
        return replyInsteadOfModal(context, { id, why: draft.why }, deps);
      }
      return draftModal(context, { draft, action, which }, deps);
    },
  });

  return {
    presses: {
      send: {
        answers: 'sending',
        replaces: commandsOfDraft,
        run(context) {
          const { id, more } = readSubmitId(context.argument);
          // The number of servers in the button's label, if any.
          const [count = '', mark] = more.split(':');
          const promised = Number.parseInt(count, 10) || undefined;
          return submitDraft(context, { id, promised, mark }, deps);
        },
      },
      // Chooses and submits the only address in a text.
      sendone: {
        answers: 'sending',
        replaces: commandsOfDraft,
        async run(context) {
          const { id, more: mark } = readSubmitId(context.argument);
          const chosen = await draftEditor.choose(context, id, candidateRange(0), new Set([0]));
          if (chosen.kind === 'no-draft') return replyForUnavailable(context, { id, ...chosen }, deps);
          return submitDraft(context, { id, promised: 1, mark }, deps);
        },
      },
      // The menu's values replace the choice on one page. A button contains the index of the only address.
      choose: changing((context, id, more) => {
        const [, only] = more.split(':');
        const chosen = new Set(only === undefined ? context.values.map(Number) : [pageIn(only)]);
        return draftEditor.choose(context, id, candidateRange(pageIn(more)), chosen);
      }, pageIn),
      page: changing((context, id) => draftEditor.recheck(context, id), pageIn),
      // Opens an unfinished list in a new message. Its earlier messages can still be used.
      continue: { ...changing((context, id) => draftEditor.recheck(context, id)), answers: 'later' },
      // For buttons in /submissions. The message with the buttons stays unchanged.
      again: {
        answers: 'later',
        replaces: commandsOfDraft,
        run(context) {
          const { id, more } = readSubmitId(context.argument);
          return submitDraft(context, { id, includesAlreadySubmitted: more === 'anyway' }, deps);
        },
      },
      // Also submits servers that were submitted before.
      anyway: {
        answers: 'sending',
        replaces: commandsOfDraft,
        run: (context) =>
          submitDraft(context, { ...readSubmitId(context.argument), includesAlreadySubmitted: true }, deps),
      },
      // Submits the line with the chosen fix, as if the member had typed it.
      use: {
        answers: 'sending',
        replaces: commandsOfDraft,
        async run(context) {
          const { id } = readSubmitId(context.argument);
          const repair = repairIn(context);
          const draft = await drafts.find(context, id);
          if (draft.kind === 'no-draft') return replyForUnavailable(context, { id, ...draft }, deps);
          const typed = typedOf(draft.rows[0]);
          return enterFields(context, id, repair ? repaired(typed, repair) : typed, deps);
        },
      },
      repair: correcting((context) => {
        const repair = repairIn(context);
        return (row) => repair && repaired(typedOf(row), repair);
      }),
      edit: opening('edit'),
      // The reply is a new message, so the report stays visible.
      correct: opening('correct'),
      // The submission keeps waiting until the modal is submitted.
      change: {
        answers: 'modal',
        async run(context) {
          const { id, more } = readSubmitId(context.argument);
          const draft = await approvals.draft(context, id);
          if (draft.kind === 'no-draft') return replyInsteadOfModal(context, { id, why: draft.why }, deps);
          const marks = more.split(':');
          const which = marks.includes('invalid') ? 'invalid' : 'all';
          const then = marks.includes('next') ? 'next' : undefined;
          return draftModal(context, { draft, action: 'changed', which, then }, deps);
        },
      },
      // The button appears after a successful submission. Its reply is a new message.
      another: {
        answers: 'modal',
        replaces: async () => COMMANDS_OF.options,
        run(context) {
          const { id: panelChannelId, more: game } = readSubmitId(context.argument);
          return fromPanel(context, deps, () =>
            fieldsModal(
              { ...context, panelChannelId },
              submitId('another', panelChannelId),
              { ...EMPTY_ROW, game },
              deps,
            ),
          );
        },
      },
      // Opens a modal with the lines from an old message. Buttons from version 0.3.0 also use this name, without an id.
      anew: {
        answers: 'modal',
        async run(context) {
          const { id } = readSubmitId(context.argument);
          const [typed = EMPTY_ROW, ...others] = await withGames(context, id, readServerLines(context.shown));
          if (others.length === 0) return fieldsModal(context, submitId('fields'), typed, deps);
          return listModal(context, { text: [typed, ...others].map(rowText).join('\n') }, deps);
        },
      },
      ports: correcting(() => withUsualPort(deps.games)),
      query: correcting(() => withQueryPort),
      include: changing((context, id, more) =>
        draftEditor.includeAlreadySubmitted(context, id, {
          includesAlreadySubmitted: more === 'on',
          includesUnconfirmed: more === 'unconfirmed',
        }),
      ),
      game: { answers: 'update', run: (context) => chooseGame(context, context.values[0] ?? '', deps) },
      take: correcting(async (context) => {
        const { meant } = gameGuesses(await allowedGames(context, deps));
        return (row) => withGame(row, meant(row));
      }),
      letters: correcting(() => (row) => {
        const address = meantAddress(row);
        return address === undefined ? undefined : { ...typedOf(row), server: address };
      }),
      askgame: {
        answers: 'modal',
        async run(context) {
          const allowed = await deps.suggestions.allowed(context.guildId);
          const { id, more } = readSubmitId(context.argument);
          return gameModal(context, submitId('game', id, more), allowed);
        },
      },
      cancel: {
        answers: 'update',
        async run(context) {
          const { t } = context;
          const { id } = readSubmitId(context.argument);
          const unavailable = await drafts.drop(context, id);
          if (unavailable) return replyForUnavailable(context, { id, ...unavailable }, deps);
          return {
            content: t('list.cancelled'),
            components: rows([button(submitId('undo', id), t('button.undo'))]),
          };
        },
      },
      undo: changing(async (context, id) => {
        const restored = await draftEditor.recheck(context, id, true);
        const isLate = restored.kind === 'no-draft' && ['cancelled', 'gone'].includes(restored.why);
        if (isLate) throw new OldMessageError({ content: context.t('again.over.undoLate'), components: [] });
        return restored;
      }),
    },
    submits: {
      fields: {
        answers: 'sending',
        replaces: async (context) =>
          readSubmitId(context.argument).id === '' ? COMMANDS_OF.options : commandsOfDraft(context),
        run(context) {
          const id = readSubmitId(context.argument).id || context.interactionId;
          return enterFields(context, id, fieldsOf(context), deps);
        },
      },
      another: {
        answers: 'later',
        replaces: async () => COMMANDS_OF.options,
        run(context) {
          const { id: panelChannelId } = readSubmitId(context.argument);
          return enterFields({ ...context, panelChannelId }, context.interactionId, fieldsOf(context), deps);
        },
      },
      lines: {
        answers: 'update',
        run: (context) => enterLines(context, context.argument.endsWith(':all') ? 'all' : 'invalid', deps),
      },
      correct: {
        answers: 'later',
        replaces: commandsOfDraft,
        run: (context) =>
          hasLinesInput(context)
            ? enterLines(context, 'all', deps)
            : enterFields(context, readSubmitId(context.argument).id, fieldsOf(context), deps),
      },
      changed: {
        answers: 'update',
        async run(context) {
          const { guildId, argument } = context;
          const { id, more } = readSubmitId(argument);
          const reply = await changeWaiting(context, deps).finally(() =>
            deps.approvalMessages.show({ guildId, id }),
          );
          return more.split(':').includes('next') ? queue.afterEdit(context, id, reply) : reply;
        },
      },
      paste: {
        answers: 'later',
        replaces: async () => COMMANDS_OF.text,
        run: (context) => enterList(context, deps),
      },
      retyped: {
        answers: 'update',
        async run(context) {
          const { panelChannelId } = await draftBefore(context, readSubmitId(context.argument).id, deps);
          return enterList({ ...context, panelChannelId }, deps);
        },
      },
      game: { answers: 'update', run: (context) => chooseGame(context, context.field('game'), deps) },
    },
  };
}

interface DraftToEdit {
  readonly draft: Draft;
  readonly action: 'edit' | 'correct' | 'changed';
  readonly which: Editing;
  /** `next` if the member's next waiting submission is shown afterwards. */
  readonly then?: 'next' | undefined;
}

/** Builds the modal for editing a draft: the unparsed text, separate fields for a single line, or a multi-line input. */
async function draftModal(
  context: Context,
  { draft, action, which, then }: DraftToEdit,
  deps: CommandDeps,
): Promise<Modal> {
  const { id, typed } = draft;
  if (typed?.modal === 'paste') return listModal(context, { action: 'retyped', id, ...typed }, deps);
  const submissionId = await deps.submissions.latestId(id);
  const more = then === undefined ? [] : [then];
  // Left-out lines can only be typed in the multi-line input.
  const only = typed || draft.hasChoices || draft.leftOut ? undefined : onlyRow(draft);
  const fields = typed?.modal === 'fields' ? typed.row : only && typedOf(only);
  if (fields) {
    const modalId = submitId(action === 'edit' ? 'fields' : action, id, submissionId, ...more);
    return fieldsModal(context, modalId, fields, deps);
  }
  const lines = onlyRow(draft) ? 'all' : which;
  const modalId =
    action === 'correct'
      ? submitId(action, id, submissionId)
      : submitId(action === 'edit' ? 'lines' : action, id, submissionId, lines, ...more);
  return linesModal(context.t, modalId, draft, lines, await allowedGames(context, deps));
}

async function chooseGame(
  context: Context & Pick<SubmitContext, 'argument'>,
  typed: string,
  deps: CommandDeps,
): Promise<Reply> {
  const { id, more } = readSubmitId(context.argument);
  const lines: GamelessLines = more === 'unknown' ? 'unknown' : 'missing';
  const { draftEditor } = deps;
  const games = await allowedGames(context, deps);
  const found = games.find(typed);
  const matches = found ? [found].filter(games.isAllowed) : games.search(typed);
  const [game, ...others] = matches;
  // Several words can contain another game's name, so the game is only suggested.
  const isClear = found !== undefined || !/\s/u.test(typed.trim());
  if (game && others.length === 0 && isClear) {
    const isAmong = gameGuesses(games).isAmong(lines);
    const chosen = await draftEditor.correct(context, id, (row) =>
      isAmong(row) ? withGame(row, game) : undefined,
    );
    return showDraft(context, id, chosen, deps);
  }
  const notice =
    others.length > 0 ? severalGamesText(context, typed) : unusableGameText(context, typed, games);
  const shown = { notice, ...(game && { choice: { lines, games: matches } }) };
  return showDraft(context, id, await draftEditor.recheck(context, id), deps, shown);
}

/**
 * Shows what happened to a draft that can't be edited. Discord only waits 3 seconds for a modal, so this doesn't wait until
 * a submission has been sent.
 * @throws UserError in the same cases as {@link replyForUnavailable}, and if the reply has files, which a reply in place of
 * a modal can't have
 */
async function replyInsteadOfModal(
  context: PressContext,
  draft: UnavailableDraft,
  deps: CommandDeps,
): Promise<Reply> {
  const reply = await replyForUnavailable({ ...context, stopping: AbortSignal.abort() }, draft, deps);
  if (reply.files?.length) throw noDraft({ id: draft.id, why: 'submitted' }, context.t);
  return reply;
}

/** Reads a page of the menu for choosing servers, counted from 0, or an index in it. */
const pageIn = (more: string): number => Number.parseInt(more, 10) || 0;

const withGame = (row: Row, game: Game | undefined): TypedRow | undefined =>
  game && { ...typedOf(row), game: game.alias };
