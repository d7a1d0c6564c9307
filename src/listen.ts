import { once } from 'node:events';
import type { Server } from 'node:net';
import { codeOf } from './error-code.ts';

/** Something cannot be served where it was asked for. Its message is for the operator. */
export class HttpServerError extends Error {
  override readonly name = 'HttpServerError';
}

export interface Listening {
  readonly what: string;
  readonly host: string;
  readonly port: number;
  readonly variable: string;
}

/**
 * Resolves when the server listens.
 * @throws HttpServerError if the address cannot be listened on
 */
export async function listen(server: Server, { what, host, port, variable }: Listening): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    const code = codeOf(cause);
    const message = `cannot serve ${what} on ${host} port ${port} (${code}): ${adviceFor(code, variable)}`;
    throw new HttpServerError(message, { cause });
  }
}

function adviceFor(code: unknown, variable: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `another program has this port: end it or set another ${variable}`;
    case 'EACCES':
      return `this user may not take this port: set an ${variable} of 1024 or more`;
    default:
      return 'set HTTP_HOST, or INTERACTIONS_HOST where there is one, to an address of this machine';
  }
}
