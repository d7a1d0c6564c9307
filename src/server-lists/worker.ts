import { parentPort, workerData } from 'node:worker_threads';
import type { Game } from '../listing/contract.ts';
import { indexGames } from '../listing/game-search.ts';
import { readSource } from './read-list.ts';

export interface FileToRead {
  readonly source: string | Uint8Array;
  readonly games: readonly Game[];
  /** The alias of the default game for rows without a game; can be empty. */
  readonly game: string;
}

const { source, games, game }: FileToRead = workerData;
const index = indexGames(games);
parentPort?.postMessage(readSource(source, { ...index, defaultGame: index.find(game)?.alias }));
