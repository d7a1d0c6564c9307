import type { World } from '../world/world.ts';
import { type Denial, nameless } from './denial.ts';

export interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer | string;
  readonly denial: Denial | undefined;
}

/** Rule 56: what the CDN answers; to a client without a name nothing (rule 3). */
export function fileAnswer(world: World, url: URL, userAgent: string | undefined): FileAnswer {
  const plain = { 'content-type': 'text/plain' };
  if (!userAgent)
    return { status: nameless.status, headers: plain, body: nameless.message, denial: nameless };
  const file = world.files.at(url);
  if (file === undefined)
    return { status: 404, headers: plain, body: 'This content is no longer available.', denial: undefined };
  return {
    status: 200,
    headers: { 'content-type': file.contentType, 'content-length': file.bytes.length },
    body: file.bytes,
    denial: undefined,
  };
}
