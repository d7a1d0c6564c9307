import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { startListing } from '../../sandbox/listing/stand-in.ts';
import { folder, runFile, runToolInProcess } from '../support/machine.ts';

const TOKEN = 'MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.abcdefghijklmnopqrstuvwxyz12';
const WRONG = TOKEN.replace('abc', 'cba');
const discord = await startDiscord({ token: TOKEN });
const listing = await startListing();
afterAll(() => Promise.all([discord.close(), listing.close()]));

const SETUP = 'src/tools/setup.ts';
/** The Discord stand-in's address. The operator doesn't enter this setting. */
const env = { DISCORD_API_URL: discord.apiUrl };
const lines = (...all: readonly string[]) => all.map((line) => `${line}\n`).join('');
const written = (cwd: string) => parseEnv(readFileSync(join(cwd, '.env'), 'utf8'));

describe('npm run setup', () => {
  it('asks for two settings and writes them to a private file', async () => {
    const cwd = folder();
    const { status, stdout, stderr } = await runFile([SETUP], { cwd, env, input: lines(TOKEN, listing.url) });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).not.toContain(TOKEN);
    expect(stdout).toMatch(/^ok +Token +Discord accepts it: Test Bot/m);
    expect(stdout).toMatch(/^ok +Listing service +responds/m);
    expect(stdout).toMatch(/^https:\/\/discord\.com\/oauth2\/authorize\?client_id=\d+\S+$/m);
    expect(stdout).toMatch(/1\. Start the bot: npm start/);
    expect(statSync(join(cwd, '.env')).mode & 0o777).toBe(0o600);
    expect(written(cwd)).toEqual({ DISCORD_TOKEN: TOKEN, LISTING_API_URL: listing.url });
    const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
    expect(readFileSync(join(cwd, '.env'), 'utf8').split('\n')).toHaveLength(example.split('\n').length);
    expect(listing.requests.map(({ action }) => action)).toEqual(['games']);
  });

  it('accepts settings from environment variables', async () => {
    const cwd = folder();
    const given = { ...env, DISCORD_TOKEN: TOKEN, LISTING_API_URL: `${listing.url}/` };
    expect(await runToolInProcess([SETUP], { cwd, env: given })).toMatchObject({ status: 0, stderr: '' });
    expect(written(cwd)).toMatchObject({ DISCORD_TOKEN: TOKEN });
  });

  it("asks again for a setting that doesn't work", async () => {
    const cwd = folder();
    const input = lines(`Bot ${TOKEN}`, WRONG, TOKEN, 'list.example.com', listing.url);
    const { status, stdout } = await runToolInProcess([SETUP], { cwd, env, input });
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /begins with "Bot "[\s\S]*FAILED +Token[\s\S]*ok +Token[\s\S]*did you mean https:\/\/list/,
    );
    for (const secret of [TOKEN, WRONG]) expect(stdout).not.toContain(secret);

    const other = folder();
    const refused = await runToolInProcess([SETUP], { cwd: other, env, input: lines(WRONG) });
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('nothing was written') });
    const empty = await runToolInProcess([SETUP], { cwd: other, env, input: lines('') });
    expect(empty.stdout).toMatch(/DISCORD_TOKEN is missing: it must be the bot token/);
    expect(empty.stdout).not.toMatch(/npm run setup|cp \.env/);
    expect(existsSync(join(other, '.env'))).toBe(false);
  });

  it.each([
    ['LISTING_API_KEY_FILE=/none', 'LISTING_API_KEY_FILE refers to a file'],
    ['LISTING_API_TIMEOUT_MS=soon', 'LISTING_API_TIMEOUT_MS must be a whole number'],
    ['INTERACTIONS=http', 'DISCORD_PUBLIC_KEY is missing'],
    ['DISCORD_TOKEN_FILE=/none', 'DISCORD_TOKEN and DISCORD_TOKEN_FILE are both set'],
  ])("stops if it can't fix a problem in .env: %s", async (variable, problem) => {
    const cwd = folder();
    writeFileSync(join(cwd, '.env'), variable);
    // The second answer is invalid, too.
    const stopped = await runToolInProcess([SETUP], { cwd, env, input: lines(TOKEN, 'list.example.com') });
    expect(stopped).toMatchObject({ status: 1, stderr: expect.stringContaining(problem) });
    expect(readFileSync(join(cwd, '.env'), 'utf8')).toBe(variable);
  });

  it('saves an unreachable address if the operator insists', async () => {
    const cwd = folder();
    const { status } = await runToolInProcess([SETUP], {
      cwd,
      env,
      input: lines(TOKEN, 'http://127.0.0.1:9', ''),
    });
    expect(status).toBe(0);
    expect(written(cwd)).toMatchObject({ LISTING_API_URL: 'http://127.0.0.1:9' });
  });

  it('removes a trailing /api from the address if the service responds without it', async () => {
    const cwd = folder();
    const { stdout } = await runToolInProcess([SETUP], {
      cwd,
      env,
      input: lines(TOKEN, `${listing.url}/api`),
    });
    expect(stdout).toContain(`responds at ${listing.url}, which is used instead`);
    expect(written(cwd)).toMatchObject({ LISTING_API_URL: listing.url });
  });

  it('changes an existing .env file only if the operator agrees', async () => {
    const cwd = folder();
    const path = join(cwd, '.env');
    const before = `# mine\nDISCORD_TOKEN=${WRONG}\nUNKNOWN='a # b'\nDISCORD_API_URL=${discord.apiUrl}`;
    writeFileSync(path, before, { mode: 0o644 });
    for (const answers of [[], ['n']]) {
      const kept = await runToolInProcess([SETUP], {
        cwd,
        env: {},
        input: lines(TOKEN, listing.url, ...answers),
      });
      expect(kept).toMatchObject({ status: 1, stderr: 'setup: .env was not changed\n' });
      expect(readFileSync(path, 'utf8')).toBe(before);
    }
    const done = await runToolInProcess([SETUP], { cwd, env: {}, input: lines(TOKEN, listing.url, 'y') });
    expect(done.status).toBe(0);
    const after = before.replace(WRONG, TOKEN);
    expect(readFileSync(path, 'utf8')).toBe(`${after}\nLISTING_API_URL=${listing.url}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // An existing value doesn't have to be retyped.
    expect((await runToolInProcess([SETUP], { cwd, env: {}, input: lines('', '', 'y') })).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(`${after}\nLISTING_API_URL=${listing.url}\n`);
  });

  it.skipIf(process.platform === 'win32')('reports a write error on a single line', async () => {
    const cwd = folder();
    chmodSync(cwd, 0o500);
    const input = lines(TOKEN, listing.url);
    const failed = await runFile([SETUP], { cwd, env, input, isOrdinary: true });
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(/^setup: could not write \.env: EACCES: permission denied.*\n$/);
  });

  it.skipIf(spawnSync('script', ['--version']).status !== 0)(
    "doesn't show the token in a terminal",
    async () => {
      const program = fileURLToPath(new URL(`../../${SETUP}`, import.meta.url));
      const command = `${process.execPath} ${program}`;
      const child = spawn('script', ['-qec', command, '/dev/null'], {
        cwd: folder(),
        env: { ...process.env, ...env },
      });
      let said = '';
      child.stdout.on('data', (text) => {
        said += text;
      });
      await expect.poll(() => said).toContain('while you type');
      child.stdin.write(`${TOKEN}\r`);
      await expect.poll(() => said).toContain('address of the listing service');
      child.stdin.write(`${listing.url}\r`);
      await once(child, 'close');
      expect(said).toContain(listing.url);
      expect(said).toContain('Start the bot: npm start');
      expect(said).not.toContain(TOKEN.slice(0, 12));
    },
  );
});

describe('every tool', () => {
  it.each([
    ['setup', 'npm run setup'],
    ['doctor', 'npm run doctor'],
    ['backup', 'npm run backup -- FILE'],
    ['restore', 'npm run restore -- FILE'],
    ['copy-store', 'npm run copy-store -- FROM TO'],
    ['data', 'npm run data -- guild ID ACTION'],
  ])('prints its usage (%s)', async (tool, how) => {
    const cwd = folder();
    const program = `src/tools/${tool}.ts` as const;
    const help = await runToolInProcess([program, '--help'], { cwd, env: {} });
    expect(help).toMatchObject({ status: 0, stdout: expect.stringContaining(how), stderr: '' });
    const wrong = await runToolInProcess([program, '-x'], { cwd, env: {} });
    expect(wrong).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(how) });
    expect(existsSync(join(cwd, '--help'))).toBe(false);
  });
});
