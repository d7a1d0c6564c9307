import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { parseHost } from '../addresses/host.ts';
import { createCache } from '../pacing/bounded-map.ts';
import { codeOf } from '../text/error-code.ts';

/** The default port without an SRV record (Minecraft Wiki, "Tutorials/Setting up a server"). */
const MINECRAFT_PORT = 25_565;
const QUERY_TIMEOUT_MS = 1_000;
const CACHED_MS = 60_000;
/** Error codes that mean a record definitely doesn't exist (Node docs: DNS, "Error codes"). */
const NO_RECORD: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND']);

/**
 * Creates lookups for the names of game servers. They use c-ares, because `dns.lookup` runs on a few threads that the bot's
 * own new connections also need. Eight names with unresponsive name servers delayed those connections by 16 seconds
 * (measured).
 * @param nameServers addresses with or without a port; defaults to the machine's own name servers
 */
export function createNames(nameServers?: readonly string[]) {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 1 });
  if (nameServers) resolver.setServers(nameServers);

  const addresses = createCache(async (host): Promise<readonly string[]> => {
    // Checks names from SRV records too, because anyone can publish them.
    if (!parseHost(host).ok) return [];
    if (isIP(host) !== 0) return [host];
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found
      .flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      .filter((address) => parseHost(address).ok);
  }, CACHED_MS);

  const srvRecordsOf = (host: string) =>
    resolver.resolveSrv(`_minecraft._tcp.${host}`).catch((error: unknown) => {
      if (!NO_RECORD.has(codeOf(error))) throw error;
      return [];
    });

  const minecraftPorts = createCache(async (host): Promise<number | undefined> => {
    const [own, [record, ...others]] = await Promise.all([addresses.get(host), srvRecordsOf(host)]);
    if (own.length === 0 || others.length > 0) return undefined;
    if (record === undefined) return MINECRAFT_PORT;
    const targets = await addresses.get(record.name);
    return targets.some((address) => own.includes(address)) ? record.port : undefined;
  }, CACHED_MS);

  return {
    /** Returns the public addresses of a host, which may itself be an address. Empty if the lookup fails. */
    addressesOf: addresses.get,
    /** Returns the port that Minecraft clients use for a name; `undefined` if uncertain. Throws if the lookup fails. */
    minecraftPort: minecraftPorts.get,
    stop: (): void => resolver.cancel(),
  };
}
