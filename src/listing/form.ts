import type { Secret } from '../secret.ts';
import type { ServerSubmission } from './contract.ts';

/**
 * How an element of `servers` is told from the next.
 * - `brackets`: `servers[][server]`, the form of the specification (§4). Rack begins a new element when a field
 *   repeats in the current one; PHP and Node's `qs` do not, and read something else from several servers.
 * - `indices`: `servers[0][server]`, for a service that needs it.
 */
export type ArrayFormat = 'brackets' | 'indices';

/** The form of `action=add`. The result holds the key in clear: it is for the wire only. */
export function encodeAdd(servers: readonly ServerSubmission[], key: Secret, format: ArrayFormat): string {
  const form = new URLSearchParams({ api_key: key.reveal(), action: 'add' });
  for (const [index, { server, port, queryPort, game }] of servers.entries()) {
    const field = (name: string) => `servers[${format === 'indices' ? index : ''}][${name}]`;
    // `server` is in every element and comes first, so that a reader of `[]` sees where an element begins.
    form.append(field('server'), server);
    form.append(field('port'), String(port));
    if (queryPort !== undefined && queryPort !== port) form.append(field('query_port'), String(queryPort));
    form.append(field('game'), game);
  }
  return form.toString();
}

/** The form of `action=games`. The result holds the key in clear: it is for the wire only. */
export function encodeGames(key: Secret): string {
  return new URLSearchParams({ api_key: key.reveal(), action: 'games' }).toString();
}
