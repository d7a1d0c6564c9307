import type { ServerLookup } from '../game-servers/server-lookup.ts';
import type { GuildSettings } from '../guilds/settings.ts';
import type { Listing } from '../listing/listing.ts';
import { createListParser, type ListParserDeps } from '../server-lists/list-parser.ts';
import type { Row } from '../server-lists/row.ts';
import { type CheckDeps, createCheck } from './check.ts';
import { createDraftEditor } from './draft-editor.ts';
import { createPipeline, type Observer, type PipelineDeps } from './pipeline.ts';
import type { SubmissionStore } from './submission-store.ts';
import { createSuggestions } from './suggestions.ts';

export interface SubmissionHandlingDeps
  extends Omit<PipelineDeps, keyof SubmissionStore | 'check' | 'listing' | 'guard' | 'settings'>,
    Pick<ListParserDeps, 'readingMs'> {
  readonly submissionStore: SubmissionStore;
  readonly settings: GuildSettings;
  readonly blocks: CheckDeps['blocks'];
  readonly listing: Pick<Listing, 'api' | 'guard' | 'games'>;
  /** `undefined` unless the operator has enabled server lookups. */
  readonly serverLookup: Pick<ServerLookup, 'complete'> | undefined;
}

export function createSubmissionHandling({
  submissionStore,
  listing,
  settings,
  blocks,
  serverLookup,
  readingMs,
  ...deps
}: SubmissionHandlingDeps) {
  const { api, guard, games } = listing;
  const parser = createListParser({ games, readingMs });
  const completeRows = async (rows: readonly Row[]) => (await serverLookup?.complete(rows)) ?? rows;
  const gamesObserver: Observer = {
    async ended({ guildId }, ended) {
      const isUnknownGame = ended.some(
        ({ outcome }) => outcome.kind === 'rejected' && outcome.known === 'gameInvalid',
      );
      if (isUnknownGame) games.invalidate();
      games.refreshSoon(guildId);
    },
  };
  const check = createCheck({ ...submissionStore, blocks, keys: deps.keys, settings, games, guard });
  return {
    parser,
    completeRows,
    /** Whether the bot looks up game servers on Steam, which means sending their addresses to Steam. */
    looksUpServers: serverLookup !== undefined,
    draftEditor: createDraftEditor({ ...submissionStore, ...deps, check, games, parser, completeRows }),
    suggestions: createSuggestions({ history: submissionStore.history, games, settings }),
    pipeline: createPipeline({
      ...deps,
      ...submissionStore,
      settings,
      check,
      listing: api,
      guard,
      observers: [...deps.observers, gamesObserver],
    }),
  };
}
