import { type Kysely, sql } from 'kysely';
import type { ClientConfig } from 'pg';
import type { Secret } from '../text/secret.ts';
import { StoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/** After a timeout, the bot must still reply within 3 seconds. */
const STATEMENT_TIMEOUT_MS = 2_000;
/** If the server doesn't respond in this time, the connection is closed. */
const RESPONSE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 500;
/** How long a statement waits for a connection from the pool. */
const CONNECTION_TIMEOUT_MS = 2_000;

const MIN_SERVER_VERSION_NUM = 140_000;

/**
 * Recognises that the server has become read-only (25006), for example after a failover, or is shutting down (57P01 to
 * 57P05; see PostgreSQL docs: Error Codes).
 */
export const isConnectionUnusableAfter = (code: string | undefined): boolean =>
  /^(?:25006|57P0\d)$/.test(code ?? '');

export interface SessionOptions {
  readonly url: Secret;
  readonly applicationName: string;
  /** Whether to run statements without a time limit. */
  readonly isUnhurried?: boolean | undefined;
  readonly settings?: SessionProperties['settings'];
}

/** Returns a connection's configuration, which overrides the defaults of the server, the database and the user. */
export function sessionConfig(options: SessionOptions): ClientConfig {
  const { url, applicationName, isUnhurried = false, settings = {} } = options;
  const address = new URL(url.reveal());
  const ours = Object.entries({ ...settingsOf(isUnhurried), ...settings }).map(([name, value]) =>
    optionOf(name, value),
  );
  // Adds the bot's options at the end, because the last value of a repeated setting wins.
  address.searchParams.set('options', [address.searchParams.get('options') ?? '', ...ours].join(' ').trim());
  return {
    connectionString: address.href,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    ...(!isUnhurried && { query_timeout: RESPONSE_TIMEOUT_MS }),
  };
}

/** Formats the settings as the server reports them. */
function settingsOf(isUnhurried: boolean): Readonly<Record<string, string>> {
  return {
    // A transaction that has waited for a guild's lock must see the previous transaction's changes.
    default_transaction_isolation: 'read committed',
    // Transactions that don't need to survive a power failure turn this off.
    synchronous_commit: 'on',
    // Releases guild locks held by a machine that has disappeared.
    idle_in_transaction_session_timeout: '20s',
    statement_timeout: isUnhurried ? '0' : `${STATEMENT_TIMEOUT_MS / 1_000}s`,
  };
}

const optionOf = (name: string, value: string) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`;

export interface SessionProperties {
  readonly version: number;
  readonly encoding: string;
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Checks that the server is supported and has applied the requested settings to the session.
 * @throws StoreError with instructions for the operator
 */
export async function checkSession(
  db: Kysely<Tables>,
  { name, isUnhurried }: { readonly name: string; readonly isUnhurried: boolean },
): Promise<void> {
  const wanted = settingsOf(isUnhurried);
  const { rows } = await sql<SessionProperties>`
    select current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding,
      (select json_object_agg(name, current_setting(name)) from unnest(${Object.keys(wanted)}::text[]) name) as settings
  `.execute(db);
  const [found] = rows;
  const trouble = found && troubleWith(found, wanted);
  if (trouble) throw new StoreError(`cannot use the database ${name}: ${trouble}`);
}

/** Returns why a server can't be used and how to fix that, or `undefined` if the server can be used. */
export function troubleWith(
  { version, encoding, settings }: SessionProperties,
  wanted: SessionProperties['settings'],
): string | undefined {
  if (version < MIN_SERVER_VERSION_NUM) {
    return `its server is PostgreSQL ${Math.floor(version / 10_000)}, and the bot needs 14 or newer`;
  }
  if (encoding !== 'UTF8') {
    return `its encoding is ${encoding}, which can't store every name. Create one with ENCODING 'UTF8' TEMPLATE template0`;
  }
  const other = Object.keys(wanted).find((name) => settings[name] !== wanted[name]);
  if (other === undefined) return undefined;
  return (
    `the bot requests ${other} = ${wanted[other]}, but the session has ${settings[other]}. Remove ${other} from STORE_URL; a ` +
    'connection pooler must pass settings through'
  );
}
