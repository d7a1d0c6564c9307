import { expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { labelsOf, lines, submit, upload } from '../support/lists.ts';
import { inNewGuild, messageOf, openAppScene, textOf } from '../support/scene.ts';

const KEY = 'sandbox-key';
const AT_ONCE = 4;
const ACCEPTED = 'Servers have been added for review.';
const SOON = { timeout: 60_000, interval: 5 };

/** A service that answers the submissions that it has got when it is told to, the oldest first. */
function heldService() {
  const held: (() => void)[] = [];
  let isOpen = false;
  return {
    held,
    onRequest(_: number, { action }: { readonly action: string }) {
      if (action !== 'add' || isOpen) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      held.push(resolve);
      return { kind: 'held', until: promise } as const;
    },
    open(): void {
      isOpen = true;
      for (const answer of held.splice(0)) answer();
    },
  };
}

it('five lists of 1,000 and 200 commands of one member at once are not in the way of another guild', async () => {
  const service = heldService();
  const scene = await openAppScene({
    env: { LISTING_REQUESTS_AT_ONCE: String(AT_ONCE), LISTING_API_TIMEOUT_MS: '60000' },
    listing: { keys: [KEY], onRequest: service.onRequest },
  });
  // On a busy machine some of so many acknowledgements are sent a second time.
  onTestFinished(() => scene.close({ breaches: [26] }));
  onTestFinished(service.open);
  const guilds = await Promise.all(Array.from({ length: 7 }, () => inNewGuild(scene, { key: KEY })));
  const [flood, other, ...withLists] = guilds;
  if (!flood || !other) throw new Error('there are seven guilds');
  const previews: Answer[] = [];
  for (const { member } of withLists) {
    previews.push(await member.slash('addservers', { file: upload('list.txt', lines(1_000)) }));
  }

  const reports = withLists.map(({ member }, n) => {
    const preview = previews[n];
    if (!preview) throw new Error('each list has a preview');
    return submit(member, preview);
  });
  await expect.poll(() => service.held.length, SOON).toBe(AT_ONCE);
  const singles = Array.from({ length: 200 }, (_, n) =>
    flood.member.slash('addserver', { game: 'cs2', server: `flood-${n}.example.com:27015` }),
  );
  const acknowledged = () =>
    scene.discord.requests.filter(({ path }) => path.endsWith('/callback') || path.includes('/callback?'))
      .length;
  // Of the member's commands twenty wait; the others were told so.
  const told = singles.map((each) => each.then(textOf));
  const answered: string[] = [];
  for (const each of told) void each.then((text) => answered.push(text));
  await expect.poll(() => answered.length, SOON).toBe(180);

  const submissions = () => scene.listing.requests.filter(({ action }) => action === 'add');
  const isOthers = ({ servers }: { readonly servers: readonly Readonly<Record<string, string>>[] }) =>
    servers.some(({ server }) => server === 'other.example.com');
  const before = submissions().length;
  const acknowledgedBefore = acknowledged();
  const answer = other.member.slash('addserver', { game: 'cs2', server: 'other.example.com:27015' });
  await expect.poll(acknowledged, SOON).toBeGreaterThan(acknowledgedBefore);
  // One is answered at a time, and the next comes.
  while (!submissions().some(isOthers) && submissions().length - before <= 3 * AT_ONCE) {
    const came = submissions().length;
    service.held.shift()?.();
    await expect.poll(() => submissions().length, SOON).toBeGreaterThan(came);
  }
  expect(submissions().slice(before).findIndex(isOthers)).toBeGreaterThanOrEqual(0);
  expect(submissions().slice(before).findIndex(isOthers)).toBeLessThanOrEqual(AT_ONCE);

  // Everything else comes to its end, too: nothing was lost, and each was told what became of it.
  service.open();
  expect(textOf(await answer)).toContain(ACCEPTED);
  await Promise.all(reports);
  const texts = await Promise.all(told);
  const sent = texts.filter((text) => text.includes(ACCEPTED)).length;
  expect(sent).toBe(20);
  expect(scene.listing.submitted.length).toBe(5_000 + sent + 1);
}, 120_000);

it('20 presses on a list of 1,000 at once are not in the way of another guild', async () => {
  const scene = await openAppScene({ listing: { keys: [KEY] } });
  onTestFinished(() => scene.close({ breaches: [26] }));
  const [flood, other] = [await inNewGuild(scene, { key: KEY }), await inNewGuild(scene, { key: KEY })];
  const list = () => flood.member.slash('addservers', { file: upload('list.txt', lines(1_000)) });
  await submit(flood.member, await list());
  const preview = await list();
  const [label = ''] = labelsOf(preview);
  expect(label).toBe('Include the 1000 submitted before');
  let answered = 0;
  const presses = Array.from({ length: 20 }, async () => {
    await flood.member.press(messageOf(preview), label);
    answered += 1;
  });
  const answer = other.member.slash('addserver', { game: 'cs2', server: 'other.example.com:27015' });
  expect(textOf(await answer)).toContain(ACCEPTED);
  expect(answered).toBeLessThan(10);
  await Promise.all(presses);
}, 60_000);
