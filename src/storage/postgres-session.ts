import { type Kysely, sql } from 'kysely';
import type { ClientConfig } from 'pg';
import type { Secret } from '../secret.ts';
import { StoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/** How long the server works on a statement, in milliseconds: what answers at once must fail within Discord's 3 seconds. */
const STATEMENT_MS = 2_000;
/** How long a server may be silent before its connection is closed, in milliseconds. */
const SILENT_MS = STATEMENT_MS + 500;
/** How long a statement waits for a connection, a new one or one of the pool's, in milliseconds. */
const CONNECT_MS = 2_000;

/** The oldest version that its makers still mend, as `server_version_num` says it. */
const OLDEST_VERSION = 140_000;

/**
 * What the server refuses once it only reads (25006), as after a change of the primary, or is going down (57P01 to
 * 57P05): such a connection is of no use any more (PostgreSQL docs: Error Codes).
 */
export const isOver = (code: string | undefined): boolean => /^(?:25006|57P0\d)$/.test(code ?? '');

export interface SessionOptions {
  readonly url: Secret;
  /** The name under which the server lists it. */
  readonly application: string;
  /** Whether statements may take as long as they need. */
  readonly isUnhurried?: boolean | undefined;
  /** Further settings of this connection alone. */
  readonly settings?: Session['settings'];
}

/** How each connection is made, whatever the defaults of the server, the database and the user are. */
export function sessionConfig(options: SessionOptions): ClientConfig {
  const { url, application, isUnhurried = false, settings = {} } = options;
  const address = new URL(url.reveal());
  const ours = Object.entries({ ...settingsOf(isUnhurried), ...settings }).map(([name, value]) =>
    optionOf(name, value),
  );
  // If a setting stands twice, the last one counts.
  address.searchParams.set('options', [address.searchParams.get('options') ?? '', ...ours].join(' ').trim());
  return {
    connectionString: address.href,
    application_name: application,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    ...(!isUnhurried && { query_timeout: SILENT_MS }),
  };
}

/** In the words in which the server says them. */
function settingsOf(isUnhurried: boolean): Readonly<Record<string, string>> {
  return {
    // After a wait for a guild's lock, a transaction has to read what the one before has written.
    default_transaction_isolation: 'read committed',
    // Transactions that need not be synced switch this off for themselves.
    synchronous_commit: 'on',
    // A machine that has vanished loses its locks of guilds.
    idle_in_transaction_session_timeout: '20s',
    statement_timeout: isUnhurried ? '0' : `${STATEMENT_MS / 1_000}s`,
  };
}

/** A value as an option of the server's command line, where a space would end it. */
const optionOf = (name: string, value: string) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`;

/** What is looked at once, over a connection that was made with {@link sessionConfig}. */
export interface Session {
  readonly version: number;
  readonly encoding: string;
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Looks whether the server can be used, and whether the session is as it was asked for.
 * @param name the database's, as messages call it
 * @throws StoreError saying what to do
 */
export async function checkSession(
  db: Kysely<Tables>,
  { name, isUnhurried }: { readonly name: string; readonly isUnhurried: boolean },
): Promise<void> {
  const wanted = settingsOf(isUnhurried);
  const { rows } = await sql<Session>`
    select current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding,
      (select json_object_agg(name, current_setting(name)) from unnest(${Object.keys(wanted)}::text[]) name) as settings
  `.execute(db);
  const [found] = rows;
  const trouble = found && troubleWith(found, wanted);
  if (trouble) throw new StoreError(`cannot use the database ${name}: ${trouble}`);
}

/** Why a server cannot be used, and what to do. */
export function troubleWith(
  { version, encoding, settings }: Session,
  wanted: Session['settings'],
): string | undefined {
  if (version < OLDEST_VERSION) {
    return `its server is PostgreSQL ${Math.floor(version / 10_000)}, and 14 is the oldest that the bot runs on`;
  }
  if (encoding !== 'UTF8') {
    return `its texts are ${encoding}, in which not every name can be written. Make one with ENCODING 'UTF8' TEMPLATE template0`;
  }
  const other = Object.keys(wanted).find((name) => settings[name] !== wanted[name]);
  if (other === undefined) return undefined;
  return (
    `the bot asks for ${other} = ${wanted[other]}, and the session has ${settings[other]}. Take ${other} out of STORE_URL; a ` +
    'pooler in between has to let settings through'
  );
}
