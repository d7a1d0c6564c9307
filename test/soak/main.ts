import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ListingRequest } from '../../sandbox/listing/stand-in.ts';
import type { Role } from '../../sandbox/people.ts';
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { readStored } from '../support/stored.ts';
import { createMembers } from './members.ts';
import { createRandom } from './random.ts';
import { createRefusals, createTrouble } from './trouble.ts';
import { CLAIMS, claimOf, judge } from './verdict.ts';

/** Discord gives an answer 15 minutes; what the bot tries again pauses for up to a minute. */
const PATIENCE_MS = 100_000;

/** Of each harm: a list that goes wrong is a hundred cases of the same. */
const SHOWN_CASES = 20;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '2' }, seed: { type: 'string' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new RangeError('--minutes must be a number above 0');
const seed = values.seed ?? String(Date.now() % 1_000_000);
const random = createRandom(seed);
const say = (line: string) => process.stdout.write(`${line}\n`);

say(`seed: ${seed}`);
const refusals = createRefusals(random.of('refusals'));
const sandbox = await openSandbox({
  surroundings: process.env,
  env: {
    // Short, so that many a submission ends so; and no limits, since this is about what is sent.
    LISTING_API_TIMEOUT_MS: '1500',
    MEMBER_LIMIT: '1000000/3600',
    GUILD_LIMIT: '1000000/3600',
  },
  listing: { onRequest: refusals.onRequest },
});
sandbox.watch((event) => {
  if (event.kind !== 'bot' || event.state !== 'crashed') return;
  process.stderr.write(`the bot ended by itself:\n${event.exit.lastWords.join('\n')}\n`);
  process.exit(1);
});
const status = await soak(sandbox);
await sandbox.close();
// Whoever still waits for an answer would keep this process alive.
process.exit(status);

async function soak({ discord, listing, bot, people, data, startBot }: Sandbox): Promise<0 | 1> {
  await startBot();
  const members = createMembers();
  const everybody = discord.guilds.flatMap((guild) =>
    (['admin', 'member', 'other'] satisfies Role[]).map((role) =>
      people.at({ role, guild, locale: 'en-US' }),
    ),
  );
  for (const admin of everybody.filter(({ name }) => name === 'admin')) await members.setKey(admin);
  const atStart = memoryOf(bot.pid);

  const over = AbortSignal.timeout(minutes * 60_000);
  const trouble = createTrouble(sandbox);
  await Promise.all([
    trouble.make(random.of('trouble'), over),
    ...everybody.map((person) =>
      members.live(
        person,
        random.of(`${person.name} ${discord.guilds.findIndex(({ id }) => id === person.guildId)}`),
        over,
      ),
    ),
  ]);
  await members.answered(PATIENCE_MS);
  members.readAgain();
  const atEnd = memoryOf(bot.pid);
  await finished(data);
  await bot.stop();

  const stored = readStored(data);
  const verdict = judge({
    asks: members.asks,
    received: serversIn(listing.requests.filter(({ action }) => action === 'add')),
    turnedDown: serversIn([...refusals.refused].filter(({ servers }) => servers.length > 1)),
    held: listing.submitted.map(({ server }) => server),
    isInHistory: (guildId, server) =>
      stored.ended(guildId, server).some((outcome) => outcome === 'accepted' || outcome === 'unknown'),
  });
  const lost = [...verdict.lost, ...stored.unfinished.map((key) => `left in the store: ${key}`)];
  const harms = [
    ['lost', lost],
    ['sent twice', verdict.sentTwice],
    ['told wrongly', verdict.toldWrongly],
    ['left thinking', verdict.leftThinking],
  ] as const;

  say(`commands: ${members.commands()}`);
  const pressed = [...members.presses].filter(([label]) => !/\d game servers/.test(label));
  say(`presses: ${pressed.map(([label, times]) => `${label} ${times}`).join(', ')}`);
  say(`faults: ${trouble.faults() + refusals.refused.size}`);
  say(`restarts: ${trouble.restarts()}`);
  for (const [name, cases] of harms) say(`${name}: ${cases.length}`);
  const told = members.asks.flatMap(({ words }) => (words === undefined ? [] : [claimOf(words)]));
  const counts = CLAIMS.map((claim) => `${claim} ${told.filter((each) => each === claim).length}`);
  say(`answers: ${counts.join(', ')}`);
  say(`memory at start: ${atStart}`);
  say(`memory at end: ${atEnd}`);
  for (const [name, cases] of harms)
    for (const about of cases.slice(0, SHOWN_CASES)) process.stderr.write(`${name}: ${about}\n`);
  return harms.every(([, cases]) => cases.length === 0) ? 0 : 1;
}

/** What nobody waits for, such as an answer that Discord has lost, is still tried again for a while. */
async function finished(data: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (readStored(data).unfinished.length > 0 && Date.now() < until) await sleep(500);
}

function serversIn(requests: readonly ListingRequest[]): readonly string[] {
  return requests.flatMap(({ servers }) => servers.map(({ server = '' }) => server));
}

/** What the process holds in the machine's memory, as Linux tells it. */
function memoryOf(pid: number | undefined): string {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return `${Math.round(Number(kib) / 1024)} MiB`;
  } catch {
    return 'not known on this system';
  }
}
