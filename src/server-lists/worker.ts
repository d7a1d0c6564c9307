import { parentPort, workerData } from 'node:worker_threads';
import type { Game } from '../listing/contract.ts';
import { indexGames } from '../listing/game-search.ts';
import { readSource } from './read-list.ts';

export interface FileToRead {
  readonly source: string | Uint8Array;
  readonly games: readonly Game[];
  /** The game's alias, or '' without a default game. */
  readonly defaultGame: string;
}

const { source, games, defaultGame }: FileToRead = workerData;
const index = indexGames(games);
parentPort?.postMessage(readSource(source, { ...index, defaultGame: index.find(defaultGame)?.alias }));
