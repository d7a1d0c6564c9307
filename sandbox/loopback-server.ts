import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A certificate with its key, both in PEM, and a file with the certificate. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly file: string;
}

/**
 * Creates an HTTP server on 127.0.0.1, in clear or over TLS. Over TLS it prefers HTTP/2 to HTTP/1.1, as large CDNs do.
 * @param listener receives the requests of both protocols; those of HTTP/2 through Node's compatibility API
 */
export function createLoopbackServer(listener: RequestListener, certificate?: Certificate) {
  const server: Server =
    certificate === undefined
      ? createServer(listener)
      : // The compatibility API has the same methods, but its own types.
        createSecureServer({ ...certificate, allowHTTP1: true }, listener as never);
  const ready = certificate === undefined ? 'connection' : 'secureConnection';
  const sockets = new Set<Socket>();
  const collect = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  // Over TLS, includes connections that aren't ready yet.
  for (const event of new Set(['connection', ready])) server.on(event, collect);
  let closed: Promise<unknown> = Promise.resolve();

  return {
    /** For the events `upgrade` and `connection`. */
    server,
    /** The scheme of the origin. */
    scheme: certificate === undefined ? 'http' : 'https',
    get listening() {
      return server.listening;
    },
    /** @returns the port */
    async listen(port: number): Promise<number> {
      // The server would never close if it listened again before its last connection has ended.
      await closed;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    /** Calls a function with each connection that is ready for a request. */
    onConnection: (heard: (socket: Socket) => void) => void server.on(ready, heard),
    /** Returns the connections that can carry a request now. */
    sockets: (): Iterable<Socket> => sockets,
    /** Accepts no more connections and cuts the present ones. */
    async close(): Promise<void> {
      if (server.listening) {
        closed = once(server, 'close');
        server.close();
        for (const socket of sockets) socket.destroy();
      }
      await closed;
    },
  };
}
