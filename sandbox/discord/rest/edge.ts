import { randomBytes } from 'node:crypto';
import type { World } from '../world/world.ts';
import { type Denial, nameless } from './denial.ts';

const cookie = (name: string) => `${name}=${randomBytes(16).toString('hex')}`;

/**
 * What the network in front of Discord puts on every answer, of the API and of files, as quoted in public issues:
 * several cookies at once, and offers of other protocols.
 */
export const edgeHeaders = (): Readonly<Record<string, string | string[]>> => ({
  'set-cookie': [
    `${cookie('__dcfduid')}; Expires=Fri, 01-Jan-2038 00:00:00 GMT; Max-Age=157680000; Secure; HttpOnly; Path=/; SameSite=Lax`,
    `${cookie('__sdcfduid')}; Expires=Fri, 01-Jan-2038 00:00:00 GMT; Max-Age=157680000; Secure; HttpOnly; Path=/; SameSite=Lax`,
    `${cookie('_cfuvid')}; path=/; domain=.discord.com; HttpOnly; Secure; SameSite=None`,
  ],
  'strict-transport-security': 'max-age=31536000; includeSubDomains; preload',
  'alt-svc': 'h3=":443"; ma=86400',
  'cf-cache-status': 'DYNAMIC',
  'report-to': '{"endpoints":[{"url":"https://report.example/v4?s=x"}],"group":"cf-nel","max_age":604800}',
  nel: '{"success_fraction":0,"report_to":"cf-nel","max_age":604800}',
  'x-content-type-options': 'nosniff',
  via: '1.1 google',
  server: 'cloudflare',
  'cf-ray': `${randomBytes(8).toString('hex')}-FRA`,
});

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
