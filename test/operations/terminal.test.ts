import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runProgram } from '../support/program.ts';
import { openScene } from '../support/scene.ts';

const MAIN = join(import.meta.dirname, '../../src/start.js');
/** `script` of util-linux gives a program a terminal. */
const hasTerminal = spawnSync('script', ['--version']).status === 0;

/** What a start prints that ends since Discord cannot be reached. */
async function start(...command: readonly [string, ...string[]]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'terminal-'));
  const env = {
    DISCORD_TOKEN: 'MTExMTExMTExMTExMTExMTEx.Termin.a-token-of-the-terminal-tests-1234567',
    DISCORD_API_URL: 'http://127.0.0.1:9/api',
    LISTING_API_URL: 'http://127.0.0.1:9',
    STORE_URL: `sqlite://${folder}/bot.sqlite`,
  };
  const { stdout } = await runProgram(command, { cwd: folder, env });
  await rm(folder, { recursive: true });
  return stdout;
}

describe('the log', () => {
  it.skipIf(!hasTerminal)('is for reading at a terminal, and says in lines what a start is', async () => {
    const scene = await openScene({ wrapper: ['sh', '-c', 'exec script -qec "$*" /dev/null', 'sh'] });
    onTestFinished(() => scene.close());
    await expect.poll(scene.output).toContain('PRIVACY_URL');
    const said = stripVTControlCharacters(scene.output());
    expect(said).not.toMatch(/^\{"/m);
    for (const line of [
      /INFO.*made an encryption key/,
      /keyFile/,
      /INFO: ready$/m,
      /^ +version: "\d+\.\d+\.\d+"$/m,
      /^ +listing: "http:\S+ answers, after \d+ ms"$/m,
      /^ +gamesKey: "none of its own; the keys of the guilds are used"$/m,
      /^ +guilds: 2$/m,
      /^ +commands: \d+$/m,
      /^ +invite: "https:\/\/discord\.com\/oauth2\/authorize\?client_id=\d+\S+"$/m,
      /^ +store: "sqlite:\S+"$/m,
      /^ +off: \[$/m,
      /^ +"health and metrics \(HTTP_PORT\)",$/m,
    ])
      expect(said).toMatch(line);
  });

  it('is JSON, one object a line, everywhere else', async () => {
    const output = await start(process.execPath, MAIN);
    const lines = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly msg: string });
    expect(lines.some(({ msg }) => msg.startsWith('made an encryption key'))).toBe(true);
  });
});
