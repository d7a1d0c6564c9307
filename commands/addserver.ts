import { ApplicationCommandOptionType } from 'discord.js';
import { HIGHEST_PORT, LOWEST_PORT } from '../src/addresses/port.ts';
import { LIMITS } from '../src/discord/limits.ts';
import type { Command, Context, EnteredValues, Reply } from '../src/interactions/command.ts';
import { customId, type Modal, modal, rows } from '../src/interactions/controls.ts';
import type { Game } from '../src/listing/contract.ts';
import type { Games } from '../src/listing/games.ts';
import { addressAmongWords, rowsOfMessage } from '../src/server-lists/message.ts';
import { readOneWithGames } from '../src/server-lists/read-one.ts';
import { repaired } from '../src/server-lists/repair.ts';
import { EMPTY_ROW, furtherProblems, keptRow, type TypedRow, typedOf } from '../src/server-lists/row.ts';
import { type Draft, draftOfOne } from '../src/submissions/draft.ts';
import type { Drafts, NoDraft } from '../src/submissions/drafts.ts';
import type { Order, Pipeline, Refusal } from '../src/submissions/pipeline.ts';
import type { Suggestions } from '../src/submissions/suggestions.ts';
import { optionText } from '../src/words/command-text.ts';
import { cut } from '../src/words/escape.ts';
import { gameChoices, NEAREST } from '../src/words/games.ts';
import { type ProblemText, problemText } from '../src/words/problem.ts';
import { refusalText } from '../src/words/refusal.ts';
import { sentences } from '../src/words/sentences.ts';
import { describe, gameNamed, readServerLines, serverEmbed } from '../src/words/servers.ts';
import type { Translate } from '../src/words/words.ts';
import { enterKey } from './setkey.ts';
import { slashCommand } from './slash-command.ts';
import { becameOf, type WaitingDeps } from './submissions/waiting.ts';
import { endedReply } from './submit/ended.ts';
import { gamePart } from './submit/game-field.ts';
import { demandDraft } from './submit/no-draft.ts';
import { typedLine, unusableText } from './submit/problem-text.ts';
import { buttonsAfterProblem, buttonsAfterRefusal, gameControls, readUse } from './submit/repairs.ts';
import { allowedGames, type DraftDeps, gameOfList, openDraft, showDraft, withNear } from './submit/show.ts';

export interface AddServerDeps extends DraftDeps, WaitingDeps {
  readonly games: Games;
  readonly pipeline: Pipeline;
  readonly drafts: Pick<Drafts, 'save' | 'find'>;
  readonly suggestions: Suggestions;
}

/** How many UTF-16 units can be typed as an address, and as a port in the modal. */
const MOST_TYPED = 500;
const MOST_PORT = 20;

const portOption = (name: 'port' | 'query_port') => ({
  type: ApplicationCommandOptionType.Integer as const,
  ...optionText('addserver', name),
  min_value: LOWEST_PORT,
  max_value: HIGHEST_PORT,
});

const DATA = slashCommand('addserver', [
  {
    type: ApplicationCommandOptionType.String,
    ...optionText('addserver', 'game'),
    required: true,
    autocomplete: true,
    min_length: 1,
    max_length: LIMITS.choiceValue,
  },
  {
    type: ApplicationCommandOptionType.String,
    ...optionText('addserver', 'server'),
    required: true,
    min_length: 1,
    max_length: MOST_TYPED,
  },
  portOption('port'),
  portOption('query_port'),
]);

/**
 * /addserver: checks what was typed, sends one server with the guild's key, and says what the service responded. A server
 * that is not accepted stays as a draft, to be corrected or sent again with buttons.
 */
export function addServer(deps: AddServerDeps): Command {
  const { drafts, games } = deps;

  return {
    data: DATA,
    answers: 'later',
    complete: async ({ guildId }, typed) => gameChoices(await deps.suggestions.games(guildId, typed)),
    run: (context) => submitTyped(context, { id: context.interactionId }, typedIn(context), deps),
    presses: {
      again: {
        answers: 'sending',
        async run(context) {
          const id = context.argument;
          const draft = await drafts.find(context, id);
          if (typeof draft === 'string') return becameOf(context, { id, why: draft }, deps, 'addserver');
          const [row] = draft.rows;
          return row?.kind === 'ready'
            ? submit(context, { id }, deps)
            : submitTyped(context, { id }, typedOf(row), deps);
        },
      },
      anyway: {
        answers: 'sending',
        run: (context) => submit(context, { id: context.argument, includesAlreadySubmitted: true }, deps),
      },
      use: {
        answers: 'sending',
        async run(context) {
          const { id, repair } = readUse(context.values[0] ?? context.argument, games.all);
          const draft = await drafts.find(context, id);
          if (typeof draft === 'string') return becameOf(context, { id, why: draft }, deps, 'addserver');
          const typed = typedOf(draft.rows[0]);
          return submitTyped(context, { id }, repair ? repaired(typed, repair) : typed, deps);
        },
      },
      edit: {
        answers: 'modal',
        async run(context) {
          const draft = demandDraft(await drafts.find(context, context.argument), context.t, 'addserver');
          const typed = typedOf(draft.rows[0]);
          return serverModal(context, editId(context.argument), typed, deps);
        },
      },
      // The server waits for a moderator. It goes on waiting until the modal is submitted.
      change: {
        answers: 'modal',
        async run(context) {
          const id = context.argument;
          const draft = await deps.approvals.draft(context, id);
          if (typeof draft === 'string') return becameOf(context, { id, why: draft }, deps, 'addserver');
          return serverModal(context, customId('addserver', 'changed', id), typedOf(draft.rows[0]), deps);
        },
      },
      anew: {
        answers: 'modal',
        async run(context) {
          const [typed = EMPTY_ROW] = readServerLines(context.shown);
          return serverModal(context, editId(''), typed, deps);
        },
      },
      // A message for everybody stays as it is.
      new: {
        answers: 'modal',
        run: (context) => serverModal(context, customId('addserver', 'new'), EMPTY_ROW, deps),
      },
    },
    submits: {
      changed: {
        answers: 'sending',
        async run(context) {
          const { argument: id, guildId, t } = context;
          const what = { id, replacesWaiting: true };
          const reply = await submitTyped(context, what, typedIn(context), deps).finally(() =>
            deps.approvalMessages.show({ guildId, id }),
          );
          const run = await deps.runs.settled(guildId, id);
          if (run?.state !== 'withdrawn') return reply;
          // It was neither sent nor does it wait again.
          const content = [reply.content, t('approval.editedWaitsNoMore')].filter(Boolean).join('\n\n');
          return { ...reply, content };
        },
      },
      new: {
        answers: 'later',
        run: (context) => submitTyped(context, { id: context.interactionId }, typedIn(context), deps),
      },
      edit: {
        answers: 'sending',
        run(context) {
          const { argument, interactionId } = context;
          return submitTyped(context, { id: argument || interactionId }, typedIn(context), deps);
        },
      },
    },
  };
}

/** What was typed in the options, or in the modal. */
const typedIn = ({ field }: EnteredValues): TypedRow => ({
  game: field('game').trim(),
  server: field('server'),
  port: field('port').trim(),
  queryPort: field('query_port').trim(),
});

/**
 * Submits what was typed, or keeps it and says what is wrong with it.
 * @param what the document; with the interaction's id if there is none yet
 */
async function submitTyped(
  context: Context,
  what: Pick<Order, 'id' | 'replacesWaiting'>,
  typed: TypedRow,
  deps: AddServerDeps,
): Promise<Reply> {
  const { games } = deps;
  const { guildId, t } = context;
  const { id } = what;
  const among = rowsOfMessage(typed.server, games);
  if (among.length > 1) return openAsList(context, what, typed, deps);
  const read = await readOneWithGames(typed, games, guildId);
  const draft = draftOfOne(keptRow(typed), read);
  if (read.ok) return submit(context, { ...what, draft }, deps);
  const why = await keep(context, what, draft, deps);
  if (why !== undefined) return becameOf(context, { id, why }, deps, 'addserver');

  const line = typedLine(t, typed, games);
  const refusal = await refusalBefore(context, typed, deps);
  if (refusal) return refused(context, { id, typed, line, refusal }, deps);
  const { problem } = read;
  const near = problem.code === 'game-unknown' ? await nearestGames(context, problem.game, deps) : [];
  const isListKnown = games.isFresh();
  const text = [
    unusableText(context, problem, { near, isListKnown }),
    ...furtherProblems(typed, problem).map((further) => alsoText(problemText(further, t), t)),
  ].join('\n');
  const meant = { typed, near, address: addressAmongWords(typed, among) };
  const components = rows(buttonsAfterProblem(t, id, problem, meant));
  return { content: text, components, ...notSent(t, line) };
}

const alsoText = ({ short, help }: ProblemText, t: Translate): string =>
  sentences(t('addserver.also', { short }), help);

/** Keeps what was typed, to be corrected. @returns why the document is not the member's to be written */
function keep(
  by: Context,
  { id, replacesWaiting }: Pick<Order, 'id' | 'replacesWaiting'>,
  draft: Draft,
  { drafts, approvals }: AddServerDeps,
): Promise<NoDraft | undefined> {
  if (!replacesWaiting) return drafts.save(by, id, draft);
  return approvals.replace(by, id, { draft, interactionId: by.interactionId });
}

/** Several addresses are a list: all of the typed game, except those with another game beside them. */
async function openAsList(
  context: Context,
  what: Pick<Order, 'id' | 'replacesWaiting'>,
  typed: TypedRow,
  deps: AddServerDeps,
): Promise<Reply> {
  const games = await allowedGames(context, deps);
  const { usable, notice, near } = gameOfList(context, typed.game, games);
  const read = rowsOfMessage(typed.server, { ...games, defaultGame: usable?.alias });
  const rows = withNear(read, near);
  if (!what.replacesWaiting) return openDraft(context, { source: 'message', rows, notice }, deps);
  const { id } = what;
  const draft = { source: 'message', rows, includesAlreadySubmitted: false } as const;
  const why = await keep(context, what, draft, deps);
  const prepared = why ?? (await deps.lists.again(context, id));
  if (typeof prepared === 'string') return becameOf(context, { id, why: prepared }, deps, 'addserver');
  return showDraft(context, prepared, deps, { notice });
}

/** What is said before problems of the server itself: there is no key, or the game is not allowed. */
async function refusalBefore(
  { guildId }: Context,
  typed: TypedRow,
  { games, keys, settings }: AddServerDeps,
): Promise<Refusal | undefined> {
  const key = await keys.usable(guildId);
  if ('code' in key) return key;
  const game = games.find(typed.game)?.alias;
  const { games: allowed } = await settings.get(guildId);
  const isAllowed = game === undefined || allowed === undefined || allowed.includes(game);
  return isAllowed ? undefined : { code: 'game-not-allowed', game };
}

async function nearestGames(
  { guildId }: Context,
  typed: string,
  { suggestions }: AddServerDeps,
): Promise<readonly Game[]> {
  return (await suggestions.games(guildId, typed)).slice(0, NEAREST);
}

async function submit(
  context: Context,
  what: Pick<Order, 'id' | 'draft' | 'replacesWaiting' | 'includesAlreadySubmitted'>,
  deps: AddServerDeps,
): Promise<Reply> {
  const { guildId, interactionId, receivedAt, user, isAdmin, t } = context;
  const order = { guildId, interactionId, receivedAt, user, isAdmin, ...what };
  const result = await deps.pipeline.submit(order);
  const { id } = what;
  if (result.kind === 'no-draft') return becameOf(context, { id, why: result.why }, deps, 'addserver');
  if (result.kind === 'waiting') return becameOf(context, { id, why: 'submitted' }, deps, 'addserver');
  // No button of a single server promises a count.
  if (result.kind === 'changed') return becameOf(context, { id, why: 'empty' }, deps, 'addserver');
  if (result.kind === 'ended') return endedReply(context, result, deps.games);
  const [row] = result.draft.rows;
  const line = row?.kind === 'ready' ? describe(t, row.submission, deps.games) : '';
  return refused(context, { id, typed: typedOf(row), line, refusal: result.refusal }, deps);
}

/** Says why the bot does not send a server, with what can be done about it. */
async function refused(
  context: Context,
  { id, typed, line, refusal }: RefusedServer,
  deps: AddServerDeps,
): Promise<Reply> {
  const { t } = context;
  const buttons = buttonsAfterRefusal(t, id, refusal);
  const isKey = refusal.code.startsWith('key-');
  const isGame = refusal.code === 'game-not-allowed';
  const games = isGame ? await gamesInstead(context, gameNamed(refusal.game, deps.games).name, deps) : [];
  const text = refusalText(refusal, context, deps.games);
  // A press that changes nothing says so.
  const isStill = isKey && id !== context.interactionId;
  return {
    content: isStill ? `${text}\n${t('key.still')}` : text,
    components: rows(gameControls(t, id, typed, games), [isKey && enterKey(context, id), ...buttons]),
    ...notSent(t, line),
  };
}

/** The games that may be submitted; games that may have been meant come first. */
async function gamesInstead(
  context: Context,
  refused: string,
  deps: AddServerDeps,
): Promise<readonly Game[]> {
  const near = await nearestGames(context, refused, deps);
  return [...new Set([...near, ...(await deps.suggestions.games(context.guildId, ''))])];
}

interface RefusedServer {
  /** Of the draft. */
  readonly id: string;
  readonly typed: TypedRow;
  readonly line: string;
  readonly refusal: Refusal;
}

const notSent = (t: Translate, line: string) => ({
  embeds: [serverEmbed(t, 'not-sent', [line])],
  isRefusal: true as const,
});

/** The custom id of the modal in which a server is corrected. @param id the draft's; empty where there is none yet */
const editId = (id: string): string => customId('addserver', 'edit', id);

/** The modal with what was typed in it. */
async function serverModal(
  context: Context,
  id: string,
  typed: TypedRow,
  deps: AddServerDeps,
): Promise<Modal> {
  const { t } = context;
  const { game, server, port, queryPort } = typed;
  const gameField = {
    label: t('addserver.field.game'),
    typed: game,
    hint: t('addserver.gameSelect'),
    required: true,
  };
  const part = await gamePart(context, gameField, deps);
  const field = (name: 'server' | 'port' | 'query_port', value: string, most: number) => ({
    id: name,
    label: t(`addserver.field.${name}`),
    hint: t(`commands.addserver.options.${name}.description`),
    value: cut(value, most),
    most,
  });
  return modal({
    id,
    title: typed === EMPTY_ROW ? t('panel.server') : t('addserver.edit'),
    text: part.text,
    fields: [
      part.field,
      { ...field('server', server, MOST_TYPED), least: 1 },
      field('port', port, MOST_PORT),
      field('query_port', queryPort, MOST_PORT),
    ],
  });
}
