import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBotProcess } from '../../sandbox/bot-process.ts';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { oneBot, textOf } from '../support/bot.ts';
import { hasPostgres, newDatabase } from '../support/database.ts';
import { ACCEPTED, addServer, addsOf } from '../support/people.ts';
import { NO_HISTORY, PROJECT, release } from '../support/release.ts';

const NEXT_VERSION = new URL('../support/preloads/next-version.ts', import.meta.url).href;

if (!hasPostgres()) process.stdout.write('The rolling update is skipped: it needs PostgreSQL\n');

describe.skipIf(!hasPostgres())('a rolling update', () => {
  it.for([
    { version: 'the current version', code: PROJECT },
    { version: '0.4.0', code: release() },
  ])('lets an older process finish while a newer one migrates the database ($version)', async ({ code }, {
    skip,
  }) => {
    if (code === undefined) return skip(NO_HISTORY);
    const database = await newDatabase();
    onTestFinished(() => database.drop());
    const shared = {
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      LISTING_API_TIMEOUT_MS: '60000',
      STORE_URL: database.url,
    };
    const older = await oneBot({
      asProcess: true,
      http: true,
      crash: true,
      env: shared,
      // The shell's $0 is Node.
      wrapper: ['sh', '-c', `exec "$0" ${join(code, 'src/start.js')}`],
    });
    const { discord, listing } = older;
    const guild = await older.newGuild({ key: 'sandbox-key' });
    const { member } = guild;
    const migrations = async () =>
      (await database.query('select name from kysely_migration')).map(({ name }) => name);

    // Starts a submission that is still running while the newer version migrates.
    const end = Promise.withResolvers<void>();
    await listing.behave({ kind: 'held', until: end.promise }, 1);
    const underWay = addServer(member, 'under-way.example.com:27015');
    await expect.poll(() => addsOf(guild, 'under-way.example.com')).toHaveLength(1);

    const port = await quietPort();
    const printed: string[] = [];
    const newer = createBotProcess({
      env: {
        ...shared,
        NODE_OPTIONS: `--import=${NEXT_VERSION}`,
        DISCORD_TOKEN: older.token,
        DISCORD_API_URL: discord.apiUrl,
        DISCORD_PUBLIC_KEY: discord.endpoint.publicKey,
        LISTING_API_URL: listing.url,
        INTERACTIONS: 'http',
        INTERACTIONS_PORT: String(port),
      },
      surroundings: process.env,
      onLine: (line) => printed.push(line),
      onExit: () => undefined,
    });
    newer.start();
    onTestFinished(async () => void (await newer.stop()));
    await expect.poll(() => printed.join()).toContain('waiting for interactions from Discord');
    expect(await migrations()).toContain('9.00-notes-compatible');
    end.resolve();
    expect(textOf(await underWay)).toContain(ACCEPTED);
    expect(textOf(await addServer(member, 'older.example.com:27015'))).toContain(ACCEPTED);

    // If an older process crashes, it can start again. The same is true after `rollout undo`.
    await older.kill();
    await older.start();
    expect(textOf(await addServer(member, 'again.example.com:27015'))).toContain(ACCEPTED);

    await discord.endpoint.save(`http://127.0.0.1:${port}/interactions`);
    expect(textOf(await addServer(member, 'newer.example.com:27015'))).toContain(ACCEPTED);
    expect(textOf(await addServer(member, 'older.example.com:27015'))).toContain('already submitted');
    expect(await newer.stop()).toMatchObject({ status: 0 });
  });
});
