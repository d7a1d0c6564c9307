import { DefaultUserAgent } from 'discord.js';
import { Agent, errors, request } from 'undici';
import type { Logger } from '../logger.ts';

export interface AttachmentsDeps {
  /** The hosts to download files from, as `host` or `host:port`. Without a port, the default port of the scheme applies. */
  readonly hosts: readonly string[];
  readonly maxBytes: number;
  readonly logger: Logger;
  readonly downloadTimeoutMs?: number;
}

export type AttachmentResult =
  | { readonly ok: true; readonly bytes: Buffer }
  /** `foreign`: not requested, as the URL isn't Discord's. `unavailable`: the file is gone or didn't arrive in time. */
  | { readonly ok: false; readonly problem: 'foreign' | 'too-large' | 'unavailable' };

/**
 * Creates a reader for files that members upload. It ignores content types, because the uploader's client sets them. It
 * aborts downloads that exceed the maximum size, even if Discord reported a smaller size. It doesn't follow redirects.
 */
export function createAttachments(deps: AttachmentsDeps) {
  const { hosts, maxBytes, logger, downloadTimeoutMs = 10_000 } = deps;
  const agent = new Agent({ connect: { timeout: downloadTimeoutMs }, maxResponseSize: maxBytes });

  async function download(url: URL, size: number): Promise<AttachmentResult> {
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      headers: { 'accept-encoding': 'identity', 'user-agent': DefaultUserAgent },
      signal: AbortSignal.timeout(downloadTimeoutMs),
    });
    if (statusCode !== 200) {
      body.on('error', () => undefined).destroy();
      throw new Error(`the host responded with status ${statusCode}`);
    }
    const bytes = Buffer.from(await body.arrayBuffer());
    if (bytes.length < size) throw new Error(`received only ${bytes.length} of ${size} bytes`);
    return { ok: true, bytes };
  }

  return {
    /**
     * Returns failures as results instead of throwing.
     * @param size the file's size in bytes; a smaller download counts as incomplete
     */
    async read(text: string, size: number): Promise<AttachmentResult> {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (!url || !isUploadUrl(url, hosts)) {
        logger.warn({ host: url?.host }, 'rejected an attachment whose host is not in ATTACHMENT_HOSTS');
        return { ok: false, problem: 'foreign' };
      }
      try {
        return await download(url, size);
      } catch (error) {
        if (error instanceof errors.ResponseExceededMaxSizeError) return { ok: false, problem: 'too-large' };
        // The URL contains a signature, so only its host is logged.
        logger.warn(
          { host: url.host, err: error },
          'could not download an attachment; the member must upload it again',
        );
        return { ok: false, problem: 'unavailable' };
      }
    },
    close: (): Promise<void> => agent.destroy(),
  };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function isUploadUrl(url: URL, hosts: readonly string[]): boolean {
  const { protocol, hostname, host } = url;
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  return isSafe && hosts.some((one) => new URL(`${protocol}//${one}`).host === host);
}
