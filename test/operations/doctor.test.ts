import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplicationSettings } from '../../sandbox/discord/rest/application-routes.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { checksOf, table } from '../../src/operations/checks.ts';
import { recorder } from '../storage/temporary.ts';
import { type Ended, runFile } from '../support/program.ts';
import { openAppScene, type Scene } from '../support/scene.ts';

const preload = (path: string) => `--import=${pathToFileURL(join(import.meta.dirname, path)).href}`;

/** A bot that has run once: its commands are published, its store and key are there. */
let scene: Scene;
let folder: string;
const OPERATOR_KEY = 'sandbox-key';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'doctor-'));
  scene = await openAppScene({ key: OPERATOR_KEY });
});
afterAll(async () => {
  await scene.close({ breaches: [2] });
  await rm(folder, { recursive: true });
});

const inOrder = (): Readonly<Record<string, string>> => ({
  DISCORD_TOKEN: scene.token,
  DISCORD_API_URL: scene.discord.apiUrl,
  LISTING_API_URL: scene.listing.url,
  LISTING_API_KEY: OPERATOR_KEY,
  STORE_URL: `sqlite://${scene.data}/bot.sqlite`,
});

interface Said extends Ended {
  readonly failed: readonly (string | undefined)[];
}

/** Runs it as an operator does: for what only a process proves. */
async function doctor(changes: Readonly<Record<string, string>> = {}): Promise<Said> {
  const env = { ...inOrder(), ...changes };
  return said({ ...(await runFile(['src/doctor.js'], { cwd: folder, env })), env });
}

/** The same in this process. */
async function examine(changes: Readonly<Record<string, string>> = {}): Promise<Said> {
  const env = { ...inOrder(), ...changes };
  const config = readConfig(env);
  const { commands } = createApp({ config, logger: recorder(), onFatal: () => undefined });
  const findings = await checksOf({ config, commands });
  const status = findings.some(({ state }) => state === 'failed') ? 1 : 0;
  return said({ stdout: table(findings), stderr: '', status, env });
}

/** Fails when a secret is in what was printed. */
function said({ env, ...rest }: Ended & { readonly env: Readonly<Record<string, string>> }): Said {
  for (const name of ['DISCORD_TOKEN', 'LISTING_API_KEY', 'ENCRYPTION_KEY']) {
    const secret = env[name];
    if (secret) expect(rest.stdout + rest.stderr, name).not.toContain(secret);
  }
  const failed = [...rest.stdout.matchAll(/^FAILED {3}(\w+(?: \w+)?)/gm)].map(([, name]) => name);
  return { ...rest, failed };
}

/** Exactly this check fails, with these words and a mend. */
async function fails(
  check: string,
  words: RegExp,
  changes: Readonly<Record<string, string>>,
  run = examine,
): Promise<void> {
  const { stdout, stderr, status, failed } = await run(changes);
  expect({ failed, status, stderr }).toEqual({ failed: [check], status: 1, stderr: '' });
  expect(stdout).toMatch(words);
  expect(stdout).toMatch(/ → .{10}/);
}

/** Another Discord, whose application is set otherwise. */
async function withApplication(
  settings: {
    readonly application?: ApplicationSettings;
    readonly interactionsEndpoint?: boolean;
    readonly identifiesUsed?: number;
  },
  run: (changes: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const discord = await startDiscord({ token: scene.token, ...settings });
  await run({ DISCORD_API_URL: discord.apiUrl });
  await discord.close();
}

describe('npm run doctor', () => {
  it('finds everything in order beside a running bot, and changes nothing', async () => {
    const before = scene.discord.requests.length;
    const { stdout, status, failed } = await doctor();
    expect([failed, status]).toEqual([[], 0]);
    expect(stdout).toContain('Everything is in order.');
    expect(stdout).toMatch(/^ok +Invitation +https:\/\/discord\.com\/oauth2\/authorize\?client_id=/m);
    expect(stdout).toMatch(/^ok +Listing service +answers, with \d+ games$/m);
    const asked = scene.discord.requests.slice(before).map(({ method }) => method);
    expect(new Set(asked)).toEqual(new Set(['GET']));
    expect((await examine({ STORE_URL: `sqlite://${folder}/new/bot.sqlite` })).stdout).toMatch(
      /will be made at the first start/,
    );
  });

  it('names every variable that cannot be used', async () => {
    await fails(
      'Configuration',
      /DISCORD_TOKEN must be[\s\S]*HTTP_PORT must be a port/,
      {
        DISCORD_TOKEN: 'hunter2-is-no-token',
        HTTP_PORT: 'eighty',
      },
      doctor,
    );
  });

  it('finds a Node that is too old', async () => {
    await fails(
      'Node',
      /this is 20\.1\.0, and 24\.12 or newer is needed/,
      {
        NODE_OPTIONS:
          '--import=data:text/javascript,Object.defineProperty(process,`versions`,{value:{node:`20.1.0`}})',
      },
      doctor,
    );
  });

  it('finds a token that Discord does not accept, and skips what needs it', async () => {
    const wrong = scene.token.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    await fails('Token', /Discord does not accept DISCORD_TOKEN[\s\S]*skipped +Commands/, {
      DISCORD_TOKEN: wrong,
    });
  });

  it('finds a Discord that cannot be reached', async () => {
    const { failed, stdout } = await examine({ DISCORD_API_URL: 'http://127.0.0.1:9/api' });
    expect(failed).toEqual(['Token', 'Clock']);
    expect(stdout).toMatch(/Discord cannot be reached: .*ECONNREFUSED/);
  });

  it('finds an Interactions Endpoint URL, for which the gateway brings no command', async () => {
    await withApplication({ interactionsEndpoint: true }, async (changes) => {
      const { failed, stdout } = await examine(changes);
      expect(failed).toEqual(['Application', 'Commands']);
      expect(stdout).toMatch(/Interactions Endpoint URL", then save/);
    });
  });

  it('finds an installation that would leave the bot out, and commands that Discord does not have', async () => {
    await withApplication({ application: { bot_require_code_grant: true } }, async (changes) => {
      const { failed, stdout } = await examine(changes);
      expect(failed).toEqual(['Invitation', 'Commands']);
      expect(stdout).toMatch(/"Requires OAuth2 Code Grant" is on/);
      expect(stdout).toMatch(/Discord has none of them/);
    });
  });

  it('finds a day on which few starts are left', async () => {
    await withApplication({ identifiesUsed: 950 }, async (changes) => {
      const { failed, stdout } = await examine(changes);
      expect(failed).toEqual(['IDENTIFYs', 'Commands']);
      expect(stdout).toMatch(/50 of 1000 starts are left/);
    });
  });

  it('finds a listing service that is not there, and a key that it does not take', async () => {
    await fails('Listing service', /does not answer as it should: refused/, {
      LISTING_API_URL: 'http://127.0.0.1:9',
    });
    await fails('Listing service', /does not take LISTING_API_KEY: Invalid API key\./, {
      LISTING_API_KEY: 'a-wrong-key-of-mine',
    });
    expect((await examine({ LISTING_API_KEY: '' })).stdout).toMatch(/the keys of the servers are used/);
  });

  it('finds a store that is locked, damaged, of a newer version, or where none can be', async () => {
    const other = new DatabaseSync(join(scene.data, 'bot.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    await fails('Store', /database is locked/, {});
    other.exec('ROLLBACK');
    other.close();

    const newer = join(folder, 'newer.sqlite');
    const database = new DatabaseSync(newer);
    database.exec(
      "CREATE TABLE kysely_migration (name TEXT); INSERT INTO kysely_migration VALUES ('9999-future')",
    );
    database.close();
    await fails('Store', /written by a newer version of the bot \(9999-future\)/, {
      STORE_URL: `sqlite://${newer}`,
    });

    await writeFile(join(folder, 'a-file'), '');
    const { failed, stdout } = await examine({ STORE_URL: `sqlite://${folder}/a-file/bot.sqlite` });
    expect(failed).toContain('Store');
    expect(stdout).toMatch(/→ sudo chown -R \d+:\d+ /);

    await writeFile(join(folder, 'torn.sqlite'), 'this is no database at all');
    expect((await examine({ STORE_URL: `sqlite://${folder}/torn.sqlite` })).failed).toContain('Store');
  });

  it('finds an encryption key that is another one, and one that others may read', async () => {
    await fails('Encryption key', /encrypted with another key \(its id is \w+\)/, {
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    });
    const keyFile = join(scene.data, 'bot.sqlite.key');
    await chmod(keyFile, 0o644);
    await fails('Encryption key', /others may read .*bot\.sqlite\.key[\s\S]*→ chmod 600/, {});
    await chmod(keyFile, 0o600);
  });

  it('finds a clock that is wrong', async () => {
    const file = join(folder, 'clock');
    await writeFile(file, String(90_000));
    await fails(
      'Clock',
      /is (89|90|91) seconds ahead of Discord's/,
      {
        NODE_OPTIONS: preload('../faults/preloads/clock.ts'),
        CLOCK_FILE: file,
      },
      doctor,
    );
  });

  it('finds a disk that is nearly full', async () => {
    await fails(
      'Disk',
      /only 3 MiB are free[\s\S]*make room/,
      {
        NODE_OPTIONS: preload('../support/preloads/full-disk.ts'),
      },
      doctor,
    );
  });
});
