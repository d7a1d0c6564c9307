import { StatementSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import type { Mode } from '../../sandbox/listing/modes.ts';
import type { ListingRequest } from '../../sandbox/listing/stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { idsOf, postButton } from '../support/forged-button.ts';
import { csvOf, labelsOf, lines, read, reported, submit, upload } from '../support/lists.ts';
import { PHONE_WIDTH, tooWide, widthOf } from '../support/phone.ts';
import {
  inNewGuild,
  messageOf,
  openAppScene,
  openScene,
  type Scene,
  setKey,
  textOf,
} from '../support/scene.ts';

let scene: Scene;
/** How the service answers the requests that submit servers, counted from 1. */
let answer: (count: number, request: ListingRequest) => Mode | undefined;
let count: number;

async function open(opener = openAppScene, timeoutMs = 5_000): Promise<void> {
  answer = () => undefined;
  count = 0;
  scene = await opener({
    key: 'sandbox-key',
    // What was not sent does not count: 500 and 200 of them again are 500.
    env: { LISTING_API_TIMEOUT_MS: String(timeoutMs), MEMBER_LIMIT: '600/3600' },
    listing: {
      onRequest: (_, request) => (request.action === 'add' ? answer(++count, request) : undefined),
    },
  });
}
/** A bot of its own for each test. */
function withBot(): void {
  beforeEach(() => open());
  afterEach(() => scene.close());
}

const preview = (content: string, person = scene.member) =>
  person.slash('addservers', { file: upload('list.txt', content) });
const sizes = () =>
  scene.listing.requests.filter(({ action }) => action === 'add').map(({ servers }) => servers.length);
const outcomes = (report: Parameters<typeof csvOf>[0]) => {
  const found = csvOf(report, 'report.csv').map((row) => row[5] ?? '');
  return Object.fromEntries(
    [...new Set(found)].map((kind) => [kind, found.filter((each) => each === kind).length]),
  );
};

/** The keys under which Keyv's rows are read from here on. */
function rowsRead(): readonly string[] {
  const keys: string[] = [];
  const { all } = StatementSync.prototype;
  StatementSync.prototype.all = new Proxy(all, {
    apply(target, statement: StatementSync, values: readonly unknown[]) {
      if (statement.sourceSQL.includes('"keyv"')) keys.push(String(values[1]));
      return Reflect.apply(target, statement, values);
    },
  });
  onTestFinished(() => {
    StatementSync.prototype.all = all;
  });
  return keys;
}

describe('a list that is sent', () => {
  withBot();

  it('has the settings read once, and the key once for each request', async () => {
    const list = await preview(lines(250));
    const keys = rowsRead();
    const before: (readonly string[])[] = [];
    answer = () => void before.push([...keys]);
    await submit(scene.member, list);
    const { guildId } = scene.member;
    const count = (area: string, read: readonly string[] = []) =>
      read.filter((key) => key === `${area}:${guildId}`).length;
    expect(before.map((read) => count('settings', read))).toEqual([1, 1, 1]);
    // After each answer it is read again, for what that says of it.
    expect(before.map((read) => count('api-key', read))).toEqual([1, 3, 5]);
  });
});

describe('a list that the service does not take as it is', () => {
  withBot();

  it('is submitted but for the one game that the service no longer knows', async () => {
    const bad = { status: 'error', message: 'Invalid game alias provided.' };
    answer = (_, { servers }) =>
      servers.some(({ game }) => game === 'dayz') ? { kind: 'json', status: 200, body: bad } : undefined;
    const list = lines(100).replace('s42.example.com:27015 cs2', 's42.example.com:27015 dayz');
    const report = await submit(scene.member, await preview(list));
    const text = read(report);
    expect(text).toContain('✅ 99 sent for review');
    expect(text).toContain('❌ 1 refused');
    expect(text).toMatch(/Invalid game alias provided\.\n.*Line 43/);
    expect(csvOf(report, 'report.csv')[42]).toEqual([
      '43',
      's42.example.com',
      '27015',
      '',
      'dayz',
      'refused',
      bad.message,
    ]);
    expect(scene.listing.submitted.map(({ server }) => server)).toEqual(
      Array.from({ length: 100 }, (_, n) => `s${n}.example.com`).filter((_, n) => n !== 42),
    );
    expect(sizes().length).toBeLessThanOrEqual(15);
  });

  it('stops when the key is revoked between two requests, and can go on with a new one', async () => {
    answer = (nth) => {
      if (nth === 2) scene.listing.revoke('sandbox-key');
      return undefined;
    };
    const report = await submit(scene.member, await preview(lines(250)));
    expect(sizes()).toEqual([100, 100]);
    expect(outcomes(report)).toEqual({ 'sent for review': 100, refused: 100, 'not sent': 50 });
    expect(read(report)).toMatch(/Invalid API key\.\n.*Lines 101–\u2060200/);
    expect(read(report)).toMatch(/was removed or refused meanwhile\..*\n.*Lines 201–\u2060250/);
    expect(read(report).match(/“Manage Server” can do so with \/setkey\. It was set by @/g)).toHaveLength(1);

    scene.listing.allow('new-key');
    await setKey(scene.admin, 'new-key');
    const rest = await submit(scene.member, { kind: 'message', message: report });
    // What was refused for the key goes again too: the service said nothing of the servers.
    expect(outcomes(rest)).toEqual({ 'sent for review': 150 });
    expect(scene.listing.submitted.length).toBe(250);
  });

  it('says who can renew a key that is refused at once', async () => {
    const before = await preview(lines(2));
    scene.listing.revoke('sandbox-key');
    const text = read(await submit(scene.member, before));
    expect(text).toContain('Invalid API key.');
    expect(text.match(/can do so with \/setkey/g)?.length).toBe(1);
  });

  it('tells an admin to renew the key, and not to ask an admin', async () => {
    const before = await preview(lines(2), scene.admin);
    scene.listing.revoke('sandbox-key');
    const text = read(await submit(scene.admin, before));
    expect(text).toContain('❌ 2 refused');
    expect(text.match(/Renew the key with \/setkey\./g)).toHaveLength(1);
    expect(text).not.toContain('Ask an admin');
  });

  it.each([
    {
      locale: 'en-US',
      counts: ['✅ 20 sent for review', '❓ 100 unknown', '⚠️ 20 not sent, see rejected.csv'],
      numbers: 'Lines 1–\u20603, 5–\u206010, 12–\u206017, 19–\u206024 and 79 more',
      says: '✅ The listing service says:',
    },
    {
      locale: 'de',
      counts: ['✅ 20 zur Prüfung gesendet', '❓ 100 unklar', '⚠️ 20 nicht gesendet: rejected.csv'],
      numbers: 'Zeilen 1–\u20603, 5–\u206010, 12–\u206017 und 85 weitere',
      says: '✅ Der Listendienst sagt:',
    },
  ])('has one short line for each outcome on top, and few numbers ($locale)', async (expected) => {
    const { locale, counts, numbers, says } = expected;
    const person = scene.person({ locale });
    answer = (nth) => (nth === 1 ? { kind: 'status', status: 500 } : undefined);
    const list = lines(140)
      .split('\n')
      .map((line, n) => (n % 7 === 3 ? 'no address' : line));
    const report = await submit(person, await preview(list.join('\n'), person));
    const text = read(report);
    expect(text).toContain(`${counts.join('\n')}\n\n`);
    expect(text).toContain(numbers);
    // Of what was sent for review the count is enough.
    expect(text).toMatch(new RegExp(`${says}\\n│ .*Servers have been added for review\\..*\\n\\n`));
    expect(tooWide(report)).toEqual([]);
    for (const line of counts) expect(widthOf(line)).toBeLessThanOrEqual(PHONE_WIDTH);
  });

  it('tells what is sure and what is not when the service goes down at request 3 of 5', async () => {
    answer = (nth) => (nth === 3 ? { kind: 'down' } : undefined);
    const report = await submit(scene.member, await preview(lines(500)));
    expect(outcomes(report)).toEqual({ 'sent for review': 200, unknown: 100, 'not sent': 200 });
    const text = read(report);
    expect(text).toMatch(/check the list before you submit them again\.\n.*Lines 201–\u2060300/);
    expect(text).toMatch(/safely submit them again\.\n.*Lines 301–\u2060400/);

    await scene.listing.behave({ kind: 'ok' });
    const rest = await submit(scene.member, { kind: 'message', message: report });
    expect(outcomes(rest)).toEqual({ 'sent for review': 200 });
    expect(scene.listing.submitted.map(({ server }) => server)).toEqual(
      Array.from({ length: 500 }, (_, n) => `s${n}.example.com`).filter((_, n) => n < 200 || n >= 300),
    );
  });

  it('ends with what was sent when the bot is stopped in the middle', async () => {
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    answer = (nth) => (nth === 2 ? { kind: 'held', until } : undefined);
    const before = await preview(lines(400));
    const press = scene.member.press(messageOf(before), 'Submit 400 game servers');
    await expect.poll(() => count).toBe(2);
    const restarted = scene.restart();
    goOn();
    await restarted;
    const report = await reported(await press);
    expect(outcomes(report)).toEqual({ 'sent for review': 200, 'not sent': 200 });
    expect(read(report)).toContain('The bot is restarting');
    expect(outcomes(await submit(scene.member, { kind: 'message', message: report }))).toEqual({
      'sent for review': 200,
    });
    expect(scene.listing.submitted.length).toBe(400);
  });
});

describe('lists that a crash interrupts', () => {
  let long: SeenMessage;
  let withRefused: SeenMessage;
  // One crash for both, each in a guild of its own.
  beforeAll(async () => {
    await open(openScene, 60_000);
    const held = (host: string) =>
      scene.listing.requests.some(({ servers }) => servers.some(({ server }) => server === host));
    answer = (_, { servers: [first] }) =>
      ['s200.example.com', 'last.example.com'].includes(first?.server ?? '')
        ? { kind: 'hang', carriedOut: true }
        : undefined;
    long = messageOf(await preview(lines(500)));
    await scene.member.press(long, 'Submit 500 game servers');
    await eventually(() => held('s200.example.com'), true);

    const { member } = await inNewGuild(scene, { key: 'sandbox-key' });
    const wrong = Array.from({ length: 200 }, (_, n) => `a-rather-long-name-${n}.example.com:0 cs2`);
    withRefused = messageOf(await preview(`${wrong.join('\n')}\nlast.example.com:1 cs2`, member));
    expect(csvOf(withRefused, 'rejected.csv')).toHaveLength(200);
    await member.press(withRefused, 'Submit 1 game server');
    await eventually(() => held('last.example.com'), true);
    await scene.kill();
    await scene.startBot();
  });
  afterAll(() => scene.close());

  it('go on after the restart; what was on its way is unknown, and nothing is sent twice', async () => {
    await expect.poll(() => read(long)).toContain('report.csv');
    expect(outcomes(long)).toEqual({ 'sent for review': 400, unknown: 100 });
    expect(read(long)).toMatch(/check the list before you submit them again\.\n.*Lines 201–\u2060300/);
    expect(sizes().toSorted()).toEqual([1, 100, 100, 100, 100, 100]);
    const submitted = scene.listing.submitted.map(({ server }) => server);
    expect(submitted.filter((server) => server !== 'last.example.com')).toEqual(
      Array.from({ length: 500 }, (_, n) => `s${n}.example.com`),
    );
  });

  it('keep the file of the refused lines that are kept nowhere else', async () => {
    await expect.poll(() => read(withRefused)).toContain('report.csv');
    expect(csvOf(withRefused, 'rejected.csv')).toHaveLength(200);
  });
});

describe('while a list is being submitted', () => {
  withBot();

  it('a bar grows, and the preview cannot be pressed any more', async () => {
    answer = () => ({ kind: 'slow', ms: 700 });
    const before = await preview(lines(600));
    const message = messageOf(before);
    const from = scene.discord.requests.length;
    await scene.member.press(message, 'Submit 600 game servers');
    expect(read(message)).toMatch(/[▰▱]{20} 0 of 600 game servers/);
    expect(labelsOf(before)).toEqual([]);
    await reported(before);
    const edits = scene.discord.requests.slice(from).filter(({ method }) => method === 'PATCH');
    const bars = edits.filter(({ body }) => body.includes('▱'));
    expect(bars.length).toBeGreaterThan(1);
    expect(bars.length).toBe(edits.length - 1);
  });

  it('edits that Discord does not take do no harm', async () => {
    answer = () => ({ kind: 'slow', ms: 500 });
    const before = await preview(lines(300));
    scene.discord.faults.inject({ fault: { kind: 'status', status: 500 }, times: 1, method: 'PATCH' });
    const report = await submit(scene.member, before);
    expect(outcomes(report)).toEqual({ 'sent for review': 300 });
  });
});

describe('the Submit button', () => {
  withBot();

  it('shows the preview again when a server was submitted in the meantime', async () => {
    const before = await preview('x.example.com:27015 cs2\ny.example.com:27015 cs2');
    const other = scene.person({ role: 'other' });
    await other.slash('addserver', { game: 'cs2', server: 'y.example.com:27015' });
    const after = await scene.member.press(messageOf(before), 'Submit 2 game servers');
    expect(labelsOf(after)).toEqual(['Submit 1 game server', 'Include the 1 submitted before', 'Cancel']);
    const included = await scene.member.press(messageOf(after), 'Include the 1 submitted before');
    expect(outcomes(await submit(scene.member, included))).toEqual({ 'sent for review': 2 });
    expect(scene.listing.submitted.length).toBe(3);
  });

  it('is refused to another member, elsewhere, and with a forged custom id; the list stays', async () => {
    const before = await preview('mine.example.com:27015 cs2');
    const id = idsOf(before)['Submit 1 game server'] ?? '';
    const refused = 'This button no longer works; run the command again.';
    const other = scene.person({ role: 'other' });
    expect(textOf(await other.press(await postButton(scene, 0, id), 'Go'))).toContain(refused);
    const elsewhere = scene.person({ role: 'member', guild: 1 });
    expect(textOf(await elsewhere.press(await postButton(scene, 1, id), 'Go'))).toContain(refused);
    const forged = id.replace(/\d+/, (number) => String(BigInt(number) + 1n));
    expect(textOf(await scene.member.press(await postButton(scene, 0, forged), 'Go'))).toContain(refused);
    expect(count).toBe(0);
    expect(outcomes(await submit(scene.member, before))).toEqual({ 'sent for review': 1 });
    expect(textOf(await scene.member.press(await postButton(scene, 0, id), 'Go'))).toContain(
      'no longer there',
    );
    expect(scene.listing.submitted.length).toBe(1);
  });
});
