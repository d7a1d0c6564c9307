import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range that systems assign automatically, so that no other program gets the port while a bot restarts. */
const FROM = 16_000;
const TO = 32_000;

/** Returns a loopback port that is free now. */
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
