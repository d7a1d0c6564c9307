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
 * An HTTP server on 127.0.0.1, in clear or over TLS. Over TLS it offers HTTP/2 before HTTP/1.1, as large CDNs do: what takes it is answered over HTTP/2.
 * @param listener is given requests of either protocol; those of HTTP/2 by Node's compatibility API
 */
export function createLoopbackServer(listener: RequestListener, certificate?: Certificate) {
  const server: Server =
    certificate === undefined
      ? createServer(listener)
      : // The compatibility API has the same methods with types of its own.
        createSecureServer({ ...certificate, allowHTTP1: true }, listener as never);
  const ready = certificate === undefined ? 'connection' : 'secureConnection';
  const sockets = new Set<Socket>();
  const collect = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  // Over TLS also those that are not ready yet.
  for (const event of new Set(['connection', ready])) server.on(event, collect);
  let closed: Promise<unknown> = Promise.resolve();

  return {
    /** For `upgrade` and `connection`. */
    server,
    /** The origin's scheme. */
    scheme: certificate === undefined ? 'http' : 'https',
    get listening() {
      return server.listening;
    },
    /** Returns the port. */
    async listen(port: number): Promise<number> {
      // Listening again before the last connection is gone would never end the closing.
      await closed;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    /** Called with each connection that is ready to carry a request. */
    onConnection: (heard: (socket: Socket) => void) => void server.on(ready, heard),
    /** The connections that can carry a request at this moment. */
    sockets: (): Iterable<Socket> => sockets,
    /** Takes no more connections and cuts those there are. */
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
