import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError, readDataConfig } from '../config/config.ts';
import { isDiscordId } from '../config/fields.ts';
import { createStore } from '../storage/store.ts';
import { reason, StoreError } from '../storage/store-error.ts';
import { codeOf } from '../text/error-code.ts';
import { createStoredData, type FoundData, type Subject } from './stored-data.ts';
import { readArguments, runTool } from './tool.ts';

const ACTIONS = 'show, "export FILE" or "delete --yes"';
const HOW =
  'specify an id and an action: npm run data -- guild ID ACTION, or npm run data -- member ID ACTION. The actions are ' +
  ACTIONS;

const WHY_KEPT = {
  guild: 'These count towards a limit, and are deleted once no limit needs them.',
  member:
    'Only the id is kept: in servers and key_trials until no limit needs it, and in blocks until the member is unblocked.',
};

interface Request extends Subject {
  readonly action: 'show' | 'export' | 'delete';
  readonly file: string;
  readonly isConfirmed: boolean;
}

/** Shows, exports or deletes everything that is stored about a guild or a member, even while a bot is using the database. */
await runTool('data', async (logger) => {
  const { action, file, isConfirmed, ...subject } = readRequest();
  const { kind, id } = subject;
  const config = readDataConfig(process.env);
  const { storeUrl: url } = config;
  if (url.kind === 'sqlite' && !existsSync(url.path)) {
    throw new StoreError(`there is no database at ${url.path}`);
  }
  const store = createStore({ url, logger, isUnhurried: true, mayMigrate: false });
  await store.start();
  try {
    const data = createStoredData({ store, config, logger });
    const found = await data.find(subject);
    const blockedBy = blockingVariables(subject, config);
    print(`Stored about ${kind} ${id}:`, ...countLines(found));
    if (blockedBy.length > 0) print(`Blocked by ${blockedBy.join(' and ')}, which this tool doesn't change.`);
    if (action === 'export') {
      await writePrivately(file, { [kind]: id, exportedAt: new Date().toISOString(), blockedBy, ...found });
      print(`Exported to ${file}. Only the file's owner can read it.`);
    }
    if (action !== 'delete') return;
    if (!isConfirmed) {
      print('Nothing was deleted. To delete it, repeat the command with --yes.');
      return;
    }
    await data.delete(subject);
    const kept = await data.find(subject);
    print('Deleted. Still stored:', ...countLines(kept), ...(isEmpty(kept) ? [] : [WHY_KEPT[kind]]));
  } finally {
    await store.stop();
  }
});

/** @throws ConfigError that names the first invalid argument */
function readRequest(): Request {
  const { positionals, flags } = readArguments(HOW, { minArguments: 2, maxArguments: 4, flags: ['yes'] });
  const [kind = '', id = '', action, given] = positionals;
  const isConfirmed = flags.includes('yes');
  if (kind !== 'guild' && kind !== 'member') {
    throw new ConfigError(`the first argument must be guild or member, and is ${JSON.stringify(kind)}`);
  }
  if (!isDiscordId(id)) {
    throw new ConfigError(
      `${JSON.stringify(id)} isn't the id of a ${kind}: an id has 17 to 20 digits, such as 123456789012345678. ` +
        '"Block a member or Discord server" in docs/tasks.md explains how to copy it',
    );
  }
  if (action === undefined) throw new ConfigError(`the action is missing after the id: use ${ACTIONS}`);
  if (action !== 'show' && action !== 'export' && action !== 'delete') {
    throw new ConfigError(`${JSON.stringify(action)} isn't an action: use ${ACTIONS}`);
  }
  if (given !== undefined && action !== 'export') {
    throw new ConfigError(`${action} doesn't accept ${JSON.stringify(given)}: only export accepts a file`);
  }
  if (isConfirmed && action !== 'delete') {
    throw new ConfigError(`${action} doesn't accept --yes: only delete does`);
  }
  return { kind, id, action, file: resolve(given ?? `${kind}-${id}.json`), isConfirmed };
}

function blockingVariables(
  { kind, id }: Subject,
  { allowedGuilds, blockedGuilds, blockedUsers }: ReturnType<typeof readDataConfig>,
): readonly string[] {
  if (kind === 'member') return blockedUsers?.includes(id) ? ['BLOCKED_USERS'] : [];
  return [
    ...(allowedGuilds?.includes(id) === false ? ['ALLOWED_GUILDS'] : []),
    ...(blockedGuilds?.includes(id) ? ['BLOCKED_GUILDS'] : []),
  ];
}

function countLines(found: FoundData): readonly string[] {
  if (isEmpty(found)) return ['  nothing'];
  const countOf = ([kind, rows]: readonly [string, readonly object[]]) => `${rows.length} ${kind}`;
  const lineOf = (place: string, records: FoundData['everywhere']) =>
    `  ${place}: ${Object.entries(records).map(countOf).join(', ')}`;
  return [
    ...Object.entries(found.guilds).map(([guildId, records]) => lineOf(`guild ${guildId}`, records)),
    ...(Object.keys(found.everywhere).length > 0 ? [lineOf('in no guild', found.everywhere)] : []),
  ];
}

function isEmpty({ guilds, everywhere }: FoundData): boolean {
  return Object.keys(guilds).length + Object.keys(everywhere).length === 0;
}

/**
 * Writes JSON to a new file that only its owner can read.
 * @throws StoreError if the file exists or can't be written; a partial file is removed
 */
async function writePrivately(file: string, content: object): Promise<void> {
  if (existsSync(file)) throw new StoreError(`${file} already exists: choose another file`);
  try {
    await writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') await rm(file, { force: true });
    throw new StoreError(`could not write ${file}: ${reason(cause)}`, { cause });
  }
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
