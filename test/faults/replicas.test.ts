import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROLES } from '../../sandbox/people.ts';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { approvalsIn, inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { BREACHES, createBotInProcess, oneBot, textOf } from '../support/bot.ts';
import { hasPostgres, newDatabase, openWire } from '../support/database.ts';
import { ACCEPTED, addServer, addsOf, labelsOf, openModal, staffChannel } from '../support/people.ts';
import { hung } from './crash.ts';

const UNKNOWN = /❓ Unconfirmed\..*may have arrived/;
const NOT_SENT = 'Not sent. The bot restarted. You can safely try again.';

/**
 * Starts two bots that share a database and receive interactions over HTTP, and creates a guild. The second bot has short
 * timeouts.
 */
async function openBoth() {
  const database = await newDatabase();
  onTestFinished(() => database.drop());
  const wire = await openWire(database.url);
  onTestFinished(() => wire.close());
  const shared = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    LISTING_API_TIMEOUT_MS: '60000',
  };
  const bot = await oneBot({
    asProcess: true,
    http: true,
    crash: true,
    env: { ...shared, STORE_URL: wire.url },
  });
  const guild = await bot.newGuild({ key: 'sandbox-key' });
  const [lease] = await database.query('select process_id from leases');

  /** @returns the URL to which Discord can post */
  async function startOther(): Promise<string> {
    const port = await quietPort();
    const printed: string[] = [];
    const other = createBotInProcess(
      {
        env: {
          ...shared,
          STORE_URL: database.url,
          DISCORD_TOKEN: bot.token,
          DISCORD_API_URL: bot.discord.apiUrl,
          DISCORD_PUBLIC_KEY: bot.discord.endpoint.publicKey,
          LISTING_API_URL: bot.listing.url,
          INTERACTIONS: 'http',
          INTERACTIONS_PORT: String(port),
        },
        surroundings: {},
        onLine: (line) => printed.push(line),
        onExit: () => undefined,
      },
      { timing: { leaseRenewedEveryMs: 20 } },
    );
    other.start();
    onTestFinished(async () => void (await other.stop()));
    await expect.poll(() => printed.join()).toContain('waiting for interactions from Discord');
    return `http://127.0.0.1:${port}/interactions`;
  }

  const otherUrl = await startOther();
  return {
    otherUrl,
    bot,
    guild,
    wire,
    startOther,
    /** Lets the first bot's lease expire. */
    letPass: () => database.query('update leases set until = 0 where process_id = $1', [lease?.process_id]),
    rows: database.query,
  };
}

describe.skipIf(!hasPostgres())('two bots with a shared database', () => {
  it("report each other's unfinished submissions", async () => {
    const { bot, guild, letPass, rows } = await openBoth();
    const { listing, member } = guild;
    await listing.behave({ kind: 'hang', carriedOut: true });
    const requests = () => [1, 2, 3].map((n) => addsOf(guild, `s${n}.example.com`).length);
    const running = async () => (await rows("select 1 from submissions where state = 'running'")).length;
    const add = (n: number) => addServer(member, `s${n}.example.com:27015`);
    const answers = [add(1), add(2)];
    await expect.poll(requests).toEqual([1, 1, 0]);
    // A guild can have two requests at a time, so the third submission is ready but has to wait.
    answers.push(add(3));
    await expect.poll(running).toBe(3);
    process.kill(bot.process.pid ?? 0, 'SIGSTOP');
    await letPass();
    const [first, second, third] = (await Promise.all(answers)).map((answer) =>
      textOf(answer).replaceAll('\n', ' '),
    );
    expect(first).toMatch(UNKNOWN);
    expect(second).toMatch(UNKNOWN);
    expect(third).toContain(NOT_SENT);

    await listing.behave({ kind: 'ok' });
    process.kill(bot.process.pid ?? 0, 'SIGCONT');
    expect(await bot.process.exited()).toMatchObject({ status: 1, wanted: false });
    expect(bot.output()).toContain(
      'others have taken over its work: exiting so that the bot can be restarted',
    );
    expect(requests()).toEqual([1, 1, 0]);
  });

  it('recover after one of them is killed', async () => {
    const { bot, guild, letPass } = await openBoth();
    const { listing, member } = guild;
    await listing.behave({ kind: 'hang' });
    const answer = addServer(member, 'killed.example.com:27015');
    await expect.poll(() => addsOf(guild, 'killed.example.com')).toHaveLength(1);
    await bot.kill();
    await letPass();
    expect(textOf(await answer).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    await listing.behave({ kind: 'ok' });
    await bot.start();
    expect(textOf(await addServer(member, 'next.example.com:27015'))).toContain(ACCEPTED);
  });

  it('send a submission only once if two moderators approve it concurrently', async () => {
    const { bot, guild, otherUrl, letPass, rows } = await openBoth();
    const { discord, member } = guild;
    await turnApprovalOn(guild);
    const isHung = hung(bot, 'POST', new RegExp(`channels/${staffChannel(guild)}/messages`));
    const answer = addServer(member, 'waits.example.com:27015');
    await isHung;
    // The message that hangs might be the log entry about approval.
    await expect.poll(() => rows('select 1 from submissions')).toHaveLength(1);
    await bot.kill();
    discord.faults.clear();
    await letPass();
    expect(textOf(await answer)).toContain('Waiting for a moderator');
    await expect.poll(() => approvalsIn(guild).length).toBe(1);
    await bot.start();
    const message = await waitingIn(guild);
    const another = discord.person({
      guild,
      name: 'another',
      locale: 'en-US',
      channelId: staffChannel(guild),
      userId: '300000000000000009',
      permissions: ROLES.admin.permissions,
    });
    // A process doesn't know how often the other process has just edited the message.
    bot.mayBreak(BREACHES.tooOften, 2);
    // Both processes receive a press before either of them decides.
    discord.faults.inject({ fault: { kind: 'delay', ms: 500 }, path: /callback/, times: 2 });
    const first = inStaff(guild, 'admin').press(message, 'Approve');
    await discord.endpoint.save(otherUrl);
    const second = another.press(message, 'Approve');
    // One of the replies might still say "Sending".
    for (const each of [await first, await second])
      await expect.poll(() => textOf(each)).toContain('Approved');
    await expect.poll(() => addsOf(guild, 'waits.example.com').length).toBe(1);
    const [now] = await rows('select decided_by_name from submissions');
    await expect
      .poll(() => textOf(message))
      .toMatch(new RegExp(`Approved by @${now?.decided_by_name}\n.*${ACCEPTED}`));
    await expect.poll(() => labelsOf(message)).toEqual([]);
  });

  it('both report a server as accepted if it is submitted from two modals at once', async () => {
    const { guild, otherUrl, rows } = await openBoth();
    const { discord, listing, member } = guild;
    const answer = await addServer(member, 'two.example.com');
    const one = await openModal(member, answer);
    const other = await openModal(member, answer);
    // The first server is still being sent when the second one reaches the other process.
    const sent = Promise.withResolvers<void>();
    await listing.behave({ kind: 'held', until: sent.promise }, 1);
    const submit = ({ modal, typed }: typeof one) => member.submit(modal, { ...typed, port: '27015' });
    const first = submit(one);
    await expect.poll(() => addsOf(guild, 'two.example.com')).toHaveLength(1);
    await discord.endpoint.save(otherUrl);
    const second = submit(other);
    const unanswered = 'select 1 from interactions where encrypted is not null';
    await expect.poll(async () => (await rows(unanswered)).length).toBe(2);
    sent.resolve();
    for (const each of [await first, await second]) expect(textOf(each)).toContain(ACCEPTED);
    expect(textOf(answer)).toContain(ACCEPTED);
    expect(addsOf(guild, 'two.example.com')).toHaveLength(1);
  });

  it("don't overwrite each other's replies with late edits", async () => {
    const { guild, otherUrl, rows } = await openBoth();
    const { discord, member } = guild;
    const answer = await addServer(member, 'late.example.com');
    const one = await openModal(member, answer);
    const other = await openModal(member, answer);
    const submit = ({ modal, typed }: typeof one) => member.submit(modal, { ...typed, port: '27015' });
    // The first reply is resent after half a second. In the meantime, the second submission reaches the other process.
    discord.faults.inject({ fault: { kind: 'status', status: 502 }, method: 'PATCH', path: /webhooks/ });
    const first = submit(one);
    await expect
      .poll(async () => (await rows("select 1 from submissions where state = 'done'")).length)
      .toBe(1);
    await discord.endpoint.save(otherUrl);
    const second = submit(other);
    for (const each of [await first, await second]) expect(textOf(each)).toContain(ACCEPTED);
    expect(textOf(answer)).toContain(ACCEPTED);
    expect(addsOf(guild, 'late.example.com')).toHaveLength(1);
  });

  it("reply to every member even if one bot's machine goes down", async () => {
    const { bot, guild, wire, startOther, letPass } = await openBoth();
    const { listing, member } = guild;
    const another = await bot.newGuild({ key: 'sandbox-key' });
    const acknowledged = () => guild.discord.requests.filter(({ path }) => path.includes('/callback')).length;
    const before = acknowledged();
    await listing.behave({ kind: 'hang', carriedOut: true });
    const locked = addServer(member, 'locked.example.com:27015');
    const free = addServer(another.member, 'free.example.com:27015');
    const requests = () => ['locked', 'free'].map((name) => addsOf(guild, `${name}.example.com`).length);
    await expect.poll(requests).toEqual([1, 1]);
    const silence = wire.freezeInTransaction(guild.id);
    const inTransaction = addServer(member, 'late.example.com:27015');
    await silence;
    await expect.poll(acknowledged).toBe(before + 3);
    await bot.kill();
    await letPass();

    expect(textOf(await free).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    await startOther();
    expect(await Promise.race([locked, 'no reply yet'])).toBe('no reply yet');
    wire.close();
    expect(textOf(await locked).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    expect(textOf(await inTransaction)).toContain('The bot was interrupted before');
    expect(addsOf(guild, 'late.example.com')).toHaveLength(0);
  });
});
