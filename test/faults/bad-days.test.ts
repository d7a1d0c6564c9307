import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StandInOptions } from '../../sandbox/discord/stand-in.ts';
import { addServer } from '../support/actions.ts';
import { eventually } from '../support/eventually.ts';
import { BLOCKED, type Front, limited, openFront } from '../support/front.ts';
import { BREACHES, openAppScene, openScene, type Scene, setKey, textOf } from '../support/scene.ts';

const BLOCK = "Discord's edge blocks this bot";

/** A bot that reaches Discord's REST API through a front. It is not started yet. */
async function open(
  discord: Partial<StandInOptions> = {},
  openAny: typeof openScene = openAppScene,
): Promise<{ readonly scene: Scene; readonly front: Front }> {
  const front = await openFront();
  const env = { DISCORD_API_URL: front.url };
  const scene = await openAny({ startBot: false, env, discord });
  front.target = scene.discord.apiUrl;
  onTestFinished(async () => {
    await scene.close({ breaches: Object.values(BREACHES) });
    await front.close();
  });
  return { scene, front };
}

const made = ({ requests }: Front, pattern: RegExp) => requests.filter((name) => pattern.test(name)).length;

describe('a block by address: a 429 of the edge', () => {
  it('of an edit is one request and a line in the log, and only acknowledgements go on', async () => {
    const { scene, front } = await open();
    await scene.startBot();
    await setKey(scene.admin, 'sandbox-key');
    const edits = /^PATCH \/webhooks\//;
    const before = made(front, edits);
    front.answer = (name) => (edits.test(name) ? BLOCKED : undefined);
    void addServer(scene.member, 'blocked.example.com:1');
    await eventually(() => scene.output().includes(BLOCK), true);
    // A loop would make thousands of requests in this time.
    await sleep(1_000);
    expect(made(front, edits) - before).toBeLessThanOrEqual(3);
    expect(textOf(await scene.member.slash('help'))).toContain('/addserver');
    expect(scene.output().split(BLOCK)).toHaveLength(2);
  });

  it('at the start is named in the log, and nothing is sent for a minute', async () => {
    const { scene, front } = await open();
    front.answer = () => BLOCKED;
    scene.bot.start();
    await eventually(() => scene.output().includes(BLOCK), true);
    await sleep(1_000);
    expect(front.requests.length).toBeLessThanOrEqual(5);
    expect(scene.output()).toContain('look for another program on the same address');
    expect(scene.bot.running).toBe(true);
  });
});

describe('a limit for a long time', () => {
  it('on the way to the gateway is named in the log, and waited for', async () => {
    const { scene, front } = await open();
    front.answer = (name) => (name === 'GET /gateway/bot' ? limited(82_721) : undefined);
    scene.bot.start();
    await eventually(() => scene.log().some(({ againInSeconds }) => Number(againInSeconds) >= 82_721), true);
    expect(made(front, /gateway/)).toBe(1);
    expect(scene.bot.running).toBe(true);
    const { status } = await scene.bot.stop();
    expect(status).toBe(0);
  });

  it('on a first response gives the interaction up at once', async () => {
    const { scene, front } = await open();
    await scene.startBot();
    const before = made(front, /callback/);
    front.answer = (name) => (name.endsWith('/callback') ? limited(3_600) : undefined);
    void scene.member.slash('help');
    await eventually(() => scene.output().includes('interaction lost'), true);
    expect(made(front, /callback/) - before).toBe(1);
  });
});

it('a first request of each route that fails is made again, and the bot is ready', async () => {
  const { scene, front } = await open();
  const failed = new Set<string>();
  front.answer = (name) => {
    if (failed.has(name)) return undefined;
    failed.add(name);
    return { status: 503, body: 'upstream connect error' };
  };
  await scene.startBot();
  await eventually(() => scene.discord.commands().length > 0, true);
  expect(textOf(await scene.member.slash('help'))).toContain('/addserver');
  expect([...failed]).toEqual(expect.arrayContaining(['GET /gateway/bot', 'GET /applications/@me']));
});

it('an interaction is answered while other shards have not identified yet', async () => {
  const { scene } = await open({ shards: 3 });
  scene.bot.start();
  await eventually(() => scene.discord.commands().length > 0, true);
  await eventually(() => scene.discord.gateway.sessions().length > 0, true);
  const person = scene.person({ role: 'member' });
  expect(textOf(await person.slash('help'))).toContain('/addserver');
  expect(scene.discord.gateway.sessions().length).toBeLessThan(3);
});

it('a first response is made in time although every kept connection has died silently', async () => {
  // A process, since scenes in this one give the bot more time.
  const { scene, front } = await open({ answerWithinMs: 3_000 }, openScene);
  await scene.startBot();
  // What the bot asks by itself has its connections: the commands, and the guilds that were left (two, and an empty page).
  await eventually(() => made(front, /^PUT .*commands/), 1);
  await eventually(() => made(front, /guilds/), 2);
  await scene.member.slash('help');
  const before = made(front, /callback/);
  front.silenceConnections();
  expect(textOf(await scene.member.slash('help'))).toContain('/addserver');
  expect(made(front, /callback/) - before).toBe(2);
});
