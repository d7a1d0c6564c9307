import assert from 'node:assert/strict';
import { answered } from '../people.ts';
import { filled, UNITS } from '../texts.ts';
import { WAYS } from '../ways.ts';
import type { Arena, Attack } from './arena.ts';

/**
 * Members send what is read slowly, or wrongly. Only here does the whole bot meet each of these texts on every way in and as
 * long as that way lets them be, while it is measured how long others wait and how long the bot stands still.
 */
export const SHAPES: readonly Attack[] = WAYS.map((way) => ({
  name: `every shape as ${way.name}`,
  async run(arena: Arena) {
    for (const unit of UNITS) {
      // In the middle of a quoted cell, too.
      for (const text of [filled(unit, way.most), `a"b,${filled(unit, way.most - 5)}x`]) {
        const answer = await way.use(arena, arena.member, text);
        assert(answer !== 'lost', 'there were no suggestions');
        if ('kind' in answer) answered(answer, way.name);
      }
    }
  },
}));
