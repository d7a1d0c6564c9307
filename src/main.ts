import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from './app.ts';
import { type Config, ConfigError, configWarnings, misspelt, readConfig } from './config/config.ts';
import { FatalDiscordError, RejectedTokenError } from './discord/gateway.ts';
import { AFTER_START_MS } from './lifecycle.ts';
import { HttpServerError } from './listen.ts';
import { createLogger, terminalOutput } from './logger.ts';
import { EncryptionKeyError, WrongKeyError } from './storage/encryption-key.ts';
import { ExpiredLeaseError } from './storage/leases.ts';
import { StuckTransactionError } from './storage/store.ts';
import { StoreError, UnusableStoreError } from './storage/store-error.ts';
import { VERSION } from './version.ts';

/** Divided up in app.ts. After this time, the bot exits even with unfinished work. */
const STOP_TIMEOUT_MS = 10_000;

/** How long a second signal is ignored, in milliseconds. npm forwards Ctrl-C, so the bot receives it twice. */
const SECOND_SIGNAL_MS = 1_000;

const PARENT_EVERY_MS = 500;

/** Errors with a complete message for the operator. A stack trace would only be a distraction. */
const EXPLAINED = [ConfigError, EncryptionKeyError, FatalDiscordError, HttpServerError, StoreError];

/**
 * Exit status for an unusable configuration, token, key or database (EX_CONFIG in sysexits.h). The bot can't start until
 * the operator fixes the problem, so ops/server-listing-bot.service doesn't restart it.
 */
const UNUSABLE = 78;
const LASTING = [RejectedTokenError, UnusableStoreError, WrongKeyError];
/**
 * Whether Docker or Kubernetes restarts the bot after any exit (see Dockerfile). If so, the bot waits before it exits with
 * {@link UNUSABLE}.
 */
const IS_RESTARTED = process.argv.includes('--started-again');
const WAIT_BEFORE_UNUSABLE_EXIT_MS = 600_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function main(): Promise<void> {
  const config = await configOrExit();
  const logger = createLogger({
    level: config.logLevel,
    ...(process.stdout.isTTY && { output: await terminalOutput() }),
  });
  logger.info({ version: VERSION }, `starting server-listing-bot ${VERSION}`);
  for (const hint of misspelt(process.env)) logger.warn({}, `ignoring an unknown variable. ${hint}`);
  for (const hint of configWarnings(config)) logger.warn({}, hint);
  let stoppingSince: number | undefined;
  let couldStart = true;

  /** Logs that the bot has stopped, so that the log shows whether something else had ended the process. */
  function reportStopped(since: number): void {
    // If the bot couldn't start, the last line is the reason.
    if (!couldStart) return;
    const cutOff = app.cutOff();
    const ms = Math.round(performance.now() - since);
    if (cutOff.length === 0) logger.info({ ms }, 'stopped');
    else logger.warn({ ms, cutOff }, 'stopped');
  }

  async function end(status: number): Promise<void> {
    if (stoppingSince !== undefined) {
      reportStopped(stoppingSince);
      process.exit(status || 1);
    }
    const since = performance.now();
    stoppingSince = since;
    process.exitCode = status;
    const tooLong = setTimeout(() => {
      reportStopped(since);
      process.exit(status || 1);
    }, STOP_TIMEOUT_MS).unref();
    await app.stop();
    clearTimeout(tooLong);
    reportStopped(since);
    if (status === UNUSABLE) await waitIfRestarted();
    process.exit(status);
  }

  function fail(error: unknown): void {
    if (error instanceof ExpiredLeaseError || error instanceof StuckTransactionError) {
      // Doesn't wait for unfinished work: either other processes have already reported it as interrupted, or a stuck
      // transaction prevents it from finishing.
      logger.error({ err: error }, `${error.message}: exiting so that the bot can be restarted`);
      process.exit(1);
    }
    // A rejected token can be reported again while the bot is stopping.
    if (error instanceof FatalDiscordError && stoppingSince !== undefined) return;
    if (EXPLAINED.some((kind) => error instanceof kind)) printError(error);
    else logger.error({ err: error }, 'the bot failed and is stopping');
    void end(LASTING.some((kind) => error instanceof kind) ? UNUSABLE : 1);
  }

  const app = createApp({ config, logger, onFatal: fail });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (stoppingSince !== undefined && performance.now() - stoppingSince < SECOND_SIGNAL_MS) return;
      logger.info({ signal }, stoppingSince === undefined ? 'stopping' : 'exiting immediately');
      void end(0);
    });
  }
  if (process.env.npm_lifecycle_event === 'start') {
    whenLeft(() => {
      if (stoppingSince !== undefined) return;
      logger.info({}, 'npm has stopped; stopping too');
      void end(0);
    });
  }
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled promise rejection'));
  process.on('uncaughtException', fail);
  app.start().then(keepCode, (error) => {
    couldStart = false;
    fail(error);
  });
}

/** Lets all necessary code load after startup. */
const KEEP_AFTER_MS = 2 * AFTER_START_MS;

/** Writes the cache of compiled code (see start.js). Node only does so on a clean exit, not if the process is killed. */
function keepCode(): void {
  setTimeout(() => flushCompileCache(), KEEP_AFTER_MS).unref();
}

/**
 * Calls `stop` when the parent process is gone. npm passes signals to the shell that runs its scripts, but Debian's shell
 * exits without passing them on. The bot would then keep running, and its lock on the database would prevent the next bot
 * from starting.
 */
function whenLeft(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_EVERY_MS).unref();
}

async function configOrExit(): Promise<Config> {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printError(error);
    // Without handlers, process 1 in a container ignores these signals.
    for (const signal of SIGNALS) process.on(signal, () => process.exit(UNUSABLE));
    await waitIfRestarted();
    process.exit(UNUSABLE);
  }
}

async function waitIfRestarted(): Promise<void> {
  if (!IS_RESTARTED) return;
  printError(
    'will exit in 10 minutes, because it would be restarted immediately. Fix the problem, then restart it.',
  );
  await sleep(WAIT_BEFORE_UNUSABLE_EXIT_MS);
}

/** Writes plain text to standard error instead of the log, for people at a terminal. */
function printError(error: unknown): void {
  process.stderr.write(`server-listing-bot: ${error instanceof Error ? error.message : String(error)}\n`);
}

await main();
