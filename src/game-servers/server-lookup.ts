import { isIP, isIPv4 } from 'node:net';
import { hasWords } from '../addresses/pasted-text.ts';
import { waitAtMost } from '../lifecycle.ts';
import type { ServerSubmission } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { finishedRow, withRepeats } from '../server-lists/read-list.ts';
import {
  type FilledField,
  lacksGame,
  placeOf,
  type Row,
  readRow,
  type TypedRow,
  typedOf,
} from '../server-lists/row.ts';
import { createNames } from './names.ts';
import { createSteam, type SteamDeps, type SteamServer } from './steam.ts';
import { type SteamGames, steamGamesAmong } from './steam-games.ts';

export interface ServerLookupDeps extends Omit<SteamDeps, 'onLookup'> {
  readonly nameServers?: readonly string[] | undefined;
  readonly games: GameIndex;
  readonly onLookup?: ((what: 'asked' | 'failed' | FilledField) => void) | undefined;
}

export type ServerLookup = ReturnType<typeof createServerLookup>;

/** A submission or list waits this long for all its lookups together. */
const LOOKUP_TIMEOUT_MS = 2_500;
const MAX_HOSTS = 50;

const FILLABLE_CELLS = ['game', 'port', 'queryPort'] as const;
type Finding = Partial<Record<(typeof FILLABLE_CELLS)[number], string | number | undefined>> | 'isQueryPort';

/**
 * Creates the lookup that fills in a game, a query port or a Minecraft server's port that a member left out. It uses
 * Steam's public list and DNS, and never contacts game servers. Typed values are never replaced.
 */
export function createServerLookup({ nameServers, games, ...deps }: ServerLookupDeps) {
  const steam = createSteam(deps);
  const names = createNames(nameServers);

  async function steamServersAt(host: string): Promise<readonly SteamServer[]> {
    const [address, ...others] = (await names.addressesOf(host)).filter((each) => isIPv4(each));
    // If a name has several addresses, they may belong to different game servers, so Steam isn't queried.
    return address === undefined || others.length > 0 ? [] : steam.serversAt(address);
  }

  function lookupFor(row: Row, steamGames: SteamGames) {
    if (row.found) return undefined;
    // The service may already have received an unconfirmed row, so the row stays as it was sent.
    if (row.kind === 'ready' && row.unconfirmed) return undefined;
    if (row.kind === 'invalid' && row.problem.code === 'port-missing') {
      const { host, game } = row.problem;
      const isMinecraft = game === games.find('minecraft')?.alias;
      const find = async (): Promise<Finding> => ({ port: await names.minecraftPort(host) });
      return isMinecraft && isIP(host) === 0 ? { host, find } : undefined;
    }
    const server = row.kind === 'ready' ? row.submission : serverWithoutGame(row);
    if (server === undefined) return undefined;
    const { server: host, game, queryPort } = server;
    if (game !== '' && (queryPort !== undefined || !steamGames.has(game))) return undefined;
    return { host, find: async () => findingFor(server, await steamServersAt(host), steamGames) };
  }

  /** Adds the found values to a row and checks it again. Returns the row unchanged if it still can't be submitted. */
  function withFinding(row: Row, finding: Finding): Row {
    if (finding === 'isQueryPort') return row.kind === 'ready' ? { ...row, found: [finding] } : row;
    const before = typedOf(row);
    const found = FILLABLE_CELLS.filter((cell) => finding[cell] !== undefined && !hasWords(before[cell]));
    const cells = Object.fromEntries(found.map((cell) => [cell, String(finding[cell])]));
    const typed: TypedRow = { ...before, ...cells };
    const read = finishedRow({ ...placeOf(row), typed }, games);
    if (found.length === 0 || read.kind !== 'ready') return row;
    return { ...read, found, ...(row.kind === 'ready' && row.typed && { typed }) };
  }

  return {
    /** Fills in the values that are found within 2.5 seconds, and returns all rows. Never throws. */
    async complete(rows: readonly Row[]): Promise<readonly Row[]> {
      const steamGames = steamGamesAmong(games);
      const completed = [...rows];
      const hosts = new Set<string>();
      const lookups = rows.map(async (row, index) => {
        const lookup = lookupFor(row, steamGames);
        if (!lookup || (hosts.size >= MAX_HOSTS && !hosts.has(lookup.host))) return;
        hosts.add(lookup.host);
        completed[index] = withFinding(row, await lookup.find());
      });
      if (hosts.size === 0) return rows;
      await waitAtMost(LOOKUP_TIMEOUT_MS, Promise.allSettled(lookups));
      const changed = completed.filter((row, index) => row !== rows[index]);
      for (const found of changed.flatMap((row) => row.found ?? [])) deps.onLookup?.(found);
      // Marks completed rows that turn out to be the same server. Values that are found after the deadline are ignored.
      return withRepeats([...completed]);
    },
    async stop(): Promise<void> {
      names.stop();
      await steam.close();
    },
  };
}

/** Returns a row's game server with '' as its game, if only the game is missing. */
function serverWithoutGame(row: Row): ServerSubmission | undefined {
  const read = lacksGame(row) ? readRow({ ...row.typed, game: 'any' }, '') : undefined;
  return read?.ok ? read.submission : undefined;
}

/** Returns the values that Steam lists for a game server that was entered without a query port or a game. */
function findingFor(
  { port, game: named }: ServerSubmission,
  servers: readonly SteamServer[],
  steamGames: SteamGames,
): Finding {
  const atPort = servers.filter(({ gamePort }) => gamePort === port);
  if (atPort.length === 0) return servers.some(({ queryPort }) => queryPort === port) ? 'isQueryPort' : {};
  const [found, ...others] = atPort.filter(({ appId }) => named === '' || steamGames.get(named) === appId);
  if (found === undefined || others.length > 0) return {};
  const queryPort = found.queryPort === port ? undefined : found.queryPort;
  if (named !== '') return { queryPort };
  // If several games share an app id, the game remains unknown.
  const [game, ...otherGames] = [...steamGames].filter(([, appId]) => appId === found.appId);
  return game === undefined || otherGames.length > 0 ? {} : { game: game[0], queryPort };
}
