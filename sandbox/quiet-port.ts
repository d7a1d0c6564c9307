import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The lowest port to choose. Operating systems don't assign ports in this range automatically, so a restarting bot doesn't
 * lose its port.
 */
const FROM = 16_000;
const TO = 32_000;

/** Returns a port that is currently free on the loopback address. */
export async function quietPort(): Promise<number> {
  const port = randomInt(FROM, TO);
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return quietPort();
  }
  server.close();
  await once(server, 'close');
  return port;
}
