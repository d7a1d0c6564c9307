/**
 * The real bot between both stand-ins, in hostile hands: `npm run hostile -- --mix fuzz|soak --minutes N --seed N`.
 * `--mix soak --replicas N` lets the soak loose on several processes over one PostgreSQL.
 * Prints what was tried and what came of it, and ends with 1 when anybody was harmed. What is sent depends on the seed
 * alone; what meets what also depends on the machine.
 */
import { parseArgs } from 'node:util';
import { startServer } from '../support/postgres-server.ts';
import { fuzz } from './fuzz.ts';
import { createRandom } from './random.ts';
import { soak } from './soak.ts';
import { createVerdict } from './verdict.ts';

/** Milliseconds of the bot's own processor time that are harm. */
const LONGEST_STALLS = {
  // What others may wait for a first response. On a quiet machine a text takes up to 100.
  fuzz: 250,
  // Every start is a stall.
  soak: Number.POSITIVE_INFINITY,
};

const { values } = parseArgs({
  options: {
    mix: { type: 'string', default: 'fuzz' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Of a soak: several processes over HTTP and PostgreSQL, behind a load balancer. */
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
  await soak({ verdict, random, over, say, replicas });
}
await server?.stop();
// Whoever still waits for an answer would keep this process alive.
process.exit(verdict.print(say));
