import {
  ActionRowBuilder,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonBuilder,
  ButtonStyle,
} from 'discord.js';
import { type Call, type Command, type CommandCall, customId, type Reply } from '../src/discord/command.ts';
import { escapeText, LONGEST_NAME } from '../src/discord/escape.ts';
import type { GuildSettings } from '../src/guilds/settings.ts';
import type { AddOutcome, Game, ServerSubmission } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { commandText, optionText } from '../src/locales/command-text.ts';
import { wordsFor } from '../src/locales/words.ts';
import type { Secret } from '../src/secret.ts';
import type { Desk, Refusal } from '../src/submissions/desk.ts';
import type { Offer, Offers } from '../src/submissions/offers.ts';
import { HIGHEST_PORT, LOWEST_PORT } from '../src/submissions/port.ts';
import { parseSubmission } from '../src/submissions/submission.ts';
import { UserError } from '../src/user-error.ts';
import { announcementText } from './announcement.ts';
import { gameChoices, nearestGames } from './game-choices.ts';
import { type GuildKeys, guildKey } from './guild-key.ts';
import { GUILD_ONLY } from './guild-only.ts';
import { describe, outcomeText } from './outcome-text.ts';
import { problemText } from './problem-text.ts';
import { refusalText } from './refusal-text.ts';

export interface AddServerDeps {
  readonly desk: Desk;
  readonly offers: Offers;
  readonly games: Pick<GameCatalog, 'list' | 'search' | 'find' | 'refresh' | 'refreshSoon' | 'invalidate'>;
  readonly keys: GuildKeys;
  readonly settings: Pick<GuildSettings, 'get' | 'allowedGames'>;
}

interface Wanted extends Offer {
  readonly key: Secret;
  readonly game: Game;
}

/** What is taken for an alias that we do not know: all of the specification (§2.3) are much shorter. */
const ALIAS = /^[\w.-]{1,50}$/;

/** /addserver: checks what was typed, sends one server with the guild's key, and relays the service's answer. */
export function addServer({ desk, offers, games, keys, settings }: AddServerDeps): Command {
  /** The game that was meant; asks the service for its list once if ours is old and does not know it. */
  async function findGame({ t, mention }: Call, typed: string, key: Secret): Promise<Game> {
    let game = games.find(typed);
    if (!game && !games.list().fresh) {
      await games.refresh(key);
      game = games.find(typed);
    }
    if (game) return game;
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

  async function submit(call: Call, { key, game, submission, again }: Wanted): Promise<Reply> {
    // First of all, so that a store that fails is said while nothing has been sent.
    const { announce } = await settings.get(call.guildId);
    const order = { ...call, key, servers: [submission], again };
    const refusal = await desk.admit(order);
    if (refusal?.code === 'submitted-before') {
      return {
        content: refusalText(refusal, call),
        components: [await againButton(call, 'again.submitAgain', { submission, again: true })],
      };
    }
    if (refusal) throw new UserError(refusalText(withName(refusal, game), call));
    const outcome = await desk.send(order);
    afterwards(outcome, key);
    const content = outcomeText(call, outcome, describe(call.t, game, submission));
    if (announce && outcome.kind === 'accepted') {
      const what = describe(wordsFor(call.guildLocale), game, submission);
      return { content, announcement: announcementText(call, { count: 1, what }) };
    }
    if (outcome.kind !== 'not-sent') return { content };
    return { content, components: [await againButton(call, 'again.tryAgain', { submission, again })] };
  }

  async function againButton(
    { t, interactionId, guildId, user }: Call,
    label: 'again.submitAgain' | 'again.tryAgain',
    offer: Offer,
  ): Promise<ActionRowBuilder<ButtonBuilder>> {
    await offers.make(interactionId, { guildId, userId: user.id }, offer);
    const button = new ButtonBuilder()
      .setCustomId(customId('addserver', 'again', interactionId))
      .setLabel(t(label))
      .setStyle(ButtonStyle.Secondary);
    return new ActionRowBuilder<ButtonBuilder>().addComponents(button);
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
      ...GUILD_ONLY,
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
    resumes: 'unless-done',
    complete: ({ guildId }, typed) => gameChoices(offered(guildId, typed)),
    async run(call) {
      const key = await guildKey(call, keys);
      const game = await findGame(call, (call.options.getString('game') ?? '').trim(), key);
      const submission = typedSubmission(call, game);
      return submit(call, { key, game, submission, again: false });
    },
    presses: {
      again: {
        answer: 'update',
        resumes: 'unless-done',
        async run(call) {
          const { t, guildId, interactionId, user, argument } = call;
          const key = await guildKey(call, keys);
          const offer = await offers.take(argument, { guildId, interactionId, userId: user.id });
          if (offer === 'gone' || offer === 'taken') throw new UserError(t(`again.${offer}`));
          const { submission, again } = offer;
          const game = games.find(submission.game) ?? { name: submission.game, alias: submission.game };
          return submit(call, { key, game, submission, again });
        },
      },
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
