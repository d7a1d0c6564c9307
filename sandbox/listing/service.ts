import type { Game } from '../../src/listing/contract.ts';

/** The received fields of one element of `servers`. */
type ServerFields = ReadonlyMap<string, string>;

interface ReadForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly servers: readonly ServerFields[];
}

/**
 * Parses form data in the same way as the Ruby library Rack:
 * - `servers[][field]` belongs to the current element. If that element already has the field, a new element begins.
 * - `servers[0][field]` is also accepted. These elements are sorted by number.
 * - `servers[]=text` is an element without fields.
 */
export function readForm(body: string): ReadForm {
  const fields = new Map<string, string>();
  const listed: Map<string, string>[] = [];
  const numbered = new Map<number, Map<string, string>>();
  for (const [name, value] of new URLSearchParams(body)) {
    const [, number, field] = /^servers\[(\d*)\](?:\[([^\]]+)\])?$/.exec(name) ?? [];
    if (number === undefined) fields.set(name, value);
    else if (field === undefined) listed.push(new Map());
    else if (number === '') elementFor(listed, field).set(field, value);
    else elementAt(numbered, Number(number)).set(field, value);
  }
  const inOrder = [...numbered].sort(([a], [b]) => a - b).map(([, element]) => element);
  return { fields, servers: [...inOrder, ...listed] };
}

function elementFor(elements: Map<string, string>[], field: string): Map<string, string> {
  const last = elements.at(-1);
  if (last !== undefined && !last.has(field)) return last;
  const next = new Map<string, string>();
  elements.push(next);
  return next;
}

function elementAt(elements: Map<number, Map<string, string>>, index: number): Map<string, string> {
  const element = elements.get(index) ?? new Map<string, string>();
  elements.set(index, element);
  return element;
}

/** A game server in the service's database. */
export interface SubmittedServer {
  readonly server: string;
  readonly port: number;
  readonly query_port?: number;
  readonly game: string;
}

/*
 * The service's limit and messages. They're copied from the specification (§7, §8) rather than shared with the bot, so
 * tests catch mistakes in the bot.
 */
const MOST_SERVERS = 100;
const ERRORS = {
  invalidKey: 'Invalid API key.',
  emptyList: 'The server list for addition is empty.',
  serverMissing: 'Server parameter is missing.',
  gameMissing: 'Game alias parameter is missing.',
  gameInvalid: 'Invalid game alias provided.',
};
/** Messages for errors whose text the specification doesn't define (§7). */
const OWN_ERRORS = {
  tooMany: `No more than ${MOST_SERVERS} servers can be added at once.`,
  portMissing: 'Port parameter is missing.',
  portInvalid: 'Invalid port provided.',
  queryPortInvalid: 'Invalid query port provided.',
  actionMissing: 'Action parameter is missing.',
  actionUnknown: 'Unknown action.',
};
const ADDED = 'Servers have been added for review.';

/** Creates the listing service without an HTTP server. */
export function createService(initialKeys: readonly string[], games: readonly Game[]) {
  const keys = new Set(initialKeys);
  const aliases = new Set(games.map(({ alias }) => alias));
  const submitted: SubmittedServer[] = [];

  /** Returns the first error, in the order of §4.1. Each check covers all servers before the next check begins. */
  function fault(servers: readonly ServerFields[]): string | undefined {
    const some = (isWrong: (server: ServerFields) => boolean) => servers.some(isWrong);
    if (servers.length === 0) return ERRORS.emptyList;
    if (servers.length > MOST_SERVERS) return OWN_ERRORS.tooMany;
    if (some((server) => isBlank(server.get('server')))) return ERRORS.serverMissing;
    if (some((server) => isBlank(server.get('game')))) return ERRORS.gameMissing;
    if (some((server) => !aliases.has(server.get('game') ?? ''))) return ERRORS.gameInvalid;
    if (some((server) => isBlank(server.get('port')))) return OWN_ERRORS.portMissing;
    if (some((server) => !isPort(server.get('port')))) return OWN_ERRORS.portInvalid;
    if (some((server) => server.has('query_port') && !isPort(server.get('query_port')))) {
      return OWN_ERRORS.queryPortInvalid;
    }
    return undefined;
  }

  function add(servers: readonly ServerFields[]): unknown {
    const message = fault(servers);
    if (message !== undefined) return { status: 'error', message };
    submitted.push(...servers.map(toRecord));
    return { status: 'success', message: ADDED };
  }

  return {
    /** Returns the JSON response to a form (specification §4, §7). If `add` finds an error, it doesn't add any servers. */
    answer({ fields, servers }: ReadForm): unknown {
      const action = fields.get('action');
      if (!keys.has(fields.get('api_key') ?? '')) return { status: 'error', message: ERRORS.invalidKey };
      if (action === 'games') return games;
      if (action === 'add') return add(servers);
      return {
        status: 'error',
        message: isBlank(action) ? OWN_ERRORS.actionMissing : OWN_ERRORS.actionUnknown,
      };
    },
    submitted: submitted as readonly SubmittedServer[],
    /** Returns the valid API keys. */
    keys: (): readonly string[] => [...keys],
    allow: (key: string) => void keys.add(key),
    revoke: (key: string) => void keys.delete(key),
  };
}

function isBlank(value: string | undefined): boolean {
  return value === undefined || value.trim() === '';
}

function isPort(value: string | undefined): boolean {
  return value !== undefined && /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535;
}

function toRecord(fields: ServerFields): SubmittedServer {
  const queryPort = fields.get('query_port');
  return {
    server: fields.get('server') ?? '',
    port: Number(fields.get('port')),
    ...(queryPort === undefined ? {} : { query_port: Number(queryPort) }),
    game: fields.get('game') ?? '',
  };
}
