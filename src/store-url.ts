import { Secret } from './secret.ts';

/** Where data is kept, as `STORE_URL` says. `name` is what a log may show: it has no user and no password. */
export type StoreUrl =
  | { readonly kind: 'sqlite'; readonly name: string; readonly path: string }
  | { readonly kind: 'postgres'; readonly name: string; readonly url: Secret };

const SQLITE = /^sqlite:\/\/[^?#]*[^?#/]$/;
const POSTGRES = /^postgres(?:ql)?:\/\//;
/** One name. A second slash or an "@" is of a password that was not percent-encoded. */
const DATABASE = /^\/[^/@]+$/;

/**
 * `sqlite://data/bot.sqlite` is relative to the working directory, `sqlite:///var/lib/bot.sqlite` is absolute;
 * `postgres://user:password@host/database`, with `?sslmode=require` and the like. `undefined` for anything else.
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

/** Hosts that no network is between. A name of Unix's sockets begins with a slash. */
const HERE = /^(?:|localhost|127(?:\.\d{1,3}){3}|\[::1\]|%2f.*|\/.*)$/i;
/** Parameters that say whether the connection is encrypted; `sslmode=disable` says that it is not, on purpose. */
const TLS_PARAMETERS = ['sslmode', 'ssl', 'sslcert', 'sslrootcert', 'sslnegotiation'];

/** What an operator has to know of a server of PostgreSQL that is spoken to in clear; `undefined` where there is nothing. */
export function clearTextWarning({ url, name }: PostgresUrl): string | undefined {
  const { hostname, searchParams } = new URL(url.reveal());
  const isHere = HERE.test(searchParams.get('host') ?? hostname);
  if (isHere || TLS_PARAMETERS.some((parameter) => searchParams.has(parameter))) return undefined;
  return (
    `${name} is spoken to without encryption: put ?sslmode=verify-full behind STORE_URL, or ?sslmode=disable where ` +
    'the network is yours alone'
  );
}
