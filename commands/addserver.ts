import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
} from 'discord.js';
import type { Call, Command, CommandCall } from '../src/discord/command.ts';
import { harmless } from '../src/discord/limits.ts';
import type { ApiKeys } from '../src/guilds/api-keys.ts';
import type { GuildSettings } from '../src/guilds/settings.ts';
import type { AddOutcome, Game, ServerSubmission } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { commandText, optionText } from '../src/locales/command-text.ts';
import { wordsFor } from '../src/locales/words.ts';
import type { Secret } from '../src/secret.ts';
import { formatAddress } from '../src/submissions/address.ts';
import type { Desk, Refusal } from '../src/submissions/desk.ts';
import { HIGHEST_PORT, LOWEST_PORT } from '../src/submissions/port.ts';
import { parseSubmission } from '../src/submissions/submission.ts';
import { UserError } from '../src/user-error.ts';
import { announcementText } from './announcement.ts';
import { failureText } from './failure-text.ts';
import { gameChoices } from './game-choices.ts';
import { problemText } from './problem-text.ts';
import { refusalText } from './refusal-text.ts';

export interface AddServerDeps {
  readonly desk: Desk;
  readonly games: Pick<GameCatalog, 'list' | 'search' | 'find' | 'refresh' | 'refreshSoon' | 'invalidate'>;
  readonly keys: Pick<ApiKeys, 'get' | 'isRefused'>;
  readonly settings: Pick<GuildSettings, 'get' | 'allowedGames'>;
}

/** How many games are offered in place of one that is not known. */
const NEAREST = 3;

/** /addserver: checks what was typed, sends one server with the guild's key, and relays the service's answer. */
export function addServer({ desk, games, keys, settings }: AddServerDeps): Command {
  /** The game that was meant; asks the service for its list once if ours is old and does not know it. */
  async function findGame({ t, mention }: Call, typed: string, key: Secret): Promise<Game> {
    let game = games.find(typed);
    if (!game && !games.list().fresh) {
      await games.refresh(key);
      game = games.find(typed);
    }
    if (game) return game;
    // Only the service knows which games it takes: while its list is unknown, what was typed goes out as it is.
    if (!games.list().fresh) return { name: typed, alias: typed };
    const near = games.search(typed, NEAREST).map(({ name, alias }) => `${harmless(name)} (\`${alias}\`)`);
    const shown = harmless(typed);
    throw new UserError(
      near.length > 0
        ? t('addserver.unknownGameNear', { game: shown, near: near.join(', ') })
        : t('addserver.unknownGame', { game: shown, games: mention('games') }),
    );
  }

  /** Suggestions, of the games that this guild allows; as Discord waits for them, all of this is in memory. */
  function offered(guildId: string, typed: string): readonly Game[] {
    const allowed = settings.allowedGames(guildId);
    if (allowed === undefined) return games.search(typed);
    return games.search(typed, games.list().games.length).filter(({ alias }) => allowed.has(alias));
  }

  function afterwards(outcome: AddOutcome, key: Secret): void {
    const known = outcome.kind === 'rejected' ? outcome.known : undefined;
    if (known === 'gameInvalid') games.invalidate();
    if (known !== 'invalidKey') games.refreshSoon(key);
  }

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('addserver'),
      contexts: [InteractionContextType.Guild],
      integration_types: [ApplicationIntegrationType.GuildInstall],
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
    },
    audience: 'member',
    complete: ({ guildId }, typed) => gameChoices(offered(guildId, typed)),
    async run(call) {
      const { t, guildId, mention } = call;
      // First of all, so that a store that fails is said while nothing has been sent.
      const { announce } = await settings.get(guildId);
      const key = await keys.get(guildId);
      if (!key) throw new UserError(t('addserver.noKey', { setkey: mention('setkey') }));
      // Before the games list may be asked for with it.
      if (await keys.isRefused(guildId)) throw new UserError(refusalText({ code: 'key-invalid' }, call));
      const game = await findGame(call, (call.options.getString('game') ?? '').trim(), key);
      const submission = typedSubmission(call, game);
      const order = { ...call, key, servers: [submission] };
      const refusal = await desk.admit(order);
      if (refusal) throw new UserError(refusalText(withName(refusal, game), call));
      const outcome = await desk.send(order);
      afterwards(outcome, key);
      const content = outcomeText(call, outcome, describe(call, game, submission));
      if (!announce || outcome.kind !== 'accepted') return { content };
      const what = describe({ t: wordsFor(call.guildLocale) }, game, submission);
      return { content, announcement: announcementText(call, { count: 1, what }) };
    },
  };
}

/** People know a game by its name. */
const withName = (refusal: Refusal, { name }: Game): Refusal =>
  refusal.code === 'game-not-allowed' ? { ...refusal, game: name } : refusal;

function typedSubmission({ options, t }: CommandCall, game: Game): ServerSubmission {
  const port = options.getInteger('port');
  const queryPort = options.getInteger('query_port');
  const result = parseSubmission({
    server: options.getString('server') ?? '',
    game: game.alias,
    ...(port !== null && { port }),
    ...(queryPort !== null && { queryPort }),
  });
  if (!result.ok) throw new UserError(problemText(result.problem, t));
  return result.submission;
}

function describe({ t }: Pick<Call, 't'>, game: Game, { server, port, queryPort }: ServerSubmission): string {
  const values = { name: harmless(game.name), address: formatAddress({ host: server, port }) };
  return queryPort === undefined
    ? t('addserver.submitted', values)
    : t('addserver.submittedQuery', { ...values, queryPort });
}

function outcomeText({ t, mention }: Call, outcome: AddOutcome, what: string): string {
  switch (outcome.kind) {
    case 'accepted':
      return t('addserver.accepted', { message: harmless(outcome.message), what });
    case 'rejected': {
      const said = t('addserver.rejected', { message: harmless(outcome.message), what });
      if (!outcome.known) return said;
      const next = { setkey: mention('setkey'), games: mention('games') };
      return `${said}\n${t(`addserver.next.${outcome.known}`, next)}`;
    }
    case 'not-sent':
      return t('addserver.notSent', { reason: failureText(outcome, t), what });
    default:
      return t('addserver.unknown', { reason: failureText(outcome, t), what });
  }
}
