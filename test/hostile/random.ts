import { createHash } from 'node:crypto';

/** Random choices that depend only on the seed. */
export interface Random {
  /** Returns a number that is at least 0 and less than `end`. */
  below(end: number): number;
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  /** Picks an item. A higher weight makes an item more likely. */
  pick<Thing>(weighted: readonly (readonly [weight: number, thing: Thing])[]): Thing;
  /** Returns an independent stream, so that one actor's choices don't depend on another's. */
  of(actor: string): Random;
}

export function createRandom(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE();

  /** Implements mulberry32, a generator with 32 bits of state. That is enough to choose between faults. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    below: (end) => Math.floor(next() * end),
    between: (from, to) => from + next() * (to - from),
    chance: (probability) => next() < probability,
    pick(weighted) {
      let left = next() * weighted.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, thing] of weighted) {
        left -= weight;
        if (left < 0) return thing;
      }
      throw new RangeError('there is nothing to pick from');
    },
    of: (actor) => createRandom(`${seed}/${actor}`),
  };
}
