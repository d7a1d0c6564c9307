import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from './app.ts';
import { type Config, ConfigError, doubtful, misspelt, readConfig } from './config/config.ts';
import { FatalDiscordError, RefusedTokenError } from './discord/gateway.ts';
import { AFTER_START_MS } from './lifecycle.ts';
import { HttpServerError } from './listen.ts';
import { createLogger, terminalOutput } from './logger.ts';
import { EncryptionKeyError } from './storage/encryption-key.ts';
import { LeaseOver } from './storage/leases.ts';
import { StuckTransaction } from './storage/store.ts';
import { StoreError } from './storage/store-error.ts';
import { VERSION } from './version.ts';

/** How long a stop may take, in milliseconds; app.ts says what of. What has not ended by then must not keep the bot alive. */
const STOP_MS = 10_000;

/** From when on a second signal is one that somebody means, in milliseconds: npm passes Ctrl-C on once more. */
const SECOND_SIGNAL_MS = 1_000;

/** How often the bot looks whether whoever started it is still there, in milliseconds. */
const PARENT_EVERY_MS = 500;

/** Failures whose message tells the operator all there is to do; a stack trace would only hide it. */
const EXPLAINED = [ConfigError, EncryptionKeyError, FatalDiscordError, HttpServerError, StoreError];

/**
 * The status where the configuration or the token cannot be used (EX_CONFIG of sysexits.h): until the operator fixes that,
 * each start fails. ops/server-listing-bot.service doesn't start the bot again then.
 */
const UNUSABLE = 78;
/** Docker and Kubernetes restart the bot whatever its status is (see Dockerfile), so it waits before it ends with {@link UNUSABLE}. */
const IS_STARTED_AGAIN = process.argv.includes('--started-again');
/** That wait, in milliseconds. */
const UNUSABLE_MS = 600_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function main(): Promise<void> {
  const config = await configOrExit();
  const logger = createLogger({
    level: config.logLevel,
    ...(process.stdout.isTTY && { output: await terminalOutput() }),
  });
  logger.info({ version: VERSION }, `starting server-listing-bot ${VERSION}`);
  for (const hint of misspelt(process.env)) logger.warn({}, `this variable is not read. ${hint}`);
  for (const hint of doubtful(config)) logger.warn({}, hint);
  let stoppingSince: number | undefined;

  async function end(status: number): Promise<void> {
    if (stoppingSince !== undefined) process.exit(status || 1);
    stoppingSince = performance.now();
    process.exitCode = status;
    const tooLong = setTimeout(() => process.exit(status || 1), STOP_MS).unref();
    await app.stop();
    clearTimeout(tooLong);
    if (status === UNUSABLE) await waitIfStartedAgain();
    process.exit(status);
  }

  function fail(error: unknown): void {
    if (error instanceof LeaseOver || error instanceof StuckTransaction) {
      // What is under way is not waited for: others have told of it, or it waits for the transaction.
      logger.error({ err: error }, `${error.message}: the bot ends, to be started anew`);
      process.exit(1);
    }
    // A token that is refused is noticed more than once.
    if (error instanceof FatalDiscordError && stoppingSince !== undefined) return;
    if (EXPLAINED.some((kind) => error instanceof kind)) say(error);
    else logger.error({ err: error }, 'the bot failed and is stopping');
    void end(error instanceof RefusedTokenError ? UNUSABLE : 1);
  }

  const app = createApp({ config, logger, onFatal: fail });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (stoppingSince !== undefined && performance.now() - stoppingSince < SECOND_SIGNAL_MS) return;
      logger.info({ signal }, stoppingSince === undefined ? 'stopping' : 'ending at once');
      void end(0);
    });
  }
  if (process.env.npm_lifecycle_event === 'start') {
    whenLeft(() => {
      if (stoppingSince !== undefined) return;
      logger.info({}, 'npm was stopped: stopping');
      void end(0);
    });
  }
  process.on('unhandledRejection', (error) =>
    logger.error({ err: error }, 'a promise was rejected unnoticed'),
  );
  process.on('uncaughtException', fail);
  app.start().then(keepCode, fail);
}

/** By then everything that a start loads was loaded. In milliseconds. */
const KEEP_AFTER_MS = 2 * AFTER_START_MS;

/** Writes the cache of compiled code (see start.js), which Node by itself writes only at a clean end, not when it is killed. */
function keepCode(): void {
  setTimeout(() => flushCompileCache(), KEEP_AFTER_MS).unref();
}

/**
 * npm passes a signal on to the shell that it runs its scripts by. Debian's shell ends by it, and tells nobody: without
 * this the bot would go on alone, and keep the next one from its database.
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
    say(error);
    // In a container, where the bot is process 1, a signal that nobody handles does nothing.
    for (const signal of SIGNALS) process.on(signal, () => process.exit(UNUSABLE));
    await waitIfStartedAgain();
    process.exit(UNUSABLE);
  }
}

async function waitIfStartedAgain(): Promise<void> {
  if (!IS_STARTED_AGAIN) return;
  say('it ends in 10 minutes, since it would be started again immediately. Fix this, and start it anew.');
  await sleep(UNUSABLE_MS);
}

/** Plain text on standard error: read by a person at a terminal, before or without any log. */
function say(error: unknown): void {
  process.stderr.write(`server-listing-bot: ${error instanceof Error ? error.message : String(error)}\n`);
}

await main();
