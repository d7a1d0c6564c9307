import { describe, expect, it } from 'vitest';
import type { FaultPlan } from '../../sandbox/discord/rest/faults.ts';
import { eventually } from '../support/eventually.ts';
import { labelsOf, lines, submit as submitList, upload } from '../support/lists.ts';
import { inAppScene, messageOf, modalOf, type Scene, textOf } from '../support/scene.ts';
import { isAccepted, isLost } from './submission.ts';

/** A bot of its own for each case, since most of the time is waiting. Some answer too late, or twice. */
const within = (run: (scene: Scene) => Promise<void>) => () =>
  inAppScene({ key: 'sandbox-key', breaches: [25, 26] }, run);

/** How many interactions with a command are over, their answers delivered or given up. */
const overOf = ({ log }: Scene, command: string) =>
  log().filter((entry) => entry.msg === 'interaction' && entry.command === command).length;

/** How many first responses ended with a status; 0: without one. */
const triedCallbacks = ({ discord }: Scene, status: number) =>
  discord.requests.filter((request) => /\/callback/.test(request.path) && request.status === status).length;

describe.concurrent('a Discord that', () => {
  const path = { callback: /\/callback$/, edit: /^\/webhooks\/.*\/messages\// };
  const limit = (scope: 'user' | 'shared' | 'global') => ({
    kind: 'rate limit' as const,
    scope,
    retryAfterMs: 400,
  });
  const passing: readonly (readonly [what: string, fault: FaultPlan])[] = [
    ['answers the acknowledgement with 429 (user)', { fault: limit('user'), path: path.callback }],
    ['answers the acknowledgement with 429 (shared)', { fault: limit('shared'), path: path.callback }],
    ['answers the acknowledgement with 429 (global)', { fault: limit('global'), path: path.callback }],
    ['answers the acknowledgement with 500', { fault: { kind: 'status', status: 500 }, path: path.callback }],
    ['resets the acknowledgement', { fault: { kind: 'reset' }, path: path.callback }],
    [
      'takes the acknowledgement and loses its answer',
      { fault: { kind: 'answer lost' }, path: path.callback },
    ],
    ['answers the edit with 429 (user)', { fault: limit('user'), path: path.edit }],
    ['answers the edit with 429 (shared)', { fault: limit('shared'), path: path.edit }],
    ['answers the edit with 429 (global)', { fault: limit('global'), path: path.edit }],
    ['answers the edit with 500', { fault: { kind: 'status', status: 500 }, path: path.edit }],
    [
      'answers the edit with 502 twice',
      { fault: { kind: 'status', status: 502 }, path: path.edit, times: 2 },
    ],
    ['resets the edit', { fault: { kind: 'reset' }, path: path.edit }],
    ['takes the edit and loses its answer', { fault: { kind: 'answer lost' }, path: path.edit }],
  ];
  for (const [index, [what, fault]] of passing.entries()) {
    it(
      what,
      within(async (scene) => {
        // What the bot asks of its own accord is none of them.
        const answers = () =>
          scene.discord.requests.filter((request) => /\/(?:interactions|webhooks)\//.test(request.path));
        const before = answers().length;
        scene.discord.faults.inject(fault);
        await isAccepted(scene, `rest-${index}.example.com`);
        // An acknowledgement and an edit, and those that the fault hit.
        await eventually(() => answers().length - before, 2 + (fault.times ?? 1));
        await isAccepted(scene, `after-rest-${index}.example.com`);
      }),
    );
  }

  it(
    'loses the answer to an edit that the member goes on from is not sent that edit again',
    within(async (scene) => {
      const { discord, member, listing } = scene;
      const again = () => member.slash('addserver', { game: 'cs2', server: 'again.example.com:27015' });
      await again();
      discord.faults.inject({ fault: { kind: 'answer lost' }, path: path.edit });
      const warned = await again();
      expect(textOf(await member.press(messageOf(warned), 'Submit again'))).toContain('added for review');
      expect(listing.submitted).toHaveLength(2);
      // The edit would be repeated half a second after its loss, and the warning stand there again.
      await eventually(() => overOf(scene, 'addserver'), 3);
      expect(textOf(warned)).toContain('added for review');
    }),
  );

  it(
    'fails to take an edit is sent it again, though the member opens a window meanwhile',
    within(async ({ discord, member, listing }) => {
      const list = (text: string) => member.slash('addservers', { file: upload('list.txt', text) });
      await submitList(member, await list(lines(2)));
      const preview = await list(`${lines(3)}\nnowhere:99999 cs2`);
      const before = discord.requests.length;
      discord.faults.inject({ fault: { kind: 'status', status: 500 }, path: path.edit });
      const answered = member.press(messageOf(preview), 'Include the 2 submitted before');
      await eventually(() => discord.requests.slice(before).some(({ status }) => status === 500), true);
      expect((await member.press(messageOf(preview), 'Edit')).kind).toBe('modal');
      // What the button says is what it submits.
      await eventually(() => labelsOf(preview).includes('Submit 3 game servers'), true, 5_000);
      await answered;
      expect(listing.submitted).toHaveLength(2);
    }),
  );

  it(
    'loses the answer to an edit of which the member submits a window is not sent that edit again',
    within(async (scene) => {
      const { discord, member } = scene;
      const preview = await member.slash('addservers', {
        file: upload('list.txt', `${lines(3)}\nnowhere:99999 cs2\nsomewhere:99999 cs2`),
      });
      const correct = async (text: string) =>
        member.submit(modalOf(await member.press(messageOf(preview), 'Edit')), { servers: text });
      discord.faults.inject({ fault: { kind: 'answer lost' }, path: path.edit });
      void correct('4. s4.example.com:27015 cs2\n5. somewhere:99999 cs2');
      await eventually(() => labelsOf(preview).includes('Submit 4 game servers'), true);
      await correct('5. s5.example.com:27015 cs2');
      await eventually(() => overOf(scene, 'addservers'), 5);
      expect(labelsOf(preview)).toContain('Submit 5 game servers');
    }),
  );

  it.each([400, 413])('does not take the edit as it is (%i)', (status) =>
    within(async (scene) => {
      const refused = { fault: { kind: 'status', status }, path: path.edit } as const;
      scene.discord.faults.inject(refused);
      await isAccepted(scene, `malformed-${status}.example.com`);
      // Nothing but an embed and buttons: its text is what is left.
      scene.discord.faults.inject(refused);
      expect(textOf(await scene.member.slash('games'))).toContain('DayZ — dayz');
      const page = await scene.member.slash('games');
      scene.discord.faults.inject(refused);
      // What was meant to be in the message of the button.
      expect(textOf(await scene.member.press(messageOf(page), 'Next'))).toContain('Rust — rust');
    })());

  it(
    'answers the acknowledgement with 500 as long as that counts',
    within(async (scene) => {
      scene.discord.faults.inject({
        fault: { kind: 'status', status: 500 },
        path: path.callback,
        times: 100,
      });
      await isLost(scene, 'never-acknowledged.example.com', async () => {
        await eventually(() => triedCallbacks(scene, 500) > 0, true);
        scene.discord.faults.clear();
      });
      await isAccepted(scene, 'after-never-acknowledged.example.com');
    }),
  );

  it(
    'never answers the acknowledgement',
    within(async (scene) => {
      scene.discord.faults.inject({ fault: { kind: 'hang' }, path: path.callback, times: 2 });
      await isLost(scene, 'hanging-callback.example.com', () =>
        eventually(() => triedCallbacks(scene, 0), 2),
      );
      await isAccepted(scene, 'after-hanging-callback.example.com');
    }),
  );

  it(
    'limits the acknowledgement for longer than it waits for it',
    within(async (scene) => {
      const fault = { kind: 'rate limit', scope: 'user', retryAfterMs: 4_000 } as const;
      scene.discord.faults.inject({ fault, path: path.callback });
      await isLost(scene, 'limited.example.com', () => eventually(() => triedCallbacks(scene, 429), 1));
      await isAccepted(scene, 'after-limited.example.com');
    }),
  );

  it(
    'never answers the edit',
    within(async (scene) => {
      scene.discord.faults.inject({ fault: { kind: 'hang' }, path: path.edit });
      await isAccepted(scene, 'hanging-edit.example.com');
      await isAccepted(scene, 'after-hanging-edit.example.com');
    }),
  );
});
