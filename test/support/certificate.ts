import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Certificate } from '../../sandbox/loopback-server.ts';

const FILE = fileURLToPath(new URL('loopback.pem', import.meta.url));

/** A certificate for 127.0.0.1, with its key, that nothing vouches for. */
export function selfSigned(): Certificate {
  const pem = readFileSync(FILE, 'utf8');
  return { key: pem, cert: pem, file: FILE };
}
