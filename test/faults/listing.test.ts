import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Mode } from '../../sandbox/listing/modes.ts';
import { ACCEPTED, addServer } from '../support/actions.ts';
import { eventually } from '../support/eventually.ts';
import { inNewGuild, openAppScene, type Scene, textOf } from '../support/scene.ts';
import { readStored } from '../support/stored.ts';

/* Every way of the service to fail is in test/listing/client.test.ts; here is what the whole bot makes of three of them. */

interface Fault {
  readonly what: string;
  readonly mode: Mode;
  /** What the member reads. */
  readonly saw: RegExp;
  /** How many requests reached the service whole, and how often it holds the server in the end. */
  readonly received: number;
  readonly holds: number;
  /** How it ended by the record. */
  readonly ended: 'not-sent' | 'unknown';
}

const unknown = { received: 1, ended: 'unknown' } as const;
/** Why it is unknown, as the member reads it. */
const because = (why: string) => new RegExp(`❓ Unknown\\. ${why} It may have arrived: check the list`);

const FAULTS: readonly Fault[] = [
  {
    what: 'refuses connections',
    mode: { kind: 'down' },
    saw: /⚠️ Not sent\. The listing service could not be reached\. You can safely try again/,
    received: 0,
    holds: 0,
    ended: 'not-sent',
  },
  {
    what: 'answers when nobody waits any more',
    mode: { kind: 'slow', ms: 3_000 },
    ...unknown,
    saw: because('The listing service did not answer in time\\.'),
    holds: 1,
  },
  {
    what: 'acts, and its answer is lost',
    mode: { kind: 'reset', carriedOut: true },
    ...unknown,
    saw: because('The connection to the listing service broke off\\.'),
    holds: 1,
  },
];

describe('a listing service that', () => {
  /** One bot for all of them, and a guild of its own for each. */
  let bot: Scene;
  let scene: Scene;
  beforeAll(async () => {
    bot = await openAppScene({ env: { LISTING_API_TIMEOUT_MS: '1500' } });
  });
  beforeEach(async () => {
    scene = await inNewGuild(bot, { key: 'sandbox-key' });
  });
  afterAll(() => bot.close());

  it.each(FAULTS)('$what', async ({ mode, saw, received, holds, ended }) => {
    const { member } = scene;
    const server = `${ended}-${mode.kind}.example.com`.toLowerCase();
    const since = bot.listing.requests.length;
    await bot.listing.behave(mode);
    const said = textOf(await addServer(member, `${server}:27015`));
    await bot.listing.behave({ kind: 'ok' });

    expect(said).toMatch(saw);
    expect(said).toContain(`Counter-Strike 2 — ${server}:27015`);
    const sent = bot.listing.requests.slice(since).map(({ action, servers }) => ({ action, servers }));
    const request = { action: 'add', servers: [{ server, port: '27015', game: 'cs2' }] };
    expect(sent).toEqual(Array(received).fill(request));
    await eventually(() => bot.listing.submitted.filter((each) => each.server === server).length, holds);
    await eventually(() => readStored(bot.data).unfinished, []);
    expect(readStored(bot.data).ended(member.guildId, server)).toEqual([ended]);

    const other = await inNewGuild(bot, { key: 'sandbox-key' });
    expect(textOf(await addServer(other.member, 'next.example.com:1'))).toContain(ACCEPTED);
  });
});
