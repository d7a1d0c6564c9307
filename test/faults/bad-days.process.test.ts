import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault } from '../../sandbox/discord/rest/faults.ts';
import type { StandInOptions } from '../../sandbox/discord/stand-in.ts';
import { openAppScene, openScene, type Scene, textOf } from '../support/bot.ts';

const BLOCK = "Discord's edge blocks this bot";

const BLOCKED: Fault = { kind: 'block', as: 'text' };
const limited = (seconds: number): Fault => ({
  kind: 'rate limit',
  scope: 'user',
  retryAfterMs: seconds * 1000,
});
const ALWAYS = Number.POSITIVE_INFINITY;

/** A bot that is not started yet. */
async function open(
  discord: Partial<StandInOptions> = {},
  openAny: typeof openScene = openAppScene,
): Promise<Scene> {
  const scene = await openAny({ startBot: false, discord });
  onTestFinished(() => scene.close());
  return scene;
}

const made = ({ discord }: Scene, method: string, path: RegExp) =>
  discord.requests.filter((request) => request.method === method && path.test(request.path)).length;

/* What a block stops is tested with src/discord/api.ts; here what an operator is told. */
describe('a block by address: a 429 of the edge', () => {
  it('at the start is named in the log, and nothing is sent for a minute', async () => {
    const scene = await open();
    scene.discord.faults.inject({ fault: BLOCKED, times: ALWAYS });
    scene.bot.start();
    await expect.poll(() => scene.output().includes(BLOCK)).toBe(true);
    await sleep(1_000);
    expect(scene.discord.requests.length).toBeLessThanOrEqual(5);
    expect(scene.output()).toContain('look for another program on the same address');
    expect(scene.bot.running).toBe(true);
  });
});

it('a start without a way to Discord is one line in the log, without stacks', async () => {
  const scene = await open();
  scene.discord.faults.inject({ fault: { kind: 'reset' }, times: ALWAYS });
  scene.bot.start();
  await expect.poll(() => scene.discord.requests.length >= 6).toBe(true);
  const said = scene.log().filter(({ level }) => level !== 'info');
  expect(said).toEqual([
    expect.objectContaining({
      msg: `${new URL(scene.discord.apiUrl).host} cannot be reached (connection cut); next try in 1 s`,
    }),
  ]);
});

describe('a limit for a long time', () => {
  it('on the way to the gateway is named in the log, and waited for', async () => {
    const scene = await open();
    scene.discord.faults.inject({ fault: limited(82_721), path: /^\/gateway\/bot$/, times: ALWAYS });
    scene.bot.start();
    await expect
      .poll(() => scene.log().some(({ againInSeconds }) => Number(againInSeconds) >= 82_721))
      .toBe(true);
    expect(made(scene, 'GET', /gateway\/bot/)).toBe(1);
    expect(scene.bot.running).toBe(true);
    const { status } = await scene.bot.stop();
    expect(status).toBe(0);
  });

  it('on a first response gives the interaction up at once', async () => {
    const scene = await open();
    await scene.startBot();
    const before = made(scene, 'POST', /callback/);
    scene.discord.faults.inject({ fault: limited(3_600), path: /\/callback$/, times: ALWAYS });
    void scene.member.slash('help');
    await expect.poll(() => scene.output().includes('interaction lost')).toBe(true);
    expect(made(scene, 'POST', /callback/) - before).toBe(1);
  });
});

it('a first request of each route that fails is made again, and the bot is ready', async () => {
  const scene = await open();
  scene.discord.faults.inject({ fault: { kind: 'status', status: 503 }, ofEachRoute: true });
  await scene.startBot();
  await expect.poll(() => scene.discord.commands().length > 0).toBe(true);
  expect(textOf(await scene.member.slash('help'))).toContain('/addserver');
  const failed = scene.discord.requests.filter(({ status }) => status === 503).map(({ path }) => path);
  expect(failed).toEqual(expect.arrayContaining(['/api/v10/gateway/bot', '/api/v10/applications/@me']));
});

it('an interaction is answered while other shards have not identified yet', async () => {
  const scene = await open({ shards: 3 });
  scene.bot.start();
  await expect.poll(() => scene.discord.commands().length > 0).toBe(true);
  await expect.poll(() => scene.discord.gateway.sessions().length > 0).toBe(true);
  const person = scene.person({ role: 'member' });
  expect(textOf(await person.slash('help'))).toContain('/addserver');
  expect(scene.discord.gateway.sessions().length).toBeLessThan(3);
});

it('a first response is made in time although every kept connection has died silently', async () => {
  // A process, since scenes in this one give the bot more time.
  const scene = await open({ answerWithinMs: 3_000 }, openScene);
  await scene.startBot();
  // What the bot asks by itself has its connections: the commands, and the guilds that were left (two, and an empty page).
  await expect.poll(() => made(scene, 'PUT', /commands/)).toBe(1);
  await expect.poll(() => made(scene, 'GET', /guilds/)).toBe(2);
  await scene.member.slash('help');
  // The connection is free again when the bot has heard of it.
  await expect.poll(() => scene.log().some(({ msg }) => msg === 'interaction')).toBe(true);
  scene.discord.faults.silenceConnections();
  expect(textOf(await scene.member.slash('help'))).toContain('/addserver');
});
