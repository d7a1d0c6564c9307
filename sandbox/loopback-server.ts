import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A certificate and its private key as PEM text, and the path of a file with the certificate. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly file: string;
}

/**
 * Creates a server on 127.0.0.1 for HTTP, or for HTTPS if there is a certificate. With HTTPS, clients can use HTTP/2 or
 * HTTP/1.1, as on large CDNs.
 * @param listener receives all requests; HTTP/2 requests use Node's compatibility API
 */
export function createLoopbackServer(listener: RequestListener, certificate?: Certificate) {
  const server: Server =
    certificate === undefined
      ? createServer(listener)
      : // Node's HTTP/2 compatibility API has the same methods, but its own types.
        createSecureServer({ ...certificate, allowHTTP1: true }, listener as never);
  const ready = certificate === undefined ? 'connection' : 'secureConnection';
  const sockets = new Set<Socket>();
  const collect = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  // With TLS, only the `connection` event covers connections that are still in the handshake.
  for (const event of new Set(['connection', ready])) server.on(event, collect);
  let closed: Promise<unknown> = Promise.resolve();

  return {
    /** Callers can listen for `upgrade` and `connection` events. */
    server,
    /** The URL scheme. */
    scheme: certificate === undefined ? 'http' : 'https',
    get listening() {
      return server.listening;
    },
    /** @returns the port that was opened */
    async listen(port: number): Promise<number> {
      // Waits for old connections to end. Otherwise, the server would never emit `close`.
      await closed;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    /** Calls a function with each new connection, once the connection can carry requests. */
    onConnection: (heard: (socket: Socket) => void) => void server.on(ready, heard),
    /** Returns all open connections. */
    sockets: (): Iterable<Socket> => sockets,
    /** Stops accepting connections and drops the existing ones. */
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
