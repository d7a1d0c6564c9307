import type { GuildSettings } from '../guilds/settings.ts';
import type { Listing } from '../listing/listing.ts';
import { createListParser, type ListParserDeps } from '../server-lists/list-parser.ts';
import { createListDrafts } from './list-drafts.ts';
import { createPipeline, type Observer, type PipelineDeps } from './pipeline.ts';
import type { Records } from './records.ts';
import { createSuggestions } from './suggestions.ts';

export interface SubmissionsDeps
  extends Omit<PipelineDeps, keyof Records | 'listing' | 'guard' | 'settings'>,
    Pick<ListParserDeps, 'readingMs'> {
  readonly records: Records;
  readonly settings: GuildSettings;
  readonly listing: Pick<Listing, 'api' | 'guard' | 'games'>;
}

/** From a text that a member gives to what came of each server. */
export function createSubmissions({ records, listing, settings, readingMs, ...deps }: SubmissionsDeps) {
  const { api, guard, games } = listing;
  const parser = createListParser({ games, readingMs });
  const gamesObserver: Observer = {
    async ended({ guildId }, ended) {
      const isUnknownGame = ended.some(
        ({ outcome }) => outcome.kind === 'rejected' && outcome.known === 'gameInvalid',
      );
      if (isUnknownGame) games.invalidate();
      games.refreshSoon(guildId);
    },
  };
  return {
    parser,
    lists: createListDrafts({ ...records, store: deps.store, settings, games, parser }),
    suggestions: createSuggestions({ history: records.history, games, settings }),
    pipeline: createPipeline({
      ...deps,
      ...records,
      settings,
      listing: api,
      guard,
      observers: [...deps.observers, gamesObserver],
    }),
  };
}
