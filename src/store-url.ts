import { Secret } from './text/secret.ts';

/** The location of the data, from `STORE_URL`. `name` is safe to log: it contains neither the user nor the password. */
export type StoreUrl =
  | { readonly kind: 'sqlite'; readonly name: string; readonly path: string }
  | { readonly kind: 'postgres'; readonly name: string; readonly url: Secret };

const SQLITE = /^sqlite:\/\/[^?#]*[^?#/]$/;
const POSTGRES = /^postgres(?:ql)?:\/\//;
/** A path with a single component. A second slash or an "@" would mean that the password isn't percent-encoded. */
const DATABASE = /^\/[^/@]+$/;

/**
 * Parses a `STORE_URL`. Returns `undefined` if it isn't valid. `sqlite://data/bot.sqlite` is relative to the working
 * directory, and `sqlite:///var/lib/bot.sqlite` is absolute. `postgres://user:password@host/database` can have parameters
 * such as `?sslmode=require`.
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

/** The path of a Unix socket begins with a slash. */
const LOCAL_HOST = /^(?:|localhost|127(?:\.\d{1,3}){3}|\[::1\]|%2f.*|\/.*)$/i;
/** Even `sslmode=disable` prevents the warning, because it turns encryption off on purpose. */
const TLS_PARAMETERS = ['sslmode', 'ssl', 'sslcert', 'sslrootcert', 'sslnegotiation'];

export function clearTextWarning({ url, name }: PostgresUrl): { text: string; fix: string } | undefined {
  const { hostname, searchParams } = new URL(url.reveal());
  const isLocal = LOCAL_HOST.test(searchParams.get('host') ?? hostname);
  if (isLocal || TLS_PARAMETERS.some((parameter) => searchParams.has(parameter))) return undefined;
  return {
    text: `the connection to ${name} is not encrypted`,
    fix: 'append ?sslmode=verify-full to STORE_URL, or ?sslmode=disable if only you use the network',
  };
}
