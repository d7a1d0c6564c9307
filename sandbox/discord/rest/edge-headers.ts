import { randomBytes } from 'node:crypto';

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
