import { z } from 'zod';
import { type AddressProblem, parseAddress } from '../addresses/address.ts';
import { MAX_NAME_LENGTH } from '../addresses/host.ts';
import { checkPort, HIGHEST_PORT, LOWEST_PORT, usualPort } from '../addresses/ports.ts';
import type { ServerSubmission } from '../listing/contract.ts';

const portSchema = z.int().min(LOWEST_PORT).max(HIGHEST_PORT);

/** A submission that was valid when it was made: what comes back from the store is checked with it. */
export const submissionSchema = z.object({
  server: z.string().min(1).max(MAX_NAME_LENGTH),
  port: portSchema,
  queryPort: z.exactOptional(portSchema),
  game: z.string().min(1),
}) satisfies z.ZodType<ServerSubmission>;

/** What a person typed for one server. `game` is an alias that was looked up before. */
interface TypedSubmission {
  readonly server: string;
  readonly port?: number;
  readonly queryPort?: number;
  readonly game: string;
}

export type SubmissionProblem =
  | AddressProblem
  | { readonly code: 'game-missing' }
  /** The port behind the host and the one given beside it differ. */
  | { readonly code: 'port-conflict'; readonly inServer: number; readonly port: number }
  /** No port at all. `usual` is the port such servers usually have, where it is known. */
  | { readonly code: 'port-missing'; readonly host: string; readonly game: string; readonly usual?: number };

export type SubmissionResult =
  | { readonly ok: true; readonly submission: ServerSubmission }
  | { readonly ok: false; readonly problem: SubmissionProblem };

const refused = (problem: SubmissionProblem): SubmissionResult => ({ ok: false, problem });

/**
 * One submission from what was typed. The port may stand behind the host, beside it, or in both places if it is
 * the same; a query port equal to the port is left out (specification §2.1).
 */
export function parseSubmission({ server, port, queryPort, game }: TypedSubmission): SubmissionResult {
  const parsed = parseAddress(server);
  if (!parsed.ok) return parsed;
  const { host, port: inServer } = parsed.address;
  const beside = port === undefined ? undefined : checkPort(port);
  if (beside && !beside.ok) return beside;
  if (inServer !== undefined && beside && beside.port !== inServer) {
    return refused({ code: 'port-conflict', inServer, port: beside.port });
  }
  const query = queryPort === undefined ? undefined : checkPort(queryPort, 'query_port');
  if (query && !query.ok) return query;
  if (game === '') return refused({ code: 'game-missing' });
  const agreed = inServer ?? beside?.port;
  if (agreed === undefined) {
    const usual = usualPort(game);
    return refused({ code: 'port-missing', host, game, ...(usual !== undefined && { usual }) });
  }
  const queryPart = query && query.port !== agreed ? { queryPort: query.port } : {};
  return { ok: true, submission: { server: host, port: agreed, ...queryPart, game } };
}
