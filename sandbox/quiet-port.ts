import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems give by themselves: nobody gets such a port by chance while a bot is being restarted. */
const FROM = 16_000;
const TO = 32_000;

/** A port of loopback that nobody has at the moment. */
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
