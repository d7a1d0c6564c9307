import { expect, it, onTestFinished } from 'vitest';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { oneBot, ownBotTest, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  adds,
  addsOf,
  labelsOf,
  lines,
  pressSubmit,
  sendFile,
} from '../support/people.ts';

const KEY = 'sandbox-key';
const AT_ONCE = 4;

/** Creates a service that holds all submissions until the test releases them, starting with the oldest. */
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

it("five long lists and 60 commands from one member don't delay another guild", async () => {
  const service = heldService();
  const bot = await oneBot({
    env: { LISTING_REQUESTS_AT_ONCE: String(AT_ONCE), LISTING_API_TIMEOUT_MS: '60000' },
    listing: { keys: [KEY], onRequest: service.onRequest },
  });
  onTestFinished(service.open);
  const [flood, other, ...withLists] = await Promise.all(
    Array.from({ length: 7 }, () => bot.newGuild({ key: KEY })),
  );
  if (!flood || !other) throw new Error('there are seven guilds');
  const previews: { readonly member: Person; readonly preview: Answer }[] = [];
  // The bot parses one list per member at a time.
  for (const { member } of withLists) previews.push({ member, preview: await sendFile(member, lines(300)) });
  const reports = previews.map(({ member, preview }) => pressSubmit(member, preview));
  await expect.poll(() => service.held.length).toBe(AT_ONCE);
  // Twenty of the member's commands wait. The bot rejects the other 40 immediately.
  const answered: string[] = [];
  const singles = Array.from({ length: 60 }, async (_, n) => {
    answered.push(textOf(await addServer(flood.member, `flood-${n}.example.com:27015`)));
  });
  await expect.poll(() => answered.length).toBe(40);

  const before = adds(bot).length;
  const answer = addServer(other.member, 'other.example.com:27015');
  // The command is now waiting for its turn.
  const reserved = "SELECT 1 FROM servers WHERE host = 'other.example.com' AND reserved_at IS NOT NULL";
  await expect.poll(async () => (await bot.store.rows(reserved)).length).toBe(1);
  // Each response allows one more request.
  while (addsOf(bot, 'other.example.com').length === 0 && adds(bot).length - before <= 3 * AT_ONCE) {
    const came = adds(bot).length;
    service.held.shift()?.();
    await expect.poll(() => adds(bot).length, { interval: 5 }).toBeGreaterThan(came);
  }
  const hosts = adds(bot)
    .slice(before)
    .map(({ servers }) => servers[0]?.server);
  expect(hosts.indexOf('other.example.com')).toBeGreaterThanOrEqual(0);
  expect(hosts.indexOf('other.example.com')).toBeLessThanOrEqual(AT_ONCE);

  // All other submissions also finish and get an outcome.
  service.open();
  expect(textOf(await answer)).toContain(ACCEPTED);
  await Promise.all([...reports, ...singles]);
  expect(answered.filter((text) => text.includes(ACCEPTED))).toHaveLength(20);
  expect(bot.listing.submitted).toHaveLength(5 * 300 + 20 + 1);
});

ownBotTest()(
  "twenty simultaneous lists of 1,000 servers don't delay another guild",
  async ({ bot, guild: flood }) => {
    const other = await bot.newGuild({ key: KEY });
    await pressSubmit(flood.member, await sendFile(flood.member, lines(1_000)));
    const label = 'Include 1,000 already submitted';
    const previews: (readonly [Person, Answer])[] = [];
    for (const person of [flood.member, flood.admin]) {
      for (let n = 0; n < 10; n += 1) previews.push([person, await sendFile(person, lines(1_000))]);
    }
    const pressed = () => bot.log().filter(({ type }) => type === 'component').length;
    const before = pressed();
    for (const [person, preview] of previews) void person.press(preview, label);
    const answer = addServer(other.member, 'other.example.com:27015');
    expect(textOf(await answer)).toContain(ACCEPTED);
    // By then, typically 7 to 8 lists have their reply (measured). turns.test.ts checks the order of the turns.
    expect(pressed() - before).toBeLessThan(15);
    await expect.poll(() => pressed() - before).toBe(20);
    for (const [, preview] of previews) expect(labelsOf(preview)).toContain('Skip 1,000 already submitted');
  },
);
