import assert from 'node:assert/strict';
import { RESTJSONErrorCodes } from 'discord.js';
import { setKey, textOf } from '../support/bot.ts';
import { type Arena, ATTACKERS_KEY, type Attack, type Hostility } from './attacks/arena.ts';
import { FLOODS } from './attacks/floods.ts';
import { SHAPES } from './attacks/shapes.ts';
import { createOthers, type Others } from './others.ts';
import { within } from './people.ts';
import type { Verdict } from './verdict.ts';
import { openWorld } from './world.ts';

/** Of the guilds that have nothing to do with it. */
const OTHERS_KEYS = ['key-of-bystander-one-abcdefgh', 'key-of-bystander-two-ijklmnop'];
/** What is still not over by then has been answered by nobody. */
const GIVE_UP_MS = 120_000;
/** For a first response: a busy machine is no attack. */
const ANSWER_WITHIN_MS = 30_000;

/** Each on a bot of its own. */
const CAMPAIGNS = [FLOODS, SHAPES];

export interface AttackOptions {
  readonly verdict: Verdict;
  /** No attack begins after it. */
  readonly over: AbortSignal;
  readonly isWanted: (name: string) => boolean;
  readonly say: (line: string) => void;
}

/** Wages the attacks of one guild, one after the other, while others go on working; prints what these saw of each. */
export async function attack({ verdict, over, isWanted, say }: AttackOptions): Promise<void> {
  const row = (cells: readonly (string | number)[], name: string) =>
    say(`${cells.map((cell) => String(cell).padStart(11)).join('')}  ${name}`);

  async function wage(arena: Arena, others: Others, attack: Attack): Promise<void> {
    const { name, run } = attack;
    const harm = (error: unknown) =>
      verdict.harm('other harm', `${name}: ${error instanceof Error ? error.message : error}`);
    async function runInTime(): Promise<void> {
      const end = await within(GIVE_UP_MS, run(arena));
      assert.notEqual(end, 'late', `it was not over after ${GIVE_UP_MS / 1000} s`);
    }
    verdict.count('attacks', 1);
    const since = Date.now();
    const sight = await others.during(name, () => runInTime().catch(harm));
    const stalls = await arena.probe.stalls(since);
    const stall = Math.max(0, ...stalls.map(({ ownMs }) => ownMs));
    row(
      [sight.slowestResponse, sight.slowestAnswer, sight.unanswered, sight.refused, stall, sight.actions],
      name,
    );
    verdict.stalled(stalls, () => name);
    arena.beHostile(undefined);
  }

  say('What others saw meanwhile (the slowest, in milliseconds; “stall” is the bot’s own processor time):');
  row(['response', 'answer', 'unanswered', 'refused', 'stall', 'actions'], 'attack');
  for (const campaign of CAMPAIGNS) {
    const attacks = campaign.filter(({ name }) => isWanted(name));
    if (attacks.length === 0) continue;
    const arena = await openArena(verdict);
    const people = [1, 2].map((guild) => arena.person('member', guild));
    const others = createOthers(arena, people);
    for (const each of attacks) {
      if (over.aborted || !arena.bot.running) verdict.count('attacks that did not begin', 1);
      else await wage(arena, others, each);
    }
    await arena.bot.stop();
    await arena.judge((key) => OTHERS_KEYS.includes(key));
    await arena.close();
  }
}

async function openArena(verdict: Verdict): Promise<Arena> {
  let hostility: Hostility | undefined;
  const world = await openWorld({
    verdict,
    // Of an attacker's own interactions, hundreds at once, responses may come too late, or be made again after a second.
    blameless: [
      RESTJSONErrorCodes.UnknownInteraction,
      RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
    ],
    answerWithinMs: ANSWER_WITHIN_MS,
    listing: {
      keys: [ATTACKERS_KEY, ...OTHERS_KEYS],
      onRequest: (_, request) => hostility?.(request),
    },
  });
  await world.startBot();
  for (const [guild, key] of [ATTACKERS_KEY, ...OTHERS_KEYS].entries()) {
    assert.match(textOf(await setKey(world.person('admin', guild), key)), /works and (is saved|replaces)/);
  }
  return {
    ...world,
    admin: world.person('admin', 0),
    member: world.person('member', 0),
    beHostile(how) {
      hostility = how;
    },
  };
}
