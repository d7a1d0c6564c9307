import { parentPort, workerData } from 'node:worker_threads';
import type { Game } from '../listing/contract.ts';
import { indexGames } from '../listing/game-search.ts';
import { readList } from './read-list.ts';

export interface FileToRead {
  readonly text: string;
  readonly games: readonly Game[];
  /** The alias of the default game for rows without a game; can be empty. */
  readonly game: string;
}

const { text, games, game }: FileToRead = workerData;
const index = indexGames(games);
parentPort?.postMessage(readList(text, { ...index, defaultGame: index.find(game)?.alias }));
