import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import { HIGHEST_PORT, LOWEST_PORT } from '../src/addresses/ports.ts';
import type { Command, CommandContext, Context, Reply } from '../src/discord/command.ts';
import { button, type Row, rows } from '../src/discord/components/controls.ts';
import { customId } from '../src/discord/components/custom-ids.ts';
import type { GuildSettings } from '../src/guilds/settings.ts';
import type { Game, ServerSubmission } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { parseSubmission, type SubmissionResult } from '../src/server-lists/submission.ts';
import type { Refusal } from '../src/submissions/checks.ts';
import type { Draft } from '../src/submissions/draft.ts';
import type { Order, Pipeline } from '../src/submissions/order.ts';
import { UserError } from '../src/user-error.ts';
import { commandText, optionText } from '../src/words/command-text.ts';
import { escapeText, LONGEST_NAME } from '../src/words/escape.ts';
import { gameChoices, gameNamed, nearestGames } from '../src/words/games.ts';
import { afterRestartText, announcementOf, outcomeText } from '../src/words/outcome.ts';
import { problemText } from '../src/words/problem.ts';
import { type GuildKeys, guildKey, refusalText } from '../src/words/refusal.ts';

export interface AddServerDeps {
  readonly pipeline: Pipeline;
  readonly games: Pick<GameCatalog, 'list' | 'search' | 'find' | 'refresh'>;
  readonly keys: GuildKeys;
  readonly settings: Pick<GuildSettings, 'allowedGames'>;
}

/** What is taken for an alias that we do not know: all of the specification (§2.3) are much shorter. */
const ALIAS = /^[\w.-]{1,50}$/;

const DATA: Command['data'] = {
  type: ApplicationCommandType.ChatInput,
  ...commandText('addserver'),
  options: [
    {
      type: ApplicationCommandOptionType.String,
      ...optionText('addserver', 'game'),
      required: true,
      autocomplete: true,
      min_length: 1,
      max_length: 100,
    },
    {
      type: ApplicationCommandOptionType.String,
      ...optionText('addserver', 'server'),
      required: true,
      min_length: 1,
      max_length: 500,
    },
    ...(['port', 'query_port'] as const).map((name) => ({
      type: ApplicationCommandOptionType.Integer as const,
      ...optionText('addserver', name),
      min_value: LOWEST_PORT,
      max_value: HIGHEST_PORT,
    })),
  ],
};

/** /addserver: checks what was typed, sends one server with the guild's key, and relays the service's answer. */
export function addServer(deps: AddServerDeps): Command {
  return {
    data: DATA,
    audience: 'member',
    resumes: true,
    complete: ({ guildId }, typed) => gameChoices(offered(guildId, typed, deps)),
    async run(context) {
      const game = await findGame(context, (context.options.getString('game') ?? '').trim(), deps);
      const typed = typedSubmission(context, game);
      if (!typed.ok) {
        await guildKey(context, deps.keys);
        throw new UserError(problemText(typed.problem, context.t));
      }
      return submit(context, { id: context.interactionId, draft: draftOfOne(typed.submission) }, deps);
    },
    presses: {
      again: {
        answer: 'update',
        resumes: true,
        run: (context) => submit(context, { id: context.argument }, deps),
      },
    },
  };
}

/** Suggestions, of the games that this guild allows; as Discord waits for them, all of this is in memory. */
function offered(
  guildId: string,
  typed: string,
  { games, settings }: Pick<AddServerDeps, 'games' | 'settings'>,
): readonly Game[] {
  const allowed = settings.allowedGames(guildId);
  if (allowed === undefined) return games.search(typed);
  return games.search(typed, games.list().games.length).filter(({ alias }) => allowed.has(alias));
}

/** The game that was meant; asks the service for its list once if ours is old and does not know it. */
async function findGame(
  context: Context,
  typed: string,
  { games, keys }: Pick<AddServerDeps, 'games' | 'keys'>,
): Promise<Game> {
  const known = games.find(typed);
  if (known) return known;
  const { t, mention } = context;
  // Whoever has no key is told that first.
  const key = await guildKey(context, keys);
  if (!games.list().fresh) await games.refresh(key);
  const found = games.find(typed);
  if (found) return found;
  const shown = escapeText(typed, LONGEST_NAME);
  if (!games.list().fresh) {
    // Only the service knows which games it takes: while its list is unknown, what may be an alias goes out as it is.
    if (ALIAS.test(typed)) return { name: typed, alias: typed };
    throw new UserError(t('addserver.noAlias', { game: shown }));
  }
  const near = nearestGames(games, typed);
  throw new UserError(
    near === ''
      ? t('addserver.unknownGame', { game: shown, games: mention('games') })
      : t('addserver.unknownGameNear', { game: shown, near }),
  );
}

function typedSubmission({ options }: CommandContext, game: Game): SubmissionResult {
  const port = options.getInteger('port');
  const queryPort = options.getInteger('query_port');
  return parseSubmission({
    server: options.getString('server') ?? '',
    game: game.alias,
    ...(port !== null && { port }),
    ...(queryPort !== null && { queryPort }),
  });
}

/** One server is a list of one. */
const draftOfOne = (submission: ServerSubmission): Draft => ({
  source: 'options',
  rows: [{ line: 1, text: '', ok: true, submission }],
  previous: [],
  includesPrevious: false,
});

async function submit(
  context: Context,
  what: Pick<Order, 'id' | 'draft'>,
  { pipeline, games }: Pick<AddServerDeps, 'pipeline' | 'games'>,
): Promise<Reply> {
  const { t, guildId, interactionId, receivedAt, user } = context;
  const result = await pipeline.submit({ guildId, interactionId, receivedAt, user, ...what });
  if (result.kind === 'no-draft') {
    throw new UserError(t(result.why === 'taken' ? 'again.taken' : 'again.gone'));
  }
  if (result.kind === 'refused') {
    const { refusal } = result;
    const content = refusalText(withName(refusal, games), context);
    if (refusal.code !== 'submitted-before') throw new UserError(content);
    return { content, components: againButton(context, 'again.submitAgain', what.id) };
  }
  const { servers, outcomes, restId } = result;
  const [[server], [outcome]] = [servers, outcomes];
  if (!server || !outcome) throw new Error('a submission has at least one server');
  const content = result.isResumed
    ? afterRestartText(context, result, games)
    : outcomeText(context, outcome, server, games);
  if (restId !== undefined) return { content, components: againButton(context, 'again.tryAgain', restId) };
  const announcement = announcementOf(context, result, games);
  return { content, ...(announcement !== undefined && { announcement }) };
}

/** People know a game by its name. */
const withName = (refusal: Refusal, games: AddServerDeps['games']): Refusal =>
  refusal.code === 'game-not-allowed' ? { ...refusal, game: gameNamed(refusal.game, games).name } : refusal;

const againButton = (
  { t }: Context,
  label: 'again.submitAgain' | 'again.tryAgain',
  id: string,
): readonly Row[] => rows([button(customId('addserver', 'again', id), t(label))]);
