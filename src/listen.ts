import { once } from 'node:events';
import type { Server } from 'node:net';
import { codeOf } from './text/error-code.ts';

/** Thrown if the server can't listen on its address. The message is written for the operator. */
export class HttpServerError extends Error {
  override readonly name = 'HttpServerError';
}

export interface ListenOptions {
  readonly what: string;
  readonly host: string;
  readonly port: number;
  readonly variable: string;
}

/** @throws HttpServerError if the server can't listen on the address */
export async function listen(server: Server, { what, host, port, variable }: ListenOptions): Promise<void> {
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
      return `another program has this port: stop it or set another ${variable}`;
    case 'EACCES':
      return `this user is not allowed to use this port: set ${variable} to 1024 or more`;
    default:
      return 'set HTTP_HOST, or INTERACTIONS_HOST if used, to an address of this machine';
  }
}
