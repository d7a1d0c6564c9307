import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createStoreLock } from '../../src/storage/lock.ts';
import { parseStoreUrl } from '../../src/store-url.ts';
import { hasPostgres } from '../support/database.ts';
import { recorder } from '../support/machine.ts';
import { startServer } from '../support/postgres-server.ts';

const NAME = `bot-${process.pid}`;
/** This range is reserved for network tests (RFC 2544). */
const NETWORK = `198.18.${process.pid % 256}`;
const HERE = `${NETWORK}.1`;
const THERE = `${NETWORK}.2`;
const FREE_WITHIN_MS = 40_000;

const ip = (line: string) => execFileSync('ip', line.split(' '), { stdio: 'pipe' });

/** Simulates another machine with a network namespace and a cable. @returns whether that is possible here */
function plugIn(): boolean {
  try {
    ip(`netns add ${NAME}`);
    onTestFinished(() => void ip(`netns delete ${NAME}`));
    ip(`link add ${NAME} type veth peer name cable netns ${NAME}`);
    // The namespace exists for a few minutes longer, because its kernel keeps trying to send.
    onTestFinished(() => void ip(`link delete ${NAME}`));
    ip(`address add ${HERE}/30 dev ${NAME}`);
    ip(`link set ${NAME} up`);
    ip(`-n ${NAME} address add ${THERE}/30 dev cable`);
    ip(`-n ${NAME} link set cable up`);
    return true;
  } catch {
    return false;
  }
}

it.skipIf(!hasPostgres())(
  "PostgreSQL releases the lock soon after losing contact with the bot's machine",
  async ({ skip }) => {
    if (!plugIn()) return skip('it needs root, and the program ip');
    const server = await startServer({ address: HERE });
    expect.assert(server);
    onTestFinished(server.stop);
    const fromThere = new URL(server.url);
    fromThere.hostname = HERE;
    const program = fileURLToPath(new URL('hold-lock.ts', import.meta.url));
    const holder = spawn('ip', ['netns', 'exec', NAME, process.execPath, program], {
      env: { ...process.env, STORE_URL: `${fromThere.href}?sslmode=disable` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');

    const url = parseStoreUrl(server.url);
    expect.assert(url);
    const refusal = async () => {
      const lock = createStoreLock({ url, logger: recorder() });
      const error = await lock.start().catch((thrown: unknown) => thrown);
      await lock.stop();
      return error;
    };
    expect(String(await refusal())).toContain('another bot is running');
    // The other machine now drops all packets. If the cable were disconnected instead, this side would notice.
    ip(`-n ${NAME} address flush dev cable`);
    await expect.poll(refusal, { timeout: FREE_WITHIN_MS, interval: 500 }).toBeUndefined();
  },
);
