import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { type Mode, respond } from './listing/modes.ts';
import { createLoopbackServer } from './loopback-server.ts';

/** A game server in Steam's public server list. */
interface ListedServer {
  readonly port: number;
  readonly queryPort: number;
  readonly appId: number;
}

interface DnsRecords {
  readonly addresses?: readonly string[];
  /** The SRV record of `_minecraft._tcp.<name>`. */
  readonly minecraft?: { readonly target: string; readonly port: number };
}

/** Starts a stand-in for Steam's server list and a DNS server over UDP, both on 127.0.0.1. */
export async function startPublicRecords() {
  const listed = new Map<string, readonly ListedServer[]>();
  const names = new Map<string, DnsRecords>();
  /** The addresses that the bot asked Steam about. */
  const askedSteam: string[] = [];
  /** The names that the bot looked up in DNS. */
  const askedNames: string[] = [];
  let mode: Mode = { kind: 'ok' };
  let dnsMode: 'ok' | 'failing' | 'silent' = 'ok';

  const steam = createLoopbackServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://steam');
    const address = searchParams.get('addr') ?? '';
    askedSteam.push(address);
    const servers = (listed.get(address) ?? []).map(({ port, queryPort, appId }) => ({
      addr: `${address}:${queryPort}`,
      gmsindex: -1,
      appid: appId,
      gamedir: 'game',
      region: -1,
      secure: true,
      lan: false,
      gameport: port,
      specport: 0,
    }));
    const isKnown = pathname === '/ISteamApps/GetServersAtAddress/v1/';
    const known: Mode = isKnown ? mode : { kind: 'status', status: 404 };
    respond(known, response, JSON.stringify({ response: { success: true, servers } }));
  });
  const port = await steam.listen(0);

  const socket = createSocket('udp4');
  socket.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const { name, type, question } = questionIn(query);
    askedNames.push(name);
    if (dnsMode === 'silent') return;
    const answers = dnsMode === 'ok' ? recordsOf(name, type) : [];
    const isKnown = answers.length > 0 || names.has(name);
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 + (dnsMode === 'failing' ? SERVFAIL : isKnown ? 0 : NXDOMAIN), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(
      Buffer.concat([header, question, ...answers.map((data) => record(type, data))]),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');

  function recordsOf(name: string, type: number): readonly Buffer[] {
    const { addresses = [] } = names.get(name) ?? {};
    if (type === A) return addresses.map((address) => Buffer.from(address.split('.').map(Number)));
    const { minecraft } = names.get(name.replace(/^_minecraft\._tcp\./u, '')) ?? {};
    if (type !== SRV || !minecraft || !name.startsWith('_')) return [];
    const numbers = Buffer.alloc(6);
    numbers.writeUInt16BE(minecraft.port, 4);
    return [Buffer.concat([numbers, encodedName(minecraft.target)])];
  }

  return {
    steamUrl: `http://127.0.0.1:${port}`,
    nameServer: `127.0.0.1:${socket.address().port}`,
    askedSteam,
    askedNames,
    /** Adds game servers at an address to Steam's list. */
    list: (address: string, servers: readonly ListedServer[]): void => void listed.set(address, servers),
    /** Adds a DNS name with its records. */
    addName: (name: string, records: DnsRecords): void => void names.set(name, records),
    behaveAsSteam(how: Mode): void {
      mode = how;
    },
    behaveAsNameServer(how: typeof dnsMode): void {
      dnsMode = how;
    },
    async close(): Promise<void> {
      socket.close();
      await steam.close();
    },
  };
}

/*
 * DNS messages are specified in RFC 1035 and RFC 2782. Each message has a single question, and every record in the answer
 * points to the question's name.
 */

const A = 1;
const SRV = 33;
const SERVFAIL = 2;
const NXDOMAIN = 3;

function questionIn(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    question: query.subarray(12, at + 5),
  };
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

const encodedName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
