import { Secret } from './secret.ts';

/** The location of the data, from `STORE_URL`. `name` is safe to log: it contains neither user nor password. */
export type StoreUrl =
  | { readonly kind: 'sqlite'; readonly name: string; readonly path: string }
  | { readonly kind: 'postgres'; readonly name: string; readonly url: Secret };

const SQLITE = /^sqlite:\/\/[^?#]*[^?#/]$/;
const POSTGRES = /^postgres(?:ql)?:\/\//;
/** A single name. A second slash or an "@" belongs to a password that wasn't percent-encoded. */
const DATABASE = /^\/[^/@]+$/;

/**
 * Parses a `STORE_URL`; returns `undefined` for anything else. `sqlite://data/bot.sqlite` is relative to the working
 * directory, `sqlite:///var/lib/bot.sqlite` is absolute. `postgres://user:password@host/database` can have parameters such
 * as `?sslmode=require`.
 */
export function parseStoreUrl(text: string): StoreUrl | undefined {
  if (SQLITE.test(text) && !text.includes(':memory:')) return sqliteAt(text.slice('sqlite://'.length));
  if (!POSTGRES.test(text) || !URL.canParse(text)) return undefined;
  const { host, pathname } = new URL(text);
  if (!DATABASE.test(pathname)) return undefined;
  return { kind: 'postgres', name: `postgres://${host}${pathname}`, url: new Secret(text) };
}

export function sqliteAt(path: string): StoreUrl & { readonly kind: 'sqlite' } {
  return { kind: 'sqlite', name: `sqlite://${path}`, path };
}

export type PostgresUrl = Pick<StoreUrl & { readonly kind: 'postgres' }, 'url' | 'name'>;

/** Hosts that are reached without a network. The path of a Unix socket begins with a slash. */
const HERE = /^(?:|localhost|127(?:\.\d{1,3}){3}|\[::1\]|%2f.*|\/.*)$/i;
/** Parameters that determine whether the connection is encrypted. `sslmode=disable` deliberately turns it off. */
const TLS_PARAMETERS = ['sslmode', 'ssl', 'sslcert', 'sslrootcert', 'sslnegotiation'];

/** Returns a warning if the connection to a PostgreSQL server is unencrypted; otherwise `undefined`. */
export function clearTextWarning({ url, name }: PostgresUrl): string | undefined {
  const { hostname, searchParams } = new URL(url.reveal());
  const isHere = HERE.test(searchParams.get('host') ?? hostname);
  if (isHere || TLS_PARAMETERS.some((parameter) => searchParams.has(parameter))) return undefined;
  return (
    `the connection to ${name} is not encrypted: append ?sslmode=verify-full to STORE_URL, or ?sslmode=disable if ` +
    'only you use the network'
  );
}
