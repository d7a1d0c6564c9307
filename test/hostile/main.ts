/**
 * The real bot between both stand-ins, in hostile hands: `npm run hostile -- --mix attacks|fuzz|soak --minutes N --seed N`.
 * `--mix soak --replicas N` lets the soak loose on several processes over one PostgreSQL.
 * Prints what was tried and what came of it, and ends with 1 when anybody was harmed. What is sent depends on the seed
 * alone; what meets what also depends on the machine.
 */
import { parseArgs } from 'node:util';
import { startServer } from '../support/postgres-server.ts';
import { attack } from './attacks.ts';
import { fuzz } from './fuzz.ts';
import { createRandom } from './random.ts';
import { soak } from './soak.ts';
import { createVerdict } from './verdict.ts';

/** Milliseconds of the bot's own processor time that are harm. */
const LONGEST_STALLS = {
  // Far above what is wanted (100 ms) and what a machine with other work explains.
  attacks: 1_500,
  // What nobody notices.
  fuzz: 100,
  // Every start is a stall.
  soak: Number.POSITIVE_INFINITY,
};

const { values, positionals } = parseArgs({
  options: {
    mix: { type: 'string', default: 'attacks' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Of a soak: several processes over HTTP and PostgreSQL, behind a load balancer. */
    replicas: { type: 'string' },
  },
  // Of the attacks, only such as have one of these in their name are waged.
  allowPositionals: true,
});
const { mix, seed } = values;
const say = (line: string) => process.stdout.write(`${line}\n`);
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new RangeError('--minutes must be a number above 0');
if (!(mix === 'attacks' || mix === 'fuzz' || mix === 'soak')) {
  throw new RangeError('--mix must be attacks, fuzz or soak');
}

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
const isWanted = (name: string) =>
  positionals.length === 0 || positionals.some((text) => name.toLowerCase().includes(text.toLowerCase()));
if (mix === 'attacks') await attack({ verdict, over, isWanted, say });
if (mix === 'fuzz') await fuzz({ verdict, random, until });
if (mix === 'soak') {
  const replicas = server && { count: Number(values.replicas), server };
  await soak({ verdict, random, over, say, replicas });
}
await server?.stop();
// Whoever still waits for an answer would keep this process alive.
process.exit(verdict.print(say));
