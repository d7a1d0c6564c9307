import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { readArguments, runStandIn } from '../../sandbox/stand-in-main.ts';
import { KEPT_CODE } from '../support/program.ts';
import { connect, SMALL_COMMANDS, smallBot } from './discord/support/small-bot.ts';

const entry = join(import.meta.dirname, '../../sandbox/stand-in-main.ts');
const run = (...options: readonly string[]) =>
  spawn(process.execPath, [entry, ...options], {
    env: { ...process.env, ...KEPT_CODE },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

it('tells how to point a bot at it, prints broken rules, and ends with status 1 for them', async () => {
  const standIn = run('--port', '0');
  let said = '';
  let complained = '';
  standIn.stdout.on('data', (data) => {
    said += String(data);
  });
  standIn.stderr.on('data', (data) => {
    complained += String(data);
  });
  await expect.poll(() => said).toContain('Ctrl+C');
  const apiUrl = /http:\/\/127\.0\.0\.1:\d+\/api/.exec(said)?.[0] ?? '';
  const client = await connect({ apiUrl }, smallBot);
  await client.application?.commands.set(SMALL_COMMANDS);
  await expect.poll(() => said).toContain('Its commands: find, ask, buttons, file');
  await client.application?.commands.set([{ name: 'No Good', description: 'x' }]).catch(() => {});
  await expect.poll(() => complained).toContain('Rule 11 broken: PUT /api/v10/applications/');
  await client.destroy();
  standIn.kill('SIGINT');
  expect(await once(standIn, 'exit')).toEqual([1, null]);
});

it('ends with status 0 when nothing was broken', async () => {
  const standIn = run('--port', '0');
  await once(standIn.stdout, 'data');
  standIn.kill('SIGTERM');
  expect(await once(standIn, 'exit')).toEqual([0, null]);
});

/** The same in this process, with what it says. */
async function runHere(...line: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(stdout), text(stderr)]);
  const running = await runStandIn(line, { stdout, stderr });
  return {
    running,
    /** Ends it, and returns its exit status and everything that it said. */
    async end() {
      const status = typeof running === 'number' ? running : await running.leave();
      stdout.end();
      stderr.end();
      const [out, complaint] = await said;
      return { status, out, complaint };
    },
  };
}

it('listens on TLS with a certificate made at start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stand-in-'));
  const file = join(folder, 'certificate.pem');
  const port = await freePort();
  const standIn = await runHere('--port', String(port), '--tls', file);
  const headers = { 'user-agent': 'DiscordBot (x, 1)' };
  const options = { ca: await readFile(file), headers, agent: false };
  const [response] = await once(get(`https://127.0.0.1:${port}/api/v10/gateway`, options), 'response');
  expect(JSON.parse(await text(response)).url).toMatch(/^wss:/);
  const { status, out } = await standIn.end();
  expect(status).toBe(0);
  expect(out).toContain(`https://127.0.0.1:${port}/api`);
  await rm(folder, { recursive: true });
});

it('names a port that is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const late = await runHere('--port', String(typeof address === 'object' ? address?.port : undefined));
  const { status, complaint } = await late.end();
  expect(status).toBe(1);
  expect(complaint.trim().split('\n')).toEqual([expect.stringContaining('EADDRINUSE')]);
  taken.close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

it('says what is wrong with its arguments, and how it is used', async () => {
  const wrong = await runHere('--port', '70000');
  const { status, out, complaint } = await wrong.end();
  expect([status, out]).toEqual([1, '']);
  expect(complaint).toContain('--port must be a whole number from 0 to 65535');
  expect(complaint).toContain('Usage: npm run stand-in');
});

it.each<readonly [readonly string[], string]>([
  [['--token', 'Bot aaa.bbb.ccc'], '--token must be letters, digits'],
  [['--token', ''], '--token must be letters, digits'],
  [['--port', 'many'], '--port must be a whole number'],
  [['--port', ''], '--port must be a whole number'],
  [['--port', '70000'], '--port must be a whole number from 0 to 65535'],
  [['--port', '0x50'], '--port must be a whole number'],
  [['--shards', '0'], '--shards must be a whole number from 1 to 1000'],
  [['--max-concurrency', '-1'], 'max-concurrency'],
  [['--prot', '4000'], "Unknown option '--prot'"],
  [['4000'], "Unexpected argument '4000'"],
])('does not take %j', (line, words) => {
  expect(() => readArguments(line)).toThrow(words);
});

it('takes its arguments, each with a usual value', () => {
  const usual = { token: 'aaa.bbb.ccc', port: 4000, shards: 1, maxConcurrency: 1 };
  expect(readArguments([])).toEqual(usual);
  const line = [
    '--port',
    '0',
    '--token',
    'a.b-_c',
    '--shards',
    '1000',
    '--max-concurrency',
    '16',
    '--tls',
    'file',
  ];
  expect(readArguments(line)).toEqual({
    token: 'a.b-_c',
    port: 0,
    shards: 1000,
    maxConcurrency: 16,
    tls: 'file',
  });
  for (const option of ['--help', '-h']) expect(readArguments([option])).toBe('help');
});

it('--help shows how it is used', async () => {
  const asked = await runHere('--help');
  const { status, out, complaint } = await asked.end();
  expect([status, complaint]).toEqual([0, '']);
  for (const name of ['--port', '--token', '--shards', '--max-concurrency', '--tls'])
    expect(out).toContain(name);
});

it('ends as a process with the status of what it was told', async () => {
  const [status] = await once(run('--port', 'many'), 'exit');
  expect(status).toBe(1);
});
