import assert from 'node:assert/strict';
import { upload } from '../../support/people.ts';
import { createHostileService } from '../hostile-service.ts';
import { answered } from '../people.ts';
import { filled, UNITS } from '../texts.ts';
import { MOST_OF_FILE, WAYS } from '../ways.ts';
import { type Arena, type Attack, beginAnew, checkKey, submitOne } from './arena.ts';

/** How many answers of the service are tried: a games list takes a trial of the key, of which there are five a minute. */
const WORDS = 60;
const GAMES_LISTS = 5;

/** Members and the service send what is read slowly, or wrongly. */
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
    name: 'twenty files at once',
    async run({ member }) {
      const file = upload('a.txt', filled('a.example.com:27015 cs2\n', MOST_OF_FILE));
      const all = Array.from({ length: 20 }, () => member.slash('addservers', { file }));
      for (const answer of await Promise.all(all)) answered(answer, 'a file');
    },
  },
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
