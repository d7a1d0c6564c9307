import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { createLoopbackServer } from '../../sandbox/loopback-server.ts';
import { quietPort } from '../../sandbox/quiet-port.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A URL that returns the URL of this run's PostgreSQL server. Empty if PostgreSQL isn't installed. */
    readonly postgres: string;
  }
}

const USER = 'postgres';
const PASSWORD = 'the-password-of-postgres';
const READY_WITHIN_MS = 30_000;

/** Where Debian and Ubuntu install the programs of each PostgreSQL version. */
const PROGRAMS = '/usr/lib/postgresql/*/bin';

/**
 * Prepares a PostgreSQL server that all workers share, as vitest's `globalSetup`. The server starts when a worker first
 * requests its URL over HTTP.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  if (newestPrograms() === undefined) {
    process.stderr.write(
      'PostgreSQL is not installed; skipping the tests that need it (apt-get install postgresql).\n',
    );
    provide('postgres', '');
    return async () => undefined;
  }
  let server: ReturnType<typeof startServer> | undefined;
  const door = createLoopbackServer((_request, response) => {
    server ??= startServer();
    server.then(
      (started) => response.end(started?.url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  const port = await door.listen(0);
  provide('postgres', `http://127.0.0.1:${port}`);
  return async () => {
    await door.close();
    await (await server)?.stop();
  };
}

/** An empty PostgreSQL server that stops when this process exits. */
export interface PostgresServer {
  /** The URL of the server's first database, including the password. */
  readonly url: string;
  restart(): Promise<void>;
  /** Makes later transactions read-only (as on a server that is no longer the primary) or writable again. */
  onlyRead(isOn: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the folder that contains `initdb` and `postgres`. */
function newestPrograms(): string | undefined {
  const folders = globSync(PROGRAMS).filter((folder) => existsSync(join(folder, 'initdb')));
  return folders.sort((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1);
}

/** Returns the path to one of PostgreSQL's programs. */
export const programOf = (name: string): string => join(newestPrograms() ?? '', name);

interface ServerOptions {
  /** Whether each commit is written to disk. Otherwise, data stays in memory. */
  readonly onDisk?: boolean;
  /** An additional address where other machines can reach the server. */
  readonly address?: string;
}

/** Starts a server. Returns `undefined` if PostgreSQL isn't installed. */
export async function startServer(options: ServerOptions = {}): Promise<PostgresServer | undefined> {
  const { onDisk = false, address } = options;
  const programs = newestPrograms();
  if (programs === undefined) return undefined;
  const place = !onDisk && existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(place, 'postgres-'));
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? idsOf(USER) : undefined;
  if (user) {
    for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  }
  chmodSync(folder, 0o700);
  const cluster = ['--auth=scram-sha-256', `--username=${USER}`, `--pwfile=${passwordFile}`, '--no-sync'];
  // Sorts letters by language instead of by bytes, as most servers do.
  const order = ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US', '--locale=C.UTF-8'];
  const inFolder = { ...user, cwd: folder };
  execFileSync(join(programs, 'initdb'), ['-D', data, ...cluster, ...order], { ...inFolder, stdio: 'pipe' });
  if (address) appendFileSync(join(data, 'pg_hba.conf'), 'host all all samenet scram-sha-256\n');

  const port = await quietPort();
  const settings = {
    port,
    listen_addresses: ['127.0.0.1', ...(address ? [address] : [])].join(),
    unix_socket_directories: '',
    max_connections: 500,
    fsync: onDisk ? 'on' : 'off',
    full_page_writes: onDisk ? 'on' : 'off',
    log_min_messages: 'panic',
  };
  const given = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  // The server stops when the pipe closes, so it also stops if this process is killed.
  const script = '"$@" & server=$!; cat > /dev/null; kill -INT $server; wait $server';
  const command = ['-c', script, 'sh', join(programs, 'postgres'), '-D', data, ...given];
  const url = `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`;
  const run = () => spawn('sh', command, { ...inFolder, stdio: ['pipe', 'ignore', 'ignore'] });
  let server = run();

  async function end(): Promise<void> {
    const ended = once(server, 'exit');
    server.stdin.end();
    await ended;
  }

  async function stop(): Promise<void> {
    await end();
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    await untilReady(url);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    async restart() {
      await end();
      server = run();
      await untilReady(url);
    },
    async onlyRead(isOn) {
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(`alter system set default_transaction_read_only = ${isOn ? 'on' : 'off'}`);
      await client.query('select pg_reload_conf()');
      await client.end();
    },
    stop,
  };
}

function idsOf(name: string): { readonly uid: number; readonly gid: number } {
  const id = (kind: string) => Number(execFileSync('id', [kind, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function untilReady(url: string): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (Date.now() > until) throw error;
      await sleep(50);
    }
  }
}
