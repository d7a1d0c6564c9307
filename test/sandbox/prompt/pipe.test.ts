import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../sandbox/main.ts', import.meta.url));
let temporary: string;

beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'pipe-'));
});
afterAll(() => rm(temporary, { recursive: true }));

/** Starts the sandbox as `npm run sandbox` does, with a folder of its own for what is temporary. */
function start(args: readonly string[] = []) {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, TMPDIR: temporary } });
  const ended = Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]).then(([stdout, stderr, status]) => ({ stdout, stderr, status }));
  return { child, ended };
}

function run(lines: readonly string[], args: readonly string[] = []) {
  const { child, ended } = start(args);
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  return ended;
}

/** The transcript's parts: each line that was typed, with what came of it. */
function parts(stdout: string): { typed: string; shown: string }[] {
  return `\n${stdout}`
    .split('\n> ')
    .slice(1)
    .map((part) => {
      const [typed = '', ...shown] = part.split('\n');
      return { typed, shown: shown.join('\n') };
    });
}

describe('a script on standard input', () => {
  it('does the main job from the first key to a restart, in the words of the service', async () => {
    const { stdout, stderr, status } = await run([
      '/addserver game:cs2 server:play.example.com:27015',
      '/setkey',
      'wrong-key',
      '/setkey',
      'sandbox-key',
      '/games search:strike',
      '/addserver game:count?',
      '/addserver game:cs2 server:play.example.com:27015',
      '/addserver game:minecraft server:[2606:4700::6810:84e5]:25565 query_port:25566',
      '/addserver game:cs2 server:192.168.0.4:27015',
      'submitted',
      'restart',
      '/addserver game:rust server:play.example.org:28015',
    ]);
    const shown = parts(stdout);
    const expected: [string, string | RegExp][] = [
      ['/addserver game:cs2 server:play.example.com:27015', '/setkey'],
      ['/setkey', '┌ '],
      ['********', 'Invalid API key.'],
      ['/setkey', '┌ '],
      ['********', '(only you can see this) '],
      ['/games search:strike', 'Counter-Strike 2'],
      ['/addserver game:count?', /Counter-Strike 2.*cs2/],
      ['/addserver game:cs2 server:play.example.com:27015', 'Servers have been added for review.'],
      [
        '/addserver game:minecraft server:[2606:4700::6810:84e5]:25565 query_port:25566',
        'Servers have been added for review.',
      ],
      ['/addserver game:cs2 server:192.168.0.4:27015', '192.168.0.4'],
      [
        'submitted',
        '2 servers.\n  cs2  play.example.com:27015\n  minecraft  [2606:4700::6810:84e5]:25565  query port 25566',
      ],
      ['restart', 'on the same data'],
      ['/addserver game:rust server:play.example.org:28015', 'Servers have been added for review.'],
    ];
    expect(shown.map(({ typed }) => typed)).toEqual(expected.map(([typed]) => typed));
    for (const [i, [, words]] of expected.entries()) expect(shown[i]?.shown).toMatch(words);
    for (const key of ['wrong-key', 'sandbox-key']) {
      expect(stdout).not.toContain(key);
      expect(stderr).not.toContain(key);
    }
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('submits many servers from a file and from a message', async () => {
    const file = join(temporary, 'servers.txt');
    await writeFile(file, 'a.example.com:27015 cs2\nb.example.com:70000 cs2\nc.example.com:28015 rust\n');
    const { stdout, stderr, status } = await run([
      '/setkey',
      'sandbox-key',
      `/addservers file:${file}`,
      'press Submit 2 servers',
      'message "Join d.example.com:27015 or connect 93.184.216.34:27016; password hidden!"',
      'apps "Submit servers"',
      'pick cs2',
      'press Submit 2 servers',
      'submitted',
    ]);
    await rm(file);
    const [, , preview, report, , found, chosen, last, held] = parts(stdout);
    expect(preview?.shown).toContain('line 2: port 70000 is above 65535');
    expect(preview?.shown).toContain('[ Submit 2 servers ]  [ Cancel ]');
    expect(report?.shown).toContain('✅ 2 accepted');
    expect(found?.shown).toContain('2 servers were found in the message.');
    expect(chosen?.shown).toContain('2 servers are ready');
    expect(last?.shown).toContain('✅ 2 accepted');
    for (const address of [
      'a.example.com:27015',
      'c.example.com:28015',
      'd.example.com:27015',
      '93.184.216.34:27016',
    ])
      expect(held?.shown).toContain(address);
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('goes on after a line that could not be understood, and ends with status 1', async () => {
    const { stdout, stderr, status } = await run([
      'frobnicate',
      '# a comment',
      '',
      'submited',
      'submitted',
      'exit',
      '/games',
    ]);
    expect(stderr).toContain('"frobnicate" was not understood.');
    expect(stderr).toContain('Did you mean submitted?');
    expect(stdout).toContain('The listing service holds 0 servers.');
    expect(stdout).not.toContain('/games');
    expect(status).toBe(1);
  });

  it('finds the data of an earlier run in the folder of --data', async () => {
    const data = join(temporary, 'kept');
    try {
      expect(await run(['/setkey', 'sandbox-key'], ['--data', data])).toMatchObject({ status: 0 });
      const { stdout, status } = await run(
        ['/addserver game:cs2 server:a.example.com:27015'],
        ['--data', data],
      );
      expect(stdout).toContain('Servers have been added for review.');
      expect(status).toBe(0);
      expect(await readdir(data)).toContain('bot.sqlite');
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });

  it('shows the whole log of the bot with --verbose', async () => {
    const { stderr } = await run([], ['--verbose']);
    expect(stderr).toContain('bot info: ');
  });

  it('ends with the last words of a bot that cannot start', async () => {
    const data = join(temporary, 'broken');
    await mkdir(join(data, 'bot.sqlite'), { recursive: true });
    try {
      const { stderr, status } = await run(['/games'], ['--data', data]);
      expect(stderr).toContain(
        'The bot ended while it was starting (exit status 1). Its last words:\nserver-listing-bot: ',
      );
      expect(status).toBe(1);
    } finally {
      await rm(data, { recursive: true });
    }
  });

  it('explains itself when an option is unknown', async () => {
    const { stderr, status } = await run([], ['--dada']);
    expect(stderr).toContain('--data DIR');
    expect(status).toBe(1);
  });
});

describe('Ctrl+C', () => {
  it('stops the bot and removes the temporary folder', async () => {
    const { child, ended } = start();
    child.stdin.write('submitted\n');
    // The answer to a line shows that the bot is there.
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGINT');
    const { status, stderr } = await ended;
    expect(status).toBe(130);
    expect(stderr).toBe('');
    expect(await readdir(temporary)).toEqual([]);
  });
});
