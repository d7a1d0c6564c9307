import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { APIAttachment } from 'discord.js';
import type { Clock } from './clock.ts';
import { type Bounds, createLatest } from './latest.ts';
import type { Snowflakes } from './snowflakes.ts';

/** Rule 56: an address works for about a day (observed on Discord, not promised). */
const ADDRESS_LIVES_MS = 24 * 60 * 60_000;

/** The default of Discord (docs: Reference, Uploading Files). */
export const LARGEST_FILE = 10 * 1024 * 1024;

export interface NewFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly contentType?: string | undefined;
  /** What the uploader claims; the true length unless it lies. */
  readonly size?: number | undefined;
  readonly description?: string | undefined;
  readonly ephemeral: boolean;
  /** The channel, or for an ephemeral one the application: the first number of the address. */
  readonly owner: string;
}

export interface ServedFile {
  readonly bytes: Buffer;
  readonly contentType: string;
}

/** Attachments and their signed addresses: `/attachments/<owner>/<id>/<name>?ex=…&is=…&hm=…&`. */
export interface Files {
  keep(file: NewFile): APIAttachment;
  /** What is at an address; `undefined` (404) once `ex` has passed or when `hm` does not fit. */
  at(url: URL): ServedFile | undefined;
}

export function createFiles(deps: {
  readonly clock: Clock;
  readonly snowflakes: Snowflakes;
  /** Where the addresses point, asked for late because the port is known late. */
  readonly origin: () => string;
  readonly bounds: Bounds;
}): Files {
  const { clock, snowflakes, origin, bounds } = deps;
  const byPath = createLatest<ServedFile>(bounds);
  const key = randomBytes(32);
  const signature = (path: string, ex: string, is: string) =>
    createHmac('sha256', key).update(`${path}|${ex}|${is}`).digest();

  return {
    keep({ filename, bytes, contentType, size, description, ephemeral, owner }) {
      const id = snowflakes.next();
      const folder = ephemeral ? 'ephemeral-attachments' : 'attachments';
      const path = `/${folder}/${owner}/${id}/${encodeURIComponent(filename)}`;
      const served = {
        // The same memory, which the message with the file also holds.
        bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        contentType: contentType ?? 'application/octet-stream',
      };
      byPath.set(path, served, bytes.byteLength);
      const is = hexSeconds(clock.now());
      const ex = hexSeconds(clock.now() + ADDRESS_LIVES_MS);
      const hm = signature(path, ex, is).toString('hex');
      const url = `${origin()}${path}?ex=${ex}&is=${is}&hm=${hm}&`;
      return {
        id,
        filename,
        size: size ?? bytes.byteLength,
        url,
        proxy_url: url,
        ...(contentType !== undefined && { content_type: contentType }),
        ...(description !== undefined && { description }),
        ...(ephemeral && { ephemeral }),
      };
    },
    at(url) {
      const file = byPath.get(url.pathname);
      const ex = url.searchParams.get('ex') ?? '';
      const is = url.searchParams.get('is') ?? '';
      const hm = Buffer.from(url.searchParams.get('hm') ?? '', 'hex');
      const expected = signature(url.pathname, ex, is);
      if (file === undefined || hm.length !== expected.length || !timingSafeEqual(hm, expected))
        return undefined;
      return clock.now() < Number.parseInt(ex, 16) * 1_000 ? file : undefined;
    },
  };
}

const hexSeconds = (ms: number): string => Math.floor(ms / 1_000).toString(16);
