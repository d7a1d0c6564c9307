import assert from 'node:assert/strict';
import { createHostileService } from '../hostile-service.ts';
import { answered } from '../people.ts';
import { filled, UNITS } from '../texts.ts';
import { WAYS } from '../ways.ts';
import { type Arena, type Attack, beginAnew, checkKey, submitOne } from './arena.ts';

/** How many answers of the service are tried: a games list takes a trial of the key, of which there are five a minute. */
const WORDS = 60;
const GAMES_LISTS = 5;

/**
 * Members and the service send what is read slowly, or wrongly. Only here does the whole bot meet it on every way in, while
 * it is measured how long others wait and how long the bot stands still.
 */
export const SHAPES: readonly Attack[] = [
  ...WAYS.map((way) => ({
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
  })),
  {
    name: 'whatever a service can say',
    prepare: beginAnew,
    async run(arena) {
      const anyAnswer = createHostileService(arena.random.of('words'));
      for (let n = 0; n < WORDS; n++) {
        // The breaker would hold back what comes after three failures in a row.
        const isHostile = n % 3 < 2;
        arena.beHostile((request) =>
          isHostile && request.action === 'add' ? anyAnswer(request) : undefined,
        );
        await submitOne(arena);
      }
    },
  },
  {
    name: 'whatever a service can list',
    // All guilds share the list.
    mayRefuseOthers: true,
    prepare: beginAnew,
    async run(arena) {
      const anyAnswer = createHostileService(arena.random.of('games'));
      arena.beHostile((request) => (request.action === 'games' ? anyAnswer(request) : undefined));
      for (let n = 0; n < GAMES_LISTS; n++) {
        await checkKey(arena);
        answered(await arena.member.slash('games', { search: 'a' }), '/games');
        await arena.member.complete('addserver', 'game', { game: 'a' });
        answered(await arena.admin.slash('settings'), '/settings');
      }
    },
  },
];
