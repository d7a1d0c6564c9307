import type { $ZodType } from 'zod/v4/core';
import type { UploadedFile } from './body.ts';
import type { Denial } from './denial.ts';

export interface Call {
  /** The named parts of the path, decoded (rule 8: `%40original`). */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly json: unknown;
  readonly files: ReadonlyMap<number, UploadedFile>;
  readonly header: (name: string) => string | undefined;
}

/** An answer: a body is sent as JSON; without one it is a 204-like answer without a content type (rule 6). */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As URLPattern reads it, below `/api/v10`. */
  readonly path: string;
  /** Rule 2: whether the bot token is needed. Interaction routes are open to whoever has the interaction's token. */
  readonly auth: 'bot' | 'none';
  /** Rule 9: routes with the same bucket share a limit, for each value of the `major` part of the path. */
  readonly bucket?: {
    readonly name: string;
    readonly limit: number;
    readonly windowMs: number;
    readonly major: string;
  };
  /** Discord's own schema of the body of a success; `nothing` where there is none. */
  readonly answers: $ZodType | 'nothing';
  readonly handle: (call: Call) => Reply | Denial;
}

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const noContent: Reply = { status: 204 };

export interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Rule 1: the route of a path, or whether it is the path or only the method that is unknown. */
export function createRouter(
  routes: readonly Route[],
): (method: string, path: string) => Found | 'unknown path' | 'unknown method' {
  const patterns = routes.map((route) => ({ route, pattern: new URLPattern({ pathname: route.path }) }));
  return (method, path) => {
    const matches = patterns.flatMap(({ route, pattern }) => {
      const match = pattern.exec({ pathname: path });
      const params = match && decoded(match.pathname.groups);
      return params ? [{ route, params }] : [];
    });
    const found = matches.find(({ route }) => route.method === method);
    return found ?? (matches.length > 0 ? 'unknown method' : 'unknown path');
  };
}

/** Rule 8. `undefined` for what cannot be decoded (`%E0`): no path of Discord's looks so. */
function decoded(groups: Readonly<Record<string, string | undefined>>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(groups).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, decodeURIComponent(value)] as const],
      ),
    );
  } catch {
    return undefined;
  }
}
