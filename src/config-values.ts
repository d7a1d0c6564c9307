import { z } from 'zod';
import { isPlainUrl } from './config-url.ts';
import { Secret } from './secret.ts';

/** 32 bytes in hexadecimal or base64 (either alphabet). */
const KEY = /^(?:[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/i;
/** A name or an address as a URL has it, IPv6 in brackets, and a port where it is not the scheme's own. */
const HOST = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?$/;
/** Discord docs: Components, Button: the URL of a link button has at most 512 characters. */
const LONGEST_LINK = 512;

/** A rule in words: `X is missing: it must be …` or `X must be …`. A value is never repeated, it may be a secret. */
export const must = (be: string) => ({
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? `is missing: it must be ${be}` : `must be ${be}`,
});

export function wholeNumber(limits: { readonly from: number; readonly to: number; readonly unit: string }) {
  const { from, to, unit } = limits;
  return z
    .string()
    .refine(
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= from && Number(text) <= to,
      must(`a whole number of ${unit} from ${from} to ${to}`),
    )
    .transform(Number);
}

/** The timers that end the counting take no more than 24 days. */
const LONGEST_WINDOW_SECONDS = 604_800;

export function usageLimit() {
  const be = `servers/seconds, such as 1000/3600: from 1/1 to 1000000/${LONGEST_WINDOW_SECONDS}`;
  return z
    .string()
    .regex(/^\d{1,7}\/\d{1,6}$/, must(be))
    .transform((text) => {
      const [servers = 0, seconds = 0] = text.split('/').map(Number);
      return { servers, seconds };
    })
    .refine(
      ({ servers, seconds }) =>
        servers >= 1 && servers <= 1_000_000 && seconds >= 1 && seconds <= LONGEST_WINDOW_SECONDS,
      must(be),
    );
}

export const url = (be: string, allowed: (url: URL) => boolean) =>
  z
    .string(must(be))
    .refine((text) => URL.canParse(text) && isPlainUrl(new URL(text)) && allowed(new URL(text)), must(be))
    .transform((text) => withoutSlashes(new URL(text).href));

function withoutSlashes(text: string): string {
  let end = text.length;
  while (text.endsWith('/', end)) end -= 1;
  return text.slice(0, end);
}

export const secret = (be: string, pattern: RegExp) =>
  z
    .string(must(be))
    .regex(pattern, must(be))
    .transform((text) => new Secret(text));

const A_PAGE = `the https address of a page that members can open, at most ${LONGEST_LINK} characters`;
export const link = z
  .string()
  .refine(
    (text) =>
      URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).href.length <= LONGEST_LINK,
    must(A_PAGE),
  )
  .transform((text) => new URL(text).href);

/** One key or several, newest first; in base64 from here on. */
export const encryptionKeys = z
  .string()
  .transform((text) => text.split(',').map((key) => key.trim()))
  .refine(
    (keys) => keys.every((key) => KEY.test(key)),
    must('32 bytes in base64 or hexadecimal; several with commas between them, the newest first'),
  )
  .transform((keys) => keys.map(inBase64));

/** `host` or `host:port`, in small letters. */
export const hosts = z
  .string()
  .transform((text) => text.split(',').map((host) => host.trim().toLowerCase()))
  .refine(
    (hosts) => hosts.every((host) => HOST.test(host) && URL.canParse(`https://${host}`)),
    must('hosts, such as cdn.example.com or cdn.example.com:8443, with commas between them'),
  );

function inBase64(key: string): Secret {
  const bytes = Buffer.from(key, key.length === 64 ? 'hex' : 'base64');
  return new Secret(bytes.toString('base64'));
}
