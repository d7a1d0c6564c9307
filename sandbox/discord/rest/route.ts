import type { $ZodType } from 'zod/v4/core';
import type { UploadedFile } from './body.ts';
import type { Denial } from './denial.ts';

export interface Call {
  /** The path's parameters. They're decoded, because discord.js sends `%40original`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly json: unknown;
  readonly files: readonly UploadedFile[];
}

/** A response, which only has a content type if it has a body. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** The path after `/api/v10`, with parameters such as `:guild`. */
  readonly path: string;
  /** Whether the request needs the bot's token. Interaction routes only need the interaction's token. */
  readonly auth: 'bot' | 'none';
  /** Routes with the same bucket share a limit for each value of the `major` parameter. */
  readonly bucket?: Bucket;
  /** Discord's published schema for a successful response. */
  readonly answers: $ZodType;
  readonly handle: (call: Call) => Reply | Denial;
}

export interface Bucket {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly major: string;
}

export const ok = (body: unknown): Reply => ({ status: 200, body });

export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export function createRouter(
  routes: readonly Route[],
): (method: string, path: string) => RouteMatch | undefined {
  const patterns = routes.map((route) => ({
    route,
    // A URLPattern takes much longer.
    pattern: new RegExp(`^${route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  }));
  return (method, path) => {
    for (const { route, pattern } of patterns) {
      const match = route.method === method ? pattern.exec(path) : null;
      if (match === null) continue;
      const params = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decoded(value)]);
      return { route, params: Object.fromEntries(params) };
    }
    return undefined;
  };
}

/** Decodes part of a path. Returns invalid text such as `%E0` unchanged, because it won't match any id. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
