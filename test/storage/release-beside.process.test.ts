import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EMPTY_ROW } from '../../src/server-lists/row.ts';
import { createChoices } from '../../src/submissions/choices.ts';
import { inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { BREACHES, oneBot, type TestGuild, textOf } from '../support/bot.ts';
import { partsOver, readyRow } from '../support/builders.ts';
import { type Kind, kinds, newPlace, rowsIn } from '../support/database.ts';
import { folder, runFile, runProgram } from '../support/machine.ts';
import { addServer, addsOf, labelsOf, openModal, paste, pressSubmit } from '../support/people.ts';
import { NO_HISTORY, PROJECT, release } from '../support/release.ts';

const path = release();

const mia = { guildId: '1', user: { id: '2', name: 'mia' } };
const choices = {
  shape: 'people',
  candidates: [{ line: 2, typed: { ...EMPTY_ROW, server: 'player.example.com:1' }, words: 'Kestrel joined' }],
  game: 'cs2',
} as const;

describe.each(kinds())('version 0.4.0 with a newer %s database', (kind) => {
  it.for([
    { rows: [readyRow(1, 'chosen.example.com')], servers: ['chosen.example.com'] },
    { rows: [], servers: [] },
  ])('shows and sends only the selected addresses: $servers', async ({ rows, servers }, { skip }) => {
    if (path === undefined) return skip(NO_HISTORY);
    const place = await newPlace(kind);
    const { url } = place;
    const storeUrl = url.kind === 'sqlite' ? url.name : url.url.reveal();
    const store = await place.open();
    await partsOver(store).drafts.save(mia, { id: 'd', source: 'text', rows, hasChoices: true });
    await createChoices({ store }).save(mia, 'd', choices);
    // Only one process at a time can use a SQLite database.
    if (kind === 'sqlite') await store.stop();
    const { stdout, stderr } = await runFile(['test/storage/submit-with-release.ts'], {
      env: { RELEASE: path, STORE_URL: storeUrl, DRAFT: 'd' },
    });
    const { draft, sent }: { draft: { rows: object[] }; sent: { server: string }[] } = JSON.parse(
      stdout || stderr,
    );
    expect(draft.rows).toHaveLength(rows.length);
    expect(sent.map(({ server }) => server)).toEqual(servers);
    expect(stdout).not.toMatch(/player|Kestrel/);
    const after = kind === 'sqlite' ? await place.open() : store;
    expect(JSON.stringify([await rowsIn(after, 'servers'), await rowsIn(after, 'drafts')])).not.toContain(
      'player',
    );
  });
});

/** Creates submissions and a list that the member or a moderator can continue. */
async function leaveWork(guild: TestGuild, name: string) {
  const { member } = guild;
  const reply = await addServer(member, `${name}.example.com:27015`);
  const message = await waitingIn(guild);
  const list = await paste(member, `${name}-one.example.com:27015 cs2\n${name}-two.example.com:27015 cs2`);
  return { name, reply, message, list };
}

/** Continues with the buttons that the other version posted. */
async function continueWork(
  guild: TestGuild,
  { name, reply, message, list }: Awaited<ReturnType<typeof leaveWork>>,
): Promise<void> {
  const { member } = guild;
  const moderator = inStaff(guild, 'admin');
  expect((await openModal(member, reply)).typed.server).toBe(`${name}.example.com`);
  await moderator.press(message, 'Approve');
  await expect.poll(() => addsOf(guild, `${name}.example.com`)).toHaveLength(1);
  await expect.poll(() => labelsOf(message)).toEqual([]);
  expect(textOf(await pressSubmit(member, list))).toContain('Waiting for a moderator');
  await moderator.press(await waitingIn(guild), 'Approve');
  await expect.poll(() => addsOf(guild, `${name}-two.example.com`)).toHaveLength(1);
  expect(textOf(await addServer(member, `${name}.example.com:27015`))).toMatch(/already submitted/);
}

/** Creates a bot whose version can be chosen at each start. */
async function versionedBot(kind: Kind) {
  const { url } = await newPlace(kind);
  const main = join(folder(), 'main');
  const env = {
    STORE_URL: url.kind === 'sqlite' ? url.name : url.url.reveal(),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  // The shell's $0 is Node.
  const wrapper = ['sh', '-c', `exec "$0" "$(cat ${main})"`];
  const bot = await oneBot({ asProcess: true, http: true, wrapper, start: false, env });
  // A version doesn't know how many messages the previous one has just posted in a channel.
  bot.mayBreak(BREACHES.tooOften, 2);
  async function startVersion(code: string): Promise<void> {
    writeFileSync(main, join(code, 'src/start.js'));
    await bot.restart();
  }
  return { bot, env, startVersion };
}

/** Starts version 0.4.0 and creates a guild with approval. */
async function startRelease({ bot, startVersion }: Awaited<ReturnType<typeof versionedBot>>, path: string) {
  await startVersion(path);
  const guild = await bot.newGuild({ key: 'sandbox-key' });
  await turnApprovalOn(guild);
  return guild;
}

describe.each(kinds())('version 0.4.0 and a newer version sharing a %s database', (kind) => {
  it("can process each other's lists and waiting submissions", async ({ skip }) => {
    if (path === undefined) return skip(NO_HISTORY);
    const versioned = await versionedBot(kind);
    const { bot, startVersion } = versioned;
    const guild = await startRelease(versioned, path);
    const fromOlder = await leaveWork(guild, 'older');
    await startVersion(PROJECT);
    expect(bot.log()).toContainEqual(expect.objectContaining({ msg: 'updated the database' }));
    await continueWork(guild, fromOlder);
    const fromNewer = await leaveWork(guild, 'newer');
    await startVersion(path);
    await continueWork(guild, fromNewer);
  });
});

it('version 0.4.0 can restore its backup after an update', async ({ skip }) => {
  if (path === undefined) return skip(NO_HISTORY);
  const versioned = await versionedBot('sqlite');
  const { bot, env, startVersion } = versioned;
  const guild = await startRelease(versioned, path);
  await leaveWork(guild, 'kept');
  const file = join(folder(), 'backup.sqlite');
  const runTool = (name: string) =>
    runProgram([process.execPath, join(path, 'src/tools', name), file], { env });
  expect(await runTool('backup.ts')).toMatchObject({ status: 0 });
  await startVersion(PROJECT);
  await addServer(guild.member, 'later.example.com:27015');
  await bot.process.stop();
  expect(await runTool('restore.ts')).toMatchObject({ status: 0 });
  await startVersion(path);
  const submissions = textOf(await guild.member.slash('submissions'));
  expect(submissions).toContain('kept.example.com:27015');
  expect(submissions).not.toContain('later.example.com');
});
