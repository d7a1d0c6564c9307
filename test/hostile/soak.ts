import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { RESTJSONErrorCodes } from 'discord.js';
import { ROLE_NAMES } from '../../sandbox/people.ts';
import { setKey } from '../support/bot.ts';
import { CLAIMS, claimOf } from './judge.ts';
import { createMembers, KEY, QUERY_PORT, SECOND_PORT } from './members.ts';
import { createModerators } from './moderators.ts';
import type { Random } from './random.ts';
import { createRefusals, makeTrouble } from './trouble.ts';
import type { Verdict } from './verdict.ts';
import { openWorld, type Replicas, type World } from './world.ts';

/** How long to wait for missing replies, in milliseconds. The bot waits up to a minute between attempts. */
const PATIENCE_MS = 100_000;

/** Indices in `discord.guilds`. Three users in each guild run about 10,000 commands in ten minutes. */
const GUILDS = [0, 1, 2];
/** In this guild, submissions wait for a moderator. */
const MODERATED = 3;

/**
 * Errors that the bot can't avoid if an interaction is delivered twice, retried after a fault, or looked up after a
 * restart.
 */
const BLAMELESS = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
  RESTJSONErrorCodes.UnknownWebhook,
];

interface SoakOptions {
  readonly verdict: Verdict;
  readonly random: Random;
  readonly over: AbortSignal;
  readonly say: (line: string) => void;
  /** Whether the bot looks up game servers. */
  readonly serverLookup: boolean;
  /** Runs several processes instead of one. */
  readonly replicas?: Replicas | undefined;
}

/** Lets nine users submit servers and lists while everything fails at random and the bot is killed every few seconds. */
export async function soak({
  verdict,
  random,
  over,
  say,
  serverLookup,
  replicas,
}: SoakOptions): Promise<void> {
  const refusals = createRefusals(random.of('refusals'));
  const world = await openWorld({
    verdict,
    // Short enough that many submissions time out.
    env: { LISTING_API_TIMEOUT_MS: '1500' },
    listing: { onRequest: refusals.onRequest },
    serverLookup,
    blameless: BLAMELESS,
    ...(replicas && { replicas }),
  });
  const { bot, asks } = world;
  world.discord.guildEvents.add({ name: 'Fourth' });
  await world.startBot();
  const members = createMembers(world);
  const everybody = GUILDS.flatMap((guild) =>
    ROLE_NAMES.map((role) => ({ person: world.person(role, guild), random: random.of(`${role} ${guild}`) })),
  );
  for (const guild of GUILDS) await setKey(world.person('admin', guild), KEY);
  const moderators = await createModerators(world, MODERATED);
  const submitting = (['member', 'other'] as const).map((role) => ({
    person: world.person(role, MODERATED),
    random: random.of(`${role} ${MODERATED}`),
  }));
  const memoryAtStart = memoryOf(bot.pid);

  await Promise.all([
    makeTrouble(world, random.of('trouble'), over, refusals, replicas),
    ...everybody.map((member) => members.live(member, over)),
    // Discord only accepts one message per second in a channel.
    ...submitting.map((member) => members.live(member, over, 4)),
    ...([0, 1] as const).map((which) => moderators.live(which, random.of(`moderator ${which}`), over)),
  ]);
  await members.answered(PATIENCE_MS);
  say(`memory at start: ${memoryAtStart}`);
  say(`memory at end: ${memoryOf(bot.pid)}`);
  for (const what of await unfinished(world)) verdict.harm('lost', `left in the store: ${what}`);
  await members.readAgain();
  await moderators.judge();
  await bot.stop();

  for (const claim of CLAIMS) {
    const claimed = asks.filter(({ words }) => words !== undefined && claimOf(words) === claim);
    say(`replies with the claim "${claim}": ${claimed.length}`);
  }
  const { askedSteam, askedNames } = world.records;
  const queryPorts = world.listing.submitted.flatMap(({ query_port: port }) => port ?? []);
  say(
    `server lookup: ${serverLookup ? 'on' : 'off'}; questions to Steam: ${askedSteam.length}, to the name server: ` +
      `${askedNames.length}; servers submitted with a query port: ${queryPorts.length}`,
  );
  for (const port of queryPorts) {
    if (port !== QUERY_PORT && port !== SECOND_PORT)
      verdict.harm('false reply', `query port ${port} is in no record`);
  }
  verdict.stalled(await world.probe.stalls(), () => 'the soak, every start among it');
  // The service accepted none of the servers in these requests, so the bot may send them again in smaller requests.
  const refusedAsOne = [...refusals.refused].filter(({ servers }) => servers.length > 1);
  await world.judge(
    () => true,
    [...refusedAsOne, ...refusals.refusedForKey].flatMap(({ servers }) =>
      servers.map(({ server = '' }) => server),
    ),
  );
  await world.close();
}

/** Waits until the bot has finished its work, such as resending lost replies. Returns any remaining work. */
async function unfinished({ stored }: World): Promise<readonly string[]> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const left = await stored.unfinished();
    if (left.length === 0 || Date.now() > until) return left;
    await sleep(500);
  }
}

/** Returns the process's resident memory, as Linux reports it. */
function memoryOf(pid: number | undefined): string {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return `${Math.round(Number(kib) / 1024)} MiB`;
  } catch {
    return 'not known on this system';
  }
}
