import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { approvalsIn, inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { createBotInProcess, openScene, setKey, textOf } from '../support/bot.ts';
import { hasPostgres, newDatabase, openWire } from '../support/database.ts';
import { ACCEPTED, addServer, addsOf, staffChannel } from '../support/people.ts';

const UNKNOWN = /❓ Unconfirmed\..*may have gone through/;
const NOT_SENT = 'Not sent. The bot was restarted. You can safely try again.';

/** A bot that Discord posts to, and another one beside it over the same database, which has little patience. */
async function openBoth() {
  const database = await newDatabase();
  const wire = await openWire(database.url);
  const shared = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    LISTING_API_TIMEOUT_MS: '60000',
  };
  const env = { ...shared, STORE_URL: wire.url };
  const scene = await openScene({ http: true, key: 'sandbox-key', env });
  const [lease] = await database.query('select owner from leases');
  onTestFinished(async () => {
    await scene.close({ crash: true });
    wire.close();
    await database.drop();
  });

  async function startOther(): Promise<void> {
    const printed: string[] = [];
    const other = createBotInProcess(
      {
        env: {
          ...shared,
          STORE_URL: database.url,
          DISCORD_TOKEN: scene.token,
          DISCORD_API_URL: scene.discord.apiUrl,
          DISCORD_PUBLIC_KEY: scene.discord.endpoint.publicKey,
          LISTING_API_URL: scene.listing.url,
          INTERACTIONS: 'http',
          INTERACTIONS_PORT: String(await quietPort()),
        },
        surroundings: {},
        onLine: (line) => printed.push(line),
        onExit: () => undefined,
      },
      { timing: { leaseRenewedEveryMs: 20 } },
    );
    other.start();
    onTestFinished(async () => void (await other.stop()));
    await expect.poll(() => printed.join()).toContain('waiting for what Discord posts');
  }

  await startOther();
  return {
    scene,
    wire,
    startOther,
    /** As if the time of the first bot were over. */
    letPass: () => database.query('update leases set until = 0 where owner = $1', [lease?.owner]),
    rows: database.query,
  };
}

describe.skipIf(!hasPostgres())('of two bots over one database', () => {
  it('one tells what another one was doing that stood still, which then sends nothing and ends', async () => {
    const { scene, letPass, rows } = await openBoth();
    const { bot, listing, member } = scene;
    await listing.behave({ kind: 'hang', carriedOut: true });
    const requests = () => [1, 2, 3].map((n) => addsOf(scene, `s${n}.example.com`).length);
    const running = async () => (await rows("select 1 from submissions where state = 'running'")).length;
    const add = (n: number) => addServer(member, `s${n}.example.com:27015`);
    const answers = [add(1), add(2)];
    await expect.poll(requests).toEqual([1, 1, 0]);
    // At most two requests of a guild run at once: the third is ready, and waits.
    answers.push(add(3));
    await expect.poll(running).toBe(3);
    process.kill(bot.pid ?? 0, 'SIGSTOP');
    await letPass();
    const [first, second, third] = (await Promise.all(answers)).map((answer) =>
      textOf(answer).replaceAll('\n', ' '),
    );
    expect(first).toMatch(UNKNOWN);
    expect(second).toMatch(UNKNOWN);
    expect(third).toContain(NOT_SENT);

    await listing.behave({ kind: 'ok' });
    process.kill(bot.pid ?? 0, 'SIGCONT');
    expect(await bot.exited()).toMatchObject({ status: 1, wanted: false });
    expect(scene.output()).toContain('others have taken over what it had: the bot ends, to be started anew');
    expect(requests()).toEqual([1, 1, 0]);
  });

  it('one goes on alone after a kill -9 of the other, and what comes back is one of two again', async () => {
    const { scene, letPass } = await openBoth();
    const { listing, member } = scene;
    await listing.behave({ kind: 'hang' });
    const answer = addServer(member, 'killed.example.com:27015');
    await expect.poll(() => addsOf(scene, 'killed.example.com')).toHaveLength(1);
    await scene.kill();
    await letPass();
    expect(textOf(await answer).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    await listing.behave({ kind: 'ok' });
    await scene.startBot();
    expect(textOf(await addServer(member, 'next.example.com:27015'))).toContain(ACCEPTED);
  });

  it('one posts the message on which moderators decide, where the other dies before it', async () => {
    const { scene, letPass } = await openBoth();
    const { discord, member, admin, listing } = scene;
    const [place] = discord.guilds;
    if (place === undefined) throw new Error('the stand-in has no guild');
    const guild = { ...place, discord, listing, admin, member, person: () => member };
    await turnApprovalOn(guild);
    const path = new RegExp(`channels/${staffChannel(guild)}/messages`);
    discord.faults.inject({ fault: { kind: 'hang' }, method: 'POST', path, times: 9 });
    const answer = addServer(member, 'waits.example.com:27015');
    await expect
      .poll(() => discord.requests.filter((each) => path.test(each.path) && each.status === 0))
      .not.toEqual([]);
    await scene.kill();
    discord.faults.clear();
    await letPass();
    expect(textOf(await answer)).toContain('This is waiting for a moderator');
    await expect.poll(() => approvalsIn(guild).length).toBe(1);
    await scene.startBot();
    const moderators = ['admin', 'admin'] as const;
    const message = await waitingIn(guild);
    const said = await Promise.all(moderators.map((who) => inStaff(guild, who).press(message, 'Approve')));
    for (const each of said) expect(textOf(each)).toContain('Approved');
    expect(addsOf(scene, 'waits.example.com')).toHaveLength(1);
  });

  it('one tells everybody whom a vanished machine leaves but in the guild that it has locked, and these when that is free', async () => {
    const { scene, wire, startOther, letPass } = await openBoth();
    const { listing, member, person } = scene;
    const another = { guild: 1 };
    await setKey(person({ role: 'admin', ...another }), 'sandbox-key');
    await listing.behave({ kind: 'hang', carriedOut: true });
    const locked = addServer(member, 'locked.example.com:27015');
    const free = addServer(person(another), 'free.example.com:27015');
    const requests = () => ['locked', 'free'].map((name) => addsOf(scene, `${name}.example.com`).length);
    await expect.poll(requests).toEqual([1, 1]);
    const silence = wire.freezeInTransaction(scene.discord.guilds[0]?.id);
    const inTransaction = addServer(member, 'late.example.com:27015');
    await silence;
    await scene.kill();
    await letPass();

    expect(textOf(await free).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    await startOther();
    expect(await Promise.race([locked, 'not told yet'])).toBe('not told yet');
    wire.close();
    expect(textOf(await locked).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    expect(textOf(await inTransaction)).toContain('The bot was restarted. Please run the command again.');
    expect(addsOf(scene, 'late.example.com')).toHaveLength(0);
  });
});
