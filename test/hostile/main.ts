/**
 * Attacks the real bot with stand-ins for Discord and the listing service: `npm run hostile -- --mix fuzz|soak --minutes N
 * --seed N`. `--mix soak --replicas N` runs several processes that share one PostgreSQL server. Prints the cases tried and
 * their results, and exits with status 1 if there was any harm. The seed determines the input, but not the timing.
 */
import { parseArgs } from 'node:util';
import { startServer } from '../support/postgres-server.ts';
import { fuzz } from './fuzz.ts';
import { createRandom } from './random.ts';
import { soak } from './soak.ts';
import { createVerdict } from './verdict.ts';

/** The bot's maximum processor time during a stall, in milliseconds. */
const LONGEST_STALLS = {
  // Other users wait at most this long. On an idle machine, a single text can stall the bot for 100 ms.
  fuzz: 250,
  // No limit, because the bot stalls every time it starts.
  soak: Number.POSITIVE_INFINITY,
};

const { values } = parseArgs({
  options: {
    mix: { type: 'string', default: 'fuzz' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** The number of processes in a soak test with HTTP, PostgreSQL and a load balancer. */
    replicas: { type: 'string' },
  },
});
const { mix, seed } = values;
const say = (line: string) => process.stdout.write(`${line}\n`);
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new RangeError('--minutes must be a number above 0');
if (!(mix === 'fuzz' || mix === 'soak')) throw new RangeError('--mix must be fuzz or soak');

const server = values.replicas === undefined ? undefined : await startServer();
if (values.replicas !== undefined && server === undefined) {
  say('PostgreSQL is not installed: --replicas cannot run without it (apt-get install postgresql)');
  process.exit(1);
}

say(`seed: ${seed}`);
const random = createRandom(seed);
const verdict = createVerdict(LONGEST_STALLS[mix]);
const until = Date.now() + minutes * 60_000;
const over = AbortSignal.timeout(Math.ceil(minutes * 60_000));
if (mix === 'fuzz') await fuzz({ verdict, random, until });
if (mix === 'soak') {
  const replicas = server && { count: Number(values.replicas), server };
  // If the seed is even, the bot looks up game servers.
  await soak({ verdict, random, over, say, serverLookup: Number(seed) % 2 === 0, replicas });
}
await server?.stop();
// Users who are still waiting for a reply would keep this process alive.
process.exit(verdict.print(say));
