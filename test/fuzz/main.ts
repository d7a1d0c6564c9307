/**
 * Hostile input of every kind, from members and from the service, against the real bot between both stand-ins. Prints
 * the longest stall of the bot's event loop, crashes, interactions without an answer and secrets that showed; ends with
 * 1 when there are any. What is sent depends on the seed alone; what meets what also depends on the machine.
 */
import { parseArgs } from 'node:util';
import type { Role } from '../../sandbox/people.ts';
import { createRandom, type Random } from '../soak/random.ts';
import { createStallProbe, type Stall } from '../support/event-loop-stall.ts';
import { openScene, setKey } from '../support/scene.ts';
import { type Act, createHostile, KEY } from './people.ts';
import { createHostileService } from './service.ts';

/** Milliseconds. What nobody notices. */
const LONGEST_STALL = 100;
/** A bot and its stand-ins live for so long: all that they have printed, sent and stored is then searched for secrets. */
const ROUND_MS = 45_000;
/** See sandbox/discord/rules.ts. */
const RATE_LIMITS = 9;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    /** Counts a stall by the clock, and not by the bot's own processor time: for an idle machine. */
    strict: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new RangeError('--minutes must be a number above 0');
const seed = values.seed ?? String(Date.now() % 1_000_000);
const say = (line: string) => process.stdout.write(`${line}\n`);

interface Found {
  readonly stalls: readonly (readonly [Stall, readonly Act[]])[];
  readonly crashes: readonly string[];
  readonly unanswered: readonly string[];
  readonly secrets: readonly string[];
  /** Rules of Discord that the bot broke. */
  readonly broken: readonly string[];
  readonly acts: number;
  readonly previews: number;
}

async function fuzz(random: Random, ms: number): Promise<Found> {
  const probe = await createStallProbe();
  let isHostile = false;
  const answer = createHostileService(random.of('service'));
  const scene = await openScene({
    env: {
      ...probe.env,
      // Asked for with nearly every command; and no limits, since this is about what is sent.
      GAMES_TTL_SECONDS: '1',
      LISTING_API_TIMEOUT_MS: '3000',
      MEMBER_LIMIT: '1000000/3600',
      GUILD_LIMIT: '1000000/3600',
    },
    listing: {
      keys: [KEY],
      onRequest: (count, request) => (isHostile ? answer(count, request) : undefined),
    },
  });
  const hostile = createHostile(scene);
  const roles: readonly Role[] = ['admin', 'member'];
  const people = scene.discord.guilds.flatMap((_, guild) =>
    roles.map((role) => scene.person({ role, guild })),
  );
  for (const person of people.filter(({ name }) => name === 'admin')) await setKey(person, KEY);
  isHostile = true;
  const since = Date.now();
  const over = AbortSignal.timeout(ms);
  await Promise.all(people.map((person, n) => hostile.live(person, random.of(`person ${n}`), over)));

  const isRunning = scene.bot.running;
  const stalls = await probe.stalls(since);
  const crashes = isRunning ? [] : (await scene.bot.exited()).lastWords;
  const { breaches } = scene.discord;
  const secrets = await scene.close({ crash: true, breaches: breaches.map(({ rule }) => rule) }).then(
    () => [],
    (error: unknown) => [error instanceof Error ? error.message.slice(0, 500) : String(error)],
  );
  // Of the rate limits those buttons are refused that are posted here in the bot's name.
  const broken = breaches
    .filter(({ rule, path }) => !(rule === RATE_LIMITS && path.endsWith('/messages')))
    .map(({ rule, body }) => `rule ${rule} of Discord was broken: ${JSON.stringify(body).slice(0, 500)}`);
  await probe.close();
  return {
    stalls: stalls.map((stall) => [stall, hostile.acts.filter((act) => meets(act, stall))]),
    crashes: isRunning ? [] : [crashes.join('\n') || 'ended without a word'],
    unanswered: hostile.unanswered,
    secrets,
    broken: [...new Set(broken)],
    acts: hostile.acts.length,
    previews: hostile.previews(),
  };
}

const meets = ({ from, to = Number.POSITIVE_INFINITY }: Act, { at, ms }: Stall) =>
  from <= at && to >= at - ms;

function verdict(): 0 | 1 {
  const length = ({ ms, ownMs }: Stall) => (values.strict ? ms : ownMs);
  const stalls = rounds.flatMap((round) => round.stalls).toSorted(([a], [b]) => length(b) - length(a));
  const all = (of: (round: Found) => readonly string[]) => rounds.flatMap(of);
  const [longest] = stalls[0] ?? [{ at: 0, ms: 0, ownMs: 0 }];
  const byClock = Math.max(0, ...stalls.map(([{ ms }]) => ms));
  const [crashes, unanswered] = [all((round) => round.crashes), all((round) => round.unanswered)];
  const [secrets, broken] = [all((round) => round.secrets), all((round) => round.broken)];
  const isOver = length(longest) > LONGEST_STALL;

  say(`interactions: ${rounds.reduce((sum, { acts }) => sum + acts, 0)}`);
  const listsShown = rounds.reduce((sum, { previews }) => sum + previews, 0);
  say(`lists shown: ${listsShown}`);
  say(`longest stall: ${longest.ownMs} ms of the bot's processor time`);
  say(`longest stall by the clock: ${byClock} ms, with what else the machine did`);
  say(`crashes: ${crashes.length}`);
  say(`unanswered: ${unanswered.length}`);
  say(`secrets: ${secrets.length}`);
  say(`rules of Discord broken: ${broken.length}`);
  for (const [stall, acts] of stalls.slice(0, 5)) {
    process.stderr.write(`stall of ${stall.ownMs} ms (${stall.ms} by the clock) during:\n`);
    for (const { what } of acts) process.stderr.write(`  ${what}\n`);
  }
  const harms = [...crashes, ...unanswered.map((each) => `no answer: ${each}`), ...secrets, ...broken];
  for (const line of harms) process.stderr.write(`${line}\n`);
  // A run in which no list came as far as to be shown was about something else.
  return !isOver && harms.length === 0 && listsShown > 0 ? 0 : 1;
}

say(`seed: ${seed}`);
const end = Date.now() + minutes * 60_000;
const random = createRandom(seed);
const rounds: Found[] = [];
for (let round = 1; Date.now() < end; round++) {
  rounds.push(await fuzz(random.of(`round ${round}`), Math.min(ROUND_MS, end - Date.now())));
}
process.exit(verdict());
