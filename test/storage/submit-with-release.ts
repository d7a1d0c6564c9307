import { join } from 'node:path';
import type { ServerSubmission } from '../../src/listing/contract.ts';

/**
 * Submits the draft with the id `DRAFT` from the database at `STORE_URL`, with the version of the bot in the folder `RELEASE`.
 * Prints the draft's rows and the servers that were sent. The modules
 * have no types here, because the project's own types are those of the current version.
 */
const { RELEASE = '', STORE_URL = '', DRAFT = '' } = process.env;
const load = (path: string) => import(join(RELEASE, 'src', path));

const { createStore } = await load('storage/store.ts');
const { parseStoreUrl } = await load('store-url.ts');
const { createSubmissionStore } = await load('submissions/submission-store.ts');
const { createPipeline } = await load('submissions/pipeline.ts');
const { createGuard } = await load('listing/guard.ts');
const { createBreaker } = await load('listing/breaker.ts');
const { createTurns, createWorkTurns } = await load('turns.ts');
const { Secret } = await load('secret.ts');

const logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const url = parseStoreUrl(STORE_URL);
if (url === undefined) throw new Error('STORE_URL is not valid');
const store = createStore({ url, logger });
await store.start();
const limit = { servers: 1000, seconds: 3600 };
const parts = createSubmissionStore({
  store,
  processId: 'older process',
  days: 365,
  member: limit,
  guild: limit,
  myTurn: createWorkTurns(),
});
const sent: ServerSubmission[] = [];
const pipeline = createPipeline({
  ...parts,
  store,
  keys: {
    usable: async () => ({ key: new Secret('key'), setAt: '' }),
    noteOutcome: async () => undefined,
  },
  settings: {
    getOrThrow: async () => ({ locale: 'en-US', announce: false }),
    change: async () => ({ locale: 'en-US', announce: false }),
  },
  listing: {
    async add(servers: readonly ServerSubmission[]) {
      sent.push(...servers);
      return { kind: 'accepted', message: 'Yes.' };
    },
  },
  guard: createGuard({ turns: createTurns({ maxConcurrent: 1 }), breaker: createBreaker(), firstWaitMs: 1 }),
  demandOwned: async () => undefined,
  showApproval: async () => undefined,
  encryptNotice: async () => null,
  observers: [],
  onKeyChange: async () => undefined,
  longestRequestMs: 60_000,
  logger,
});
const member = { guildId: '1', user: { id: '2', name: 'mia' }, isAdmin: true, roleIds: [] };
const draft = await parts.drafts.find(member, DRAFT);
await pipeline.submit({
  ...member,
  id: DRAFT,
  interactionId: '3',
  receivedAt: Date.now(),
  guildLocale: 'en-US',
  stopping: undefined,
});
await store.stop();
process.stdout.write(JSON.stringify({ draft, sent }));
