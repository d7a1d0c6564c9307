import { randomBytes } from 'node:crypto';
import type { APIAttachment } from 'discord.js';
import type { Clock } from './clock.ts';
import { createLatest } from './latest.ts';
import type { Snowflakes } from './snowflakes.ts';

/** How long an attachment URL works. Discord doesn't document this, but about a day has been observed. */
const ADDRESS_LIVES_MS = 24 * 60 * 60_000;
/** The number of files to keep, of up to 10 MiB each. Tests upload far fewer. */
const MOST_FILES = 2_000;

interface NewFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly contentType?: string | undefined;
  /** The size in bytes that the uploader claims. The default is the real size. */
  readonly size?: number | undefined;
  readonly ephemeral: boolean;
}

interface CdnFile {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** In milliseconds since 1970. */
  readonly until: number;
}

/** Stores attachments at secret URLs that expire. */
export function createFiles(deps: {
  readonly clock: Clock;
  readonly snowflakes: Snowflakes;
  /** Returns the beginning of all attachment URLs, once the port is known. */
  readonly origin: () => string;
}) {
  const { clock, snowflakes, origin } = deps;
  const files = createLatest<CdnFile>(MOST_FILES);
  return {
    keep({ filename, bytes, contentType, size, ephemeral }: NewFile): APIAttachment {
      const id = snowflakes.next();
      const folder = ephemeral ? 'ephemeral-attachments' : 'attachments';
      const path = `/${folder}/${id}/${encodeURIComponent(filename)}?hm=${randomBytes(16).toString('hex')}`;
      files.set(path, {
        // Shares the message's memory instead of copying the bytes.
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
    /** Returns the file at a URL, or `undefined` if it has expired or never existed. */
    at({ pathname, search }: URL): CdnFile | undefined {
      const file = files.get(pathname + search);
      return file !== undefined && clock.now() < file.until ? file : undefined;
    },
  };
}
