import assert from 'node:assert/strict';
import type { Answer, Person, Upload } from '../../sandbox/discord/contract.ts';
import type { Mode } from '../../sandbox/listing/modes.ts';
import type { ListingRequest } from '../../sandbox/listing/stand-in.ts';
import { createStallProbe, type StallProbe } from '../support/event-loop-stall.ts';
import { type Expected, openScene, type Scene, type SceneOptions, setKey, textOf } from '../support/scene.ts';

/** Of the guild that attacks. */
export const ATTACKERS_KEY = 'key-of-the-attackers-0123456789';
/** Of the guilds that have nothing to do with it. */
export const BYSTANDERS_KEYS = ['key-of-bystander-one-abcdefgh', 'key-of-bystander-two-ijklmnop'] as const;

/** The real bot, a guild that attacks (the first), and two that only want to work. */
export interface Arena extends Scene {
  readonly bystanders: readonly Person[];
  readonly probe: StallProbe;
  /** How the service treats every key but the bystanders', or everybody; as specified until told. */
  beHostile(mode: Hostility | undefined, whom?: 'attackers' | 'everybody'): void;
  close(expected?: Expected): Promise<void>;
}

export type Hostility = (request: ListingRequest) => Mode | undefined;

export interface Attack {
  readonly name: string;
  /** What has to be so before; nobody else uses the bot meanwhile, so it may be restarted. */
  prepare?(arena: Arena): Promise<void>;
  /** @throws an error that says what harm was done, besides what the bystanders saw */
  run(arena: Arena): Promise<void>;
}

/** Attacks on one run of the bot, one after the other. */
export interface Campaign {
  readonly name: string;
  readonly options?: Omit<SceneOptions, 'listing' | 'startBot' | 'key'>;
  readonly attacks: readonly Attack[];
  /** What the attackers break of Discord's own rules on purpose. */
  readonly expected?: Expected;
}

export async function openArena({ options = {} }: Campaign): Promise<Arena> {
  const probe = await createStallProbe();
  let hostility: Hostility | undefined;
  let isToAll = false;
  const isBystanders = (key: string) => BYSTANDERS_KEYS.some((each) => each === key);
  const scene = await openScene({
    ...options,
    env: { ...probe.env, ...options.env },
    startBot: false,
    listing: {
      keys: [ATTACKERS_KEY, ...BYSTANDERS_KEYS],
      onRequest: (_, request) => (isToAll || !isBystanders(request.key) ? hostility?.(request) : undefined),
    },
  });
  try {
    scene.discord.guildEvents.add({ name: 'Third' });
    await scene.startBot();
    await setKey(scene.admin, ATTACKERS_KEY);
    for (const [index, key] of BYSTANDERS_KEYS.entries()) {
      const admin = scene.person({ role: 'admin', guild: index + 1 });
      assert.match(textOf(await setKey(admin, key)), /works and (is saved|replaces)/);
    }
  } catch (error) {
    await scene.close();
    await probe.close();
    throw error;
  }
  return {
    ...scene,
    probe,
    bystanders: [1, 2].map((guild) => scene.person({ guild })),
    beHostile(mode, whom = 'attackers') {
      hostility = mode;
      isToAll = whom === 'everybody';
    },
    async close(expected) {
      try {
        await scene.close(expected);
      } finally {
        await probe.close();
      }
    },
  };
}

/** Begins anew: what was counted of the attackers is forgotten, and their key works. */
export async function beginAnew(arena: Arena): Promise<void> {
  arena.beHostile(undefined);
  await arena.restart();
  assert.match(textOf(await setKey(arena.admin, ATTACKERS_KEY)), /works and (is saved|replaces)/);
}

/** The most that /addservers reads. */
export const MOST_BYTES = 256 * 1024;

/** `unit` again and again, up to so many bytes of UTF-8. */
export const filled = (unit: string, bytes: number): string =>
  unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

export const file = (filename: string, content: string): Upload => ({
  filename,
  bytes: Buffer.from(content),
});

/** An attack must be answered too, whatever the answer is. */
export function answered(answer: Answer, what: string): Answer {
  assert.notEqual(answer.kind, 'lost', `the attacker got no answer to ${what}`);
  return answer;
}
