import { setImmediate } from 'node:timers/promises';
import { readSource } from './read-list.ts';
import type { GameReading } from './text-parser.ts';

const SAMPLES: readonly string[] = [
  'cs2 8.8.8.8:27015',
  'Rust main | 8.8.8.8 | port: 27015',
  'connect a.example.com:1; password x',
  '[::1]:1 <@1> players 1/2',
  '"my server" (8.8.8.8), 12:30 hello',
  'server,port,game\n8.8.8.8,1,cs2',
  '{"server":"8.8.8.8","port":1}',
];

/**
 * Reads a few short lists, so that V8 compiles the list parser's regular expressions. Otherwise, the first list after a start
 * blocks the bot for up to 0.4 seconds (measured). V8 compiles them separately for text that isn't in Latin-1. Yields to other
 * work after each sample.
 */
export async function warmUpListParser(games: GameReading): Promise<void> {
  for (const sample of SAMPLES.flatMap((each) => [each, `⭐ ${each}`, `${each} İ`])) {
    await setImmediate();
    readSource(sample, games);
  }
}
