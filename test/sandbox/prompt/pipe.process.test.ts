import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { KEPT_CODE } from '../../support/machine.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = join(ROOT, 'sandbox/main.ts');
const temporary = await mkdtemp(join(tmpdir(), 'pipe-'));
afterAll(() => rm(temporary, { recursive: true }));

/** Starts a program that uses its own folder for temporary files. */
function start(program: string, args: readonly string[], cwd = ROOT) {
  const env = {
    ...process.env,
    TMPDIR: temporary,
    // The README's command runs npm, which has to find this version of Node.
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    // Otherwise, Node would store its compile cache with the temporary files.
    ...KEPT_CODE,
  };
  const child = spawn(program, args, { env, cwd });
  const ended = Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]).then(([stdout, stderr, status]) => ({ stdout, stderr, status }));
  return { child, ended };
}

const sandbox = (...args: readonly string[]) => start(process.execPath, [MAIN, ...args]);

describe('the sandbox process', () => {
  it.each([
    ['the gateway', ''],
    ['HTTP', ' -- --http'],
  ])("runs the README's example script (interactions over %s)", async (_, how) => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const [line = ''] = /^printf .* \| npm run -s sandbox$/m.exec(readme) ?? [];
    const { stdout, stderr, status } = await start('sh', ['-c', line + how]).ended;
    expect(stdout).toContain('> /games search:strike\n');
    expect(stdout).toContain('Servers have been added for review.');
    expect(stdout).toContain('The listing service holds 1 server.\n  cs2  play.example.com:27015\n');
    expect(stdout).not.toContain('sandbox-key-1234');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(await readdir(temporary)).toEqual([]);
  });

  it("prints the bot's last output if the bot can't start", async () => {
    const data = join(temporary, 'broken');
    await mkdir(join(data, 'bot.sqlite'), { recursive: true });
    try {
      const { child, ended } = sandbox('--data', data);
      child.stdin.end('/games\n');
      const { stderr, status } = await ended;
      expect(stderr).toMatch(
        /The bot ended while it was starting \(exit status 1\)\. Its last words:\n[\s\S]*^server-listing-bot: /m,
      );
      expect(status).toBe(1);
    } finally {
      await rm(data, { recursive: true });
    }
  });

  it('prints its usage for an unknown option', async () => {
    const { child, ended } = sandbox('--dada');
    child.stdin.end();
    const { stderr, status } = await ended;
    expect(stderr).toContain('--data DIR');
    expect(status).toBe(1);
  });

  it('stops the bot and removes temporary files on Ctrl+C', async () => {
    const { child, ended } = start(process.execPath, [MAIN, '--verbose'], temporary);
    const answered = Promise.withResolvers<void>();
    let said = '';
    child.stdout.on('data', (data) => {
      said += String(data);
      if (said.includes('The listing service holds')) answered.resolve();
    });
    for (const line of [
      '/setkey',
      'sandbox-key-1234',
      '/addservers file:docs/servers.csv',
      'press Submit',
      'submitted',
    ])
      child.stdin.write(`${line}\n`);
    await Promise.race([answered.promise, ended]);
    child.kill('SIGINT');
    const { status, stdout, stderr } = await ended;
    expect(stdout).toContain('[ Submit 6 game servers ]');
    expect(stdout).toContain('The listing service holds 6 servers.');
    expect(status).toBe(130);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.filter((line) => !/^bot (info|debug): /.test(line))).toEqual([]);
    expect(lines.length).toBeGreaterThan(1);
    expect(await readdir(temporary)).toEqual([]);
  });
});
