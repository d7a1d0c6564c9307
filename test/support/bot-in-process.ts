import assert from 'node:assert/strict';
import type { BotProcess, BotProcessDeps, Exit } from '../../sandbox/bot-process.ts';
import { type AppDeps, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/logger.ts';

const LAST_WORDS = 12;

/**
 * The whole bot in the test's own process, to be used as one of its own: it starts in a tenth of the time.
 * It knows no signals: whatever it is stopped with, it stops as an operator would stop it.
 */
export function createBotInProcess(
  { env, onLine, onExit }: BotProcessDeps,
  given: Pick<AppDeps, 'timing' | 'languages'> = {},
): BotProcess {
  let run: { stop(why: { readonly wanted: boolean }): void } | undefined;
  let end: Promise<Exit> = Promise.resolve({ status: null, signal: null, wanted: true, lastWords: [] });

  function start(): void {
    if (run !== undefined) return;
    const { promise, resolve } = Promise.withResolvers<Exit>();
    const lastWords: string[] = [];
    const say = (line: string) => {
      lastWords.push(line);
      lastWords.splice(0, lastWords.length - LAST_WORDS);
      onLine(line);
    };
    let isEnding = false;
    const config = readConfig(env);
    const app = createApp({
      config,
      logger: createLogger({
        level: config.logLevel,
        output: { write: (lines) => void say(lines.trimEnd()) },
      }),
      onFatal: fail,
      ...given,
    });

    async function stop({ wanted }: { readonly wanted: boolean }): Promise<void> {
      if (isEnding) return;
      isEnding = true;
      await app.stop();
      run = undefined;
      const exit: Exit = { status: wanted ? 0 : 1, signal: null, wanted, lastWords };
      onExit(exit);
      resolve(exit);
    }

    function fail(error: unknown): void {
      say(`server-listing-bot: ${error instanceof Error ? error.message : String(error)}`);
      void stop({ wanted: false });
    }

    end = promise;
    run = { stop: (why) => void stop(why) };
    app.start().catch(fail);
  }

  return {
    get running() {
      return run !== undefined;
    },
    pid: process.pid,
    start,
    readLog: () => undefined,
    exited: () => end,
    stop() {
      run?.stop({ wanted: true });
      return end;
    },
  };
}

/**
 * What the bot says when it cannot start with these variables, in this process.
 * @throws Error when it says less or more than one line, or ends otherwise than with status 1
 */
export async function lastWords(env: Readonly<Record<string, string>>): Promise<string> {
  const said: string[] = [];
  const ended = Promise.withResolvers<Exit>();
  const onLine = (line: string) => void (line.startsWith('{') || said.push(line));
  createBotInProcess({ env, surroundings: {}, onLine, onExit: ended.resolve }).start();
  const { status, wanted } = await ended.promise;
  assert.deepEqual({ status, wanted, lines: said.length }, { status: 1, wanted: false, lines: 1 });
  return `${said[0]}\n`;
}
