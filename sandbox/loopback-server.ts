import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';

/** An HTTP server on 127.0.0.1, in clear or over TLS. */
export interface LoopbackServer {
  /** For `upgrade` and `connection`; the latter comes once the connection is ready to carry a request. */
  readonly server: Pick<Server, 'on'>;
  /** The origin's scheme: `http` or `https`. */
  readonly scheme: 'http' | 'https';
  readonly listening: boolean;
  /** Returns the port. */
  listen(port: number): Promise<number>;
  /** Called with each connection that is ready to carry a request. */
  onConnection(listener: (socket: Socket) => void): void;
  /** Takes no more connections and cuts those there are. */
  close(): Promise<void>;
}

/**
 * Over TLS it offers HTTP/2 before HTTP/1.1, as large CDNs do: what takes it is answered over HTTP/2.
 * @param listener is given requests of either protocol; those of HTTP/2 by Node's compatibility API
 */
export function createLoopbackServer(listener: RequestListener, certificate?: Certificate): LoopbackServer {
  const server: Server =
    certificate === undefined
      ? createServer(listener)
      : // The compatibility API has the same methods with types of its own.
        createSecureServer({ ...certificate, allowHTTP1: true }, listener as never);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  let closed: Promise<unknown> = Promise.resolve();

  return {
    server,
    scheme: certificate === undefined ? 'http' : 'https',
    get listening() {
      return server.listening;
    },
    async listen(port) {
      // Listening again before the last connection is gone would never end the closing.
      await closed;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    onConnection(listener) {
      server.on(certificate === undefined ? 'connection' : 'secureConnection', listener);
    },
    async close() {
      if (server.listening) {
        closed = once(server, 'close');
        server.close();
        for (const socket of sockets) socket.destroy();
      }
      await closed;
    },
  };
}

/** A certificate with its key, both in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A new certificate for 127.0.0.1 that nothing vouches for (RFC 5280 §4.1, DER by hand). */
export function selfSigned(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const ecdsaWithSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const commonName = sequence(
    der(0x06, Buffer.from('550403', 'hex')),
    der(0x0c, Buffer.from('nobody vouches for this')),
  );
  const name = sequence(der(0x31, commonName));
  const addresses = sequence(der(0x87, Buffer.from([127, 0, 0, 1])));
  const alternativeName = sequence(der(0x06, Buffer.from('551d11', 'hex')), der(0x04, addresses));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(der(0x17, Buffer.from('250101000000Z')), der(0x17, Buffer.from('491231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeName)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', toBeSigned, privateKey)]));
  const certificate = sequence(toBeSigned, ecdsaWithSha256, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);

/** A tag, the length, and the content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
