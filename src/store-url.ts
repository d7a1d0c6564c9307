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

/** A file of SQLite. */
export function sqliteAt(path: string): StoreUrl & { readonly kind: 'sqlite' } {
  return { kind: 'sqlite', name: `sqlite://${path}`, path };
}
