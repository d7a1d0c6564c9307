import { parentPort, workerData } from 'node:worker_threads';
import type { Game } from '../listing/contract.ts';
import { indexGames } from '../listing/game-search.ts';
import { readList } from './read-list.ts';

export interface FileToRead {
  readonly text: string;
  readonly games: readonly Game[];
  /** The alias of the default game for rows without a game; can be empty. */
  readonly game: string;
  /** The numbers of lines that the bot wrote itself, and that the member returned unchanged. */
  readonly known?: ReadonlySet<number> | undefined;
}

const { text, games, game, known }: FileToRead = workerData;
const index = indexGames(games);
parentPort?.postMessage(readList(text, { ...index, defaultGame: index.find(game)?.alias }, known));
