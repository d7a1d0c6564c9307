import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What a server of PostgreSQL says when it waits for the next statement of a transaction (docs: ReadyForQuery). */
const IN_TRANSACTION = Buffer.from('Z\0\0\0\x05T');
/** A transaction of a guild begins with it. */
const LOCK = 'pg_advisory_xact_lock';

export type Wire = Awaited<ReturnType<typeof openWire>>;

/** A way to a server of PostgreSQL that can fall silent, as when a machine vanishes: neither side hears that it did. */
export async function openWire(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  /** Called when the server has said something to what it was asked since it last did. */
  let onSaid: (asked: Buffer, said: Buffer) => void = () => undefined;

  const wire = createServer((near) => {
    const far = connect(Number(port), hostname);
    let asked = Buffer.alloc(0);
    near.pipe(far).pipe(near);
    near.on('data', (chunk: Buffer) => {
      asked = Buffer.concat([asked, chunk]);
    });
    far.on('data', (chunk: Buffer) => {
      onSaid(asked, chunk);
      asked = Buffer.alloc(0);
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  const address = new URL(url);
  address.port = String(Object(wire.address()).port);

  /** Nothing arrives any more over the connections that there are, not even that they were closed. */
  function freeze(): void {
    for (const socket of sockets) socket.unpipe().removeAllListeners('close');
  }

  return {
    url: address.href,
    freeze,
    /** The same as soon as a transaction has locked a guild, whose id is among what was asked, or any. */
    async freezeInTransaction(guildId = ''): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      onSaid = (asked, said) => {
        if (!asked.includes(LOCK) || !asked.includes(guildId) || !said.includes(IN_TRANSACTION)) return;
        onSaid = () => undefined;
        freeze();
        resolve();
      };
      await promise;
    },
    close(): void {
      for (const socket of sockets) socket.destroy();
      wire.close();
    },
  };
}
