import assert from 'node:assert/strict';
import { modalFields } from '../../sandbox/prompt/modal-line.ts';
import { modalOf } from '../support/scene.ts';
import { type Arena, answered, type Campaign } from './arena.ts';
import { UNITS } from './shapes.ts';

/** `unit` again and again, up to so many UTF-16 units; Discord's own clients cut there. */
const typed = (unit: string, length: number) => unit.repeat(Math.floor(length / unit.length));

async function everyShape(length: number, act: (text: string) => Promise<unknown>): Promise<void> {
  for (const unit of Object.values(UNITS)) await act(typed(unit, length));
}

const paste = async ({ member }: Arena, text: string) => {
  const modal = modalOf(await member.slash('addservers'));
  const [field] = modalFields(modal.data);
  assert(field);
  answered(await member.submit(modal, { [field.id]: text }), 'a pasted text');
};

/** A member types what Discord lets them type. */
export const TYPED: Campaign = {
  name: 'typed',
  attacks: [
    {
      name: 'every shape as a game, while typing',
      async run({ member }) {
        for (const length of [100, 6_000]) {
          await everyShape(length, (game) => member.complete('addserver', 'game', { game }));
        }
      },
    },
    {
      name: '300 suggestions at once',
      async run({ member }) {
        const game = '\ufdfa'.repeat(100);
        await Promise.all(Array.from({ length: 300 }, () => member.complete('addserver', 'game', { game })));
      },
    },
    {
      name: 'every shape as a search for games',
      run: ({ member }) => everyShape(60, (search) => member.slash('games', { search })),
    },
    {
      name: 'every shape as a server',
      run: ({ member }) => everyShape(500, (server) => member.slash('addserver', { game: 'cs2', server })),
    },
    {
      name: 'every shape as a game',
      run: ({ member }) =>
        everyShape(100, (game) => member.slash('addserver', { game, server: 'a.example.com:27015' })),
    },
    {
      name: 'every shape as a filter of submissions',
      run: ({ member }) => everyShape(45, (server) => member.slash('submissions', { server })),
    },
    { name: 'every shape, pasted', run: (arena) => everyShape(4_000, (text) => paste(arena, text)) },
    {
      name: 'every shape in a message',
      run: ({ member, discord }) =>
        everyShape(2_000, async (text) => {
          answered(await member.useOnMessage('Submit servers', discord.say(member, text)), 'a message');
        }),
    },
  ],
};
