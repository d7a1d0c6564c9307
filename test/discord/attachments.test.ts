import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Attachments, type AttachmentsDeps, createAttachments } from '../../src/discord/attachments.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

const logged: object[] = [];
const note = (details: object, message: string) => void logged.push({ ...details, message });
const logger = { debug: note, info: note, warn: note, error: note };

function attachments(options: Partial<AttachmentsDeps> = {}): Attachments {
  const made = createAttachments({ hosts: [], maxBytes: 1000, logger, ...options });
  endings.push(() => made.close());
  return made;
}

/** Reads a file from the host that it is on. */
const read = (url: string, options: Partial<AttachmentsDeps> = {}) =>
  attachments({ hosts: [new URL(url).host], ...options }).read(url);

/** A server on loopback that counts how often it is asked. */
async function serve(listener: RequestListener) {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/file.txt?ex=1&hm=secret`, asked: () => asked };
}

describe('an uploaded file', () => {
  it('is read whole, whatever its type claims to be', async () => {
    const { url } = await serve((_, response) => {
      response.setHeader('content-type', 'image/png');
      response.write('one\n');
      response.end('two\n');
    });
    const file = await read(url);
    expect(file.ok && file.bytes.toString()).toBe('one\ntwo\n');
  });

  it('may have as many bytes as allowed and not one more, whatever length is announced', async () => {
    for (const [length, ok] of [
      [1000, true],
      [1001, false],
    ] as const) {
      const { url } = await serve((_, response) => response.end(Buffer.alloc(length)));
      expect((await read(url)).ok).toBe(ok);
    }
    const endless = await serve((_, response) => {
      response.on('error', () => undefined);
      const pour = () => response.write(Buffer.alloc(500), (error) => error ?? setImmediate(pour));
      pour();
    });
    expect(await read(endless.url)).toEqual({ ok: false, problem: 'too-large' });
  });

  it('is not looked for behind a redirect', async () => {
    const target = await serve((_, response) => response.end('found'));
    const { url } = await serve((_, response) => response.writeHead(302, { location: target.url }).end());
    expect(await read(url)).toEqual({ ok: false, problem: 'unavailable' });
    expect(target.asked()).toBe(0);
  });

  it('has to come in time', async () => {
    const { url } = await serve((_, response) => void response.write('one'));
    expect(await read(url, { timeoutMs: 200 })).toEqual({ ok: false, problem: 'unavailable' });
  });

  it('that is gone is said to be', async () => {
    const { url } = await serve((_, response) => response.writeHead(404).end('{}'));
    expect(await read(url)).toEqual({ ok: false, problem: 'unavailable' });
  });

  it('has an address that is never logged, since it is signed', async () => {
    logged.length = 0;
    const { url } = await serve((_, response) => response.destroy());
    expect(await read(url)).toEqual({ ok: false, problem: 'unavailable' });
    expect(logged.length).toBe(1);
    expect(JSON.stringify(logged)).not.toContain('secret');
  });
});

describe('an address', () => {
  it('is asked on a named host and port only', async () => {
    const { url, asked } = await serve((_, response) => response.end('x'));
    const { port } = new URL(url);
    const another = String(Number(port) === 65_535 ? 1 : Number(port) + 1);
    for (const host of ['cdn.discordapp.com', '127.0.0.1', `127.0.0.1:${another}`, `localhost:${port}`])
      expect(await read(url, { hosts: [host] })).toEqual({ ok: false, problem: 'foreign' });
    expect(asked()).toBe(0);
    expect((await read(url, { hosts: ['cdn.discordapp.com', `127.0.0.1:${port}`] })).ok).toBe(true);
  });

  it.each([
    ['https://127.0.0.1:1/a.txt', ['127.0.0.1:1'], 'unavailable'],
    ['https://127.0.0.1/a.txt', ['127.0.0.1'], 'unavailable'],
    ['https://127.0.0.1:443/a.txt', ['127.0.0.1'], 'unavailable'],
    ['https://127.0.0.1/a.txt', ['127.0.0.1:443'], 'unavailable'],
    ['http://127.0.0.1:80/a.txt', ['127.0.0.1'], 'unavailable'],
    ['https://[::1]/a.txt', ['[0:0:0:0:0:0:0:1]'], 'unavailable'],
    ['http://127.0.0.1/a.txt', ['127.0.0.1:443'], 'foreign'],
    ['https://127.0.0.1/a.txt', ['127.0.0.1:80'], 'foreign'],
    ['https://127.0.0.1:1/a.txt', ['127.0.0.1'], 'foreign'],
  ] as const)("without a port means its scheme's own: %s for %j", async (url, hosts, problem) => {
    expect(await read(url, { hosts })).toEqual({ ok: false, problem });
  });

  it.each([
    'http://cdn.discordapp.com/a.txt',
    'https://cdn.discordapp.com.example.com/a.txt',
    'https://user@cdn.discordapp.com/a.txt',
    'https://example.com/cdn.discordapp.com',
    'ftp://cdn.discordapp.com/a.txt',
    'file:///etc/passwd',
    'no address',
  ])('%s is not asked for anything', async (url) => {
    expect(await attachments({ hosts: ['cdn.discordapp.com'] }).read(url)).toEqual({
      ok: false,
      problem: 'foreign',
    });
  });
});
