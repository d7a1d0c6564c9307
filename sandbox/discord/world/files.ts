import { randomBytes } from 'node:crypto';
import type { APIAttachment } from 'discord.js';
import type { Clock } from './clock.ts';
import { createLatest } from './latest.ts';
import type { Snowflakes } from './snowflakes.ts';

/** How long a URL works: about a day (observed on Discord, not promised). */
const ADDRESS_LIVES_MS = 24 * 60 * 60_000;
/** Far more files than a test uploads; each may have 10 MiB. */
const MOST_FILES = 2_000;

interface NewFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly contentType?: string | undefined;
  /** The size that the uploader claims; by default the true length. */
  readonly size?: number | undefined;
  readonly ephemeral: boolean;
}

interface ServedFile {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Creates attachments at secret URLs that expire. */
export function createFiles(deps: {
  readonly clock: Clock;
  readonly snowflakes: Snowflakes;
  /** Returns the origin of the URLs; a function, because the port is known late. */
  readonly origin: () => string;
}) {
  const { clock, snowflakes, origin } = deps;
  const files = createLatest<ServedFile>(MOST_FILES);
  return {
    keep({ filename, bytes, contentType, size, ephemeral }: NewFile): APIAttachment {
      const id = snowflakes.next();
      const folder = ephemeral ? 'ephemeral-attachments' : 'attachments';
      const path = `/${folder}/${id}/${encodeURIComponent(filename)}?hm=${randomBytes(16).toString('hex')}`;
      files.set(path, {
        // Shares the memory with the message that has the file.
        bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        contentType: contentType ?? 'application/octet-stream',
        until: clock.now() + ADDRESS_LIVES_MS,
      });
      const url = origin() + path;
      return {
        id,
        filename,
        size: size ?? bytes.byteLength,
        url,
        proxy_url: url,
        ...(contentType !== undefined && { content_type: contentType }),
        ...(ephemeral && { ephemeral }),
      };
    },
    /** Returns the file at a URL; `undefined` (404) if it never existed or has expired. */
    at({ pathname, search }: URL): ServedFile | undefined {
      const file = files.get(pathname + search);
      return file !== undefined && clock.now() < file.until ? file : undefined;
    },
  };
}
