import { ApplicationCommandType } from 'discord.js';
import type { Command, Context, Reply } from '../src/discord/command.ts';
import { previewRows } from '../src/discord/components/list-controls.ts';
import type { GuildSettings } from '../src/guilds/settings.ts';
import type { Game } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { gamesAmong } from '../src/listing/game-search.ts';
import { rowsOfMessage } from '../src/server-lists/message.ts';
import { MAX_ROWS } from '../src/server-lists/read-list.ts';
import { asksForGame, type Draft, lacksGame } from '../src/submissions/draft.ts';
import type { ListDrafts, Prepared } from '../src/submissions/list-drafts.ts';
import type { NoDraft } from '../src/submissions/pipeline.ts';
import { UserError } from '../src/user-error.ts';
import { messageCommandText } from '../src/words/command-text.ts';
import { gameOptions } from '../src/words/games.ts';
import { previewOf } from '../src/words/list-preview.ts';
import { type GuildKeys, keyOf, noKeyOf, noList, refusalText } from '../src/words/refusal.ts';
import { enterKey } from './setkey.ts';

/** What a draft is opened with and shown. */
export interface DraftDeps {
  readonly drafts: ListDrafts;
  readonly games: Pick<GameCatalog, 'list' | 'search' | 'find' | 'refresh' | 'refreshSoon'>;
  readonly settings: Pick<GuildSettings, 'get'>;
  readonly keys: GuildKeys;
}

/**
 * "Submit servers" on a message: takes every address in it and asks for their game. The buttons and the select of
 * the answer belong to /addservers.
 */
export function submitMessage(deps: DraftDeps): Command {
  return {
    data: {
      type: ApplicationCommandType.Message,
      ...messageCommandText('submit-message'),
    },
    audience: 'member',
    async useOn(context) {
      const rows = rowsOfMessage(context.text);
      if (rows.length === 0) throw new UserError(context.t('list.message.empty'));
      if (rows.length > MAX_ROWS) {
        throw new UserError(context.t('list.file.tooMany', { count: rows.length, most: MAX_ROWS }));
      }
      const key = await keyOf(context.guildId, deps.keys);
      if (key) deps.games.refreshSoon(key);
      return openDraft(context, { source: 'message', rows }, deps);
    },
  };
}

/** Keeps a new draft under the interaction, and shows what it would submit, below the notice if there is one. */
export const openDraft = async (
  context: Context,
  { notice, ...read }: Pick<Draft, 'source' | 'rows'> & Pick<Shown, 'notice'>,
  deps: DraftDeps,
): Promise<Reply> =>
  showDraft(context, await deps.drafts.open(context, context.interactionId, read), { notice }, deps);

interface Shown {
  /** Something to say first. */
  readonly notice?: string | undefined;
  /** The games to choose from, where they are not all. */
  readonly choice?: readonly Game[];
}

/**
 * What a draft would submit now.
 * @throws UserError when it was submitted or cancelled meanwhile
 */
export async function showDraft(
  context: Context,
  prepared: Prepared | NoDraft,
  { notice, choice }: Shown,
  deps: DraftDeps,
): Promise<Reply> {
  if (typeof prepared === 'string') throw noList(prepared, context.t);
  const some = await allowedGames(context, deps);
  const { id, draft, room, edits, canTryAgain } = prepared;
  const noKey = await noKeyOf(context.guildId, deps.keys);
  const notices = [noKey && refusalText(noKey, context, some), notice].filter(Boolean).join('\n\n');
  return {
    ...previewOf(context, prepared, some, notices),
    components: previewRows(context, {
      id,
      first: noKey && enterKey(context),
      submits: asksForGame(draft) ? 0 : room.count,
      edits: edits.refused + edits.lacking,
      canTryAgain,
      previous: draft.previous.length,
      includesPrevious: draft.includesPrevious,
      ...(draft.rows.some(lacksGame) && { games: gameOptions(choice ?? some.all) }),
    }),
  };
}

/** The games that may be submitted in the guild. */
export const allowedGames = async ({ guildId }: Context, { games, settings }: DraftDeps) =>
  gamesAmong(games, (await settings.get(guildId)).games);
