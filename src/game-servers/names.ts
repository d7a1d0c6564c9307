import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { parseHost } from '../addresses/host.ts';
import { createCache } from '../bounded-map.ts';
import { codeOf } from '../error-code.ts';

/** The port of a Minecraft server without an SRV record (Minecraft Wiki, "Tutorials/Setting up a server"). */
const MINECRAFT_PORT = 25_565;
/** The time limit for a query to a name server, in milliseconds. */
const ATTEMPT_MS = 1_000;
const REMEMBERED_MS = 60_000;
/** The definite response that there is no such record (Node docs: DNS, "Error codes"). */
const NO_RECORD: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND']);

/**
 * Looks up names of game servers. It uses c-ares, because `dns.lookup` shares a few threads with the bot's own new
 * connections. Eight names with silent name servers delayed those by 16 seconds (measured).
 * @param nameServers addresses with or without a port; the machine's own name servers if absent
 */
export function createNames(nameServers?: readonly string[]) {
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: 1 });
  if (nameServers) resolver.setServers(nameServers);

  const addresses = createCache(async (host): Promise<readonly string[]> => {
    // The name may come from an SRV record, which anyone can publish.
    if (!parseHost(host).ok) return [];
    if (isIP(host) !== 0) return [host];
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found
      .flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      .filter((address) => parseHost(address).ok);
  }, REMEMBERED_MS);

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
  }, REMEMBERED_MS);

  return {
    /**
     * Returns the public addresses of a host. Returns the host itself if it is an address, and an empty list if the lookup
     * fails.
     */
    addressesOf: addresses.get,
    /**
     * Returns the port that Minecraft clients use for a name; `undefined` if it isn't certain. @throws Error if the lookup
     * fails
     */
    minecraftPort: minecraftPorts.get,
    stop: (): void => resolver.cancel(),
  };
}
