import { setTimeout as sleep } from 'node:timers/promises';
import { RESTJSONErrorCodes } from 'discord.js';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { setKey, textOf } from '../support/bot.ts';
import { ACCEPTED, setQuota } from '../support/people.ts';
import { damage, HELD } from './damage.ts';
import { type Arena, FLOODS } from './floods.ts';
import { createHostileService, type Service } from './hostile-service.ts';
import { createOthers, type Others } from './others.ts';
import { labelsOf, within } from './people.ts';
import type { Random } from './random.ts';
import { anyText, shapesOf } from './texts.ts';
import type { Verdict } from './verdict.ts';
import { type Suggested, WAYS, type Way } from './ways.ts';
import { openWorld, type World } from './world.ts';

/** The maximum duration of a round, in milliseconds. Afterwards, everything printed, sent and stored is searched for secrets. */
const ROUND_MS = 45_000;
/** The maximum time for the bot to reply, in milliseconds. */
const ANSWER_WITHIN_MS = 60_000;
/** The maximum duration of a flood, in milliseconds. If it takes longer, some replies are missing. */
const FLOOD_WITHIN_MS = 120_000;
/** How many of the actions before a stall to print. */
const ACTS_SHOWN = 6;
/** A key that looks different when percent-encoded. */
const KEY = 'key/of+the=fuzzed&0123456789';
const OTHERS_KEY = 'key-of-bystanders-abcdefgh';

const AS_SPECIFIED: Service = () => undefined;

interface FuzzOptions {
  readonly verdict: Verdict;
  readonly random: Random;
  /** When the run must end, in milliseconds since 1970. */
  readonly until: number;
}

/** Text to send to the bot, and the input to send it through. */
interface Typed {
  readonly way: Way;
  readonly text: string;
}

/**
 * Attacks the bot with hostile input from the service and from members of two guilds. Starts with floods, then sends every
 * kind of text through every input at full length, and ends with random cases. Damages records halfway through each round.
 * Checks that every interaction gets a reply, that other users hardly have to wait, and that no secret leaks. Tries every
 * case once, even after the time is up.
 */
export async function fuzz({ verdict, random, until }: FuzzOptions): Promise<void> {
  const untried = WAYS.flatMap((way) => shapesOf(way.most).map((text): Typed => ({ way, text })));
  verdict.count('previews of lists', 0);
  verdict.count('text shapes tried through every input', untried.length);
  for (let round = 1; Date.now() < until || untried.length > 0; round++) {
    const left = until - Date.now();
    const ms = untried.length > 0 ? ROUND_MS : Math.min(ROUND_MS, left);
    await fuzzOnce({
      verdict,
      random: random.of(`round ${round}`),
      untried,
      until,
      ms,
      isFirst: round === 1,
    });
  }
}

interface Round extends FuzzOptions {
  /** Cases that no user has tried yet. */
  readonly untried: Typed[];
  readonly ms: number;
  readonly isFirst: boolean;
}

async function fuzzOnce({ verdict, random, untried, until, ms, isFirst }: Round): Promise<void> {
  let service = AS_SPECIFIED;
  const anyAnswer = createHostileService(random.of('service'));
  const world = await openWorld({
    verdict,
    // The bot runs hundreds of actions at the same time, so a first response can be late, or sent again one second later.
    blameless: [
      RESTJSONErrorCodes.UnknownInteraction,
      RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
    ],
    answerWithinMs: ANSWER_WITHIN_MS,
    // Makes the bot fetch the games list for nearly every command.
    env: { GAMES_TTL_SECONDS: '1', LISTING_API_TIMEOUT_MS: '3000' },
    listing: {
      keys: [KEY, OTHERS_KEY],
      onRequest: (_, request) => service(request),
    },
  });
  const serve = (how: Service) => {
    service = how;
  };
  await world.startBot();
  const admins = [0, 1].map((guild) => world.person('admin', guild));
  const people = [...admins, world.person('member', 0), world.person('member', 1)];
  for (const admin of admins) await setKey(admin, KEY);
  await setKey(world.person('admin', 2), OTHERS_KEY);
  const others = createOthers(world, [world.person('member', 2)]);

  async function live(half: string): Promise<void> {
    const since = Date.now();
    const over = AbortSignal.timeout(Math.ceil(ms / 2));
    const isOver = () => over.aborted || (untried.length === 0 && Date.now() > until);
    const acts: Act[] = [];
    serve((request) => (request.key === OTHERS_KEY ? undefined : anyAnswer(request)));
    const work = async () => {
      const lives = people.map((person, n) =>
        liveHostile(world, person, { random: random.of(`${half} ${n}`), untried, acts, isOver }),
      );
      await Promise.all(lives);
    };
    await others.during(`the ${half} half`, work, true);
    serve(AS_SPECIFIED);
    verdict.stalled(await world.probe.stalls(since), ({ at }) => lastBefore(acts, at));
  }

  if (isFirst) {
    const arena = {
      ...world,
      admin: world.person('admin', 0),
      member: world.person('member', 0),
      key: KEY,
      serve,
    };
    await flood(arena, others);
  }
  await live('first');
  await world.bot.stop();
  for (const { guildId } of admins) {
    verdict.count('damaged records', damage(world.data, guildId, random.of(`damage ${guildId}`)));
  }
  await world.startBot();
  for (const admin of admins) await setAnew(world, admin);
  await live('second');

  await world.bot.stop();
  for (const line of world.lines.filter((each) => each.includes(HELD))) {
    verdict.harm('secrets found', `the content of a damaged record: ${line}`);
  }
  await world.judge((key) => key === OTHERS_KEY);
  await world.close();
}

/** Runs the floods one after another while the service works. */
async function flood(arena: Arena, others: Others): Promise<void> {
  const { verdict, probe, serve } = arena;
  for (const { name, mostResponseMs = Number.POSITIVE_INFINITY, run } of FLOODS) {
    const since = Date.now();
    const harm = (what: unknown) => verdict.harm('other harm', `${name}: ${what}`);
    const slowest = await others.during(name, async () => {
      const end = await within(FLOOD_WITHIN_MS, run(arena)).catch(harm);
      if (end === 'late') harm(`it did not end within ${FLOOD_WITHIN_MS} ms`);
    });
    if (slowest > mostResponseMs) harm(`other users waited ${slowest} ms for a first response`);
    verdict.stalled(await probe.stalls(since), () => name);
    serve(AS_SPECIFIED);
  }
}

/**
 * Replaces a guild's unreadable settings, without which the bot doesn't know the guild's limits. Checks that members can
 * submit again.
 */
async function setAnew({ verdict, discord }: World, admin: Person): Promise<void> {
  await setKey(admin, KEY);
  const server = `after-${Date.now()}.example.com:27015`;
  const add = async () => textOf(await admin.slash('addserver', { game: 'cs2', server }));
  let said = await add();
  if (said.includes("can no longer read this Discord server's settings")) {
    verdict.count('settings set again', 1);
    await setQuota({ discord, admin }, '');
    said = await add();
  }
  if (!said.includes(ACCEPTED)) verdict.harm('other harm', `a guild with damaged records is stuck: ${said}`);
}

/** An action that a user has started. */
interface Act {
  readonly what: string;
  /** When the action began, in milliseconds since 1970. */
  readonly at: number;
}

const lastBefore = (acts: readonly Act[], end: number): string =>
  acts
    .filter(({ at }) => at <= end)
    .slice(-ACTS_SHOWN)
    .map(({ what }) => what)
    .join('; ');

interface Living extends Pick<Round, 'random' | 'untried'> {
  readonly acts: Act[];
  readonly isOver: () => boolean;
}

/** Acts as a hostile user, one action after another. */
async function liveHostile(
  world: World,
  person: Person,
  { random, untried, acts, isOver }: Living,
): Promise<void> {
  const { verdict } = world;

  /** Waits for any kind of reply, and reports harm if there is none. */
  async function answered(what: string, run: () => Promise<Answer | Suggested>): Promise<Answer | undefined> {
    acts.push({ what, at: Date.now() });
    verdict.count('interactions', 1);
    const found = await within(ANSWER_WITHIN_MS, run());
    const answer = typeof found === 'object' && 'kind' in found ? found : undefined;
    if (found === 'late' || found === 'lost' || answer?.kind === 'lost') {
      verdict.harm('unanswered', `${what}, begun ${ANSWER_WITHIN_MS} ms before ${new Date().toISOString()}`);
    }
    return answer;
  }

  /** Presses one of a reply's buttons or submits its modal to get to the next step. */
  async function goOn(answer: Answer | undefined): Promise<void> {
    if (answer?.kind === 'modal') {
      const { modal } = answer;
      // Keys must be unusual, because a common word would be found in any output.
      const textFor = (id: string) =>
        id === 'key' ? `forged-key-${random.below(1_000_000)}` : anyText(random, 100);
      const texts = modalFields(modal.data).map(({ id }) => [id, textFor(id)]);
      await answered('a window', () => person.submit(modal, Object.fromEntries(texts)));
    }
    if (answer?.kind !== 'message') return;
    const labels = labelsOf(answer);
    if (labels.includes('Cancel') && labels.length > 1) verdict.count('previews of lists', 1);
    const label = labels[random.below(labels.length)];
    if (label === undefined) return;
    const next = await answered(`the button ${label}`, () => person.press(answer.message, label));
    if (next?.kind === 'modal') await goOn(next);
  }

  function drawText(): Typed {
    const way = random.pick(WAYS.map((each) => [each.weight, each] as const));
    const most = random.chance(0.05) ? way.most + 10 : way.most;
    return { way, text: way.anyText?.(random) ?? anyText(random, most) };
  }

  async function useText(): Promise<void> {
    // In random order, because users would otherwise try the same input, and wait for the same rate limit.
    const [next] = untried.splice(random.below(untried.length), 1);
    const { way, text } = next ?? drawText();
    const about = `${way.name}: ${text.length} of ${JSON.stringify(text.slice(0, 30))}`;
    const answer = await answered(about, () => way.use(world, person, text));
    if (random.chance(0.4)) await goOn(answer);
  }

  async function useCommand(): Promise<void> {
    const commands = ['settings', 'submissions', 'keystatus', 'help', 'privacy', 'games', 'setkey'];
    const command = commands[random.below(commands.length)] ?? 'help';
    const answer = await answered(`/${command}`, () => person.slash(command));
    if (random.chance(0.4)) await goOn(answer);
  }

  while (!isOver()) {
    await (random.chance(0.85) ? useText() : useCommand());
    // Replaces a forged key. Otherwise, nobody in the guild could submit anything.
    if (person.name === 'admin' && random.chance(0.03)) await setKey(person, KEY).catch(() => undefined);
    if (untried.length === 0) await sleep(random.between(20, 200));
  }
}
