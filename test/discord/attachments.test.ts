import { expect, it, onTestFinished } from 'vitest';
import { type AttachmentsDeps, createAttachments } from '../../src/discord/attachments.ts';
import { type FrontAnswer, openFront } from '../support/front.ts';
import { recorder } from '../support/machine.ts';

function attachments(deps: Partial<AttachmentsDeps> = {}) {
  const made = createAttachments({ hosts: [], maxBytes: 1_000, logger: recorder(), ...deps });
  onTestFinished(() => made.close());
  return made;
}

/** A host that answers so, and what comes of reading a file from there. */
async function open(answer: FrontAnswer) {
  const front = await openFront();
  onTestFinished(() => front.close());
  front.answer = () => answer;
  const { host, origin } = new URL(front.url);
  const url = `${origin}/file.txt?ex=1&hm=signature`;
  const read = (deps: Partial<AttachmentsDeps> = {}, size = Number.NaN) =>
    attachments({ hosts: [host], ...deps }).read(url, size);
  return { front, url, host, read };
}

const file = (body: string) => ({ status: 200, headers: { 'content-type': 'image/png' }, body });
const UNAVAILABLE = { ok: false, problem: 'unavailable' };
const FOREIGN = { ok: false, problem: 'foreign' };

it('an uploaded file is read whole, whatever type it claims to have', async () => {
  const { read } = await open(file('one\ntwo\n'));
  expect(await read()).toEqual({ ok: true, bytes: Buffer.from('one\ntwo\n') });
});

it('an uploaded file that was cut off on its way is unavailable, also where its length was not sent', async () => {
  // Its end is that of the connection.
  const { read } = await open({ ...file('one\ntwo\n'), headers: { connection: 'close' } });
  expect(await read({}, 9)).toEqual(UNAVAILABLE);
  expect(await read({}, 8)).toMatchObject({ ok: true });
});

it('an uploaded file has as many bytes as allowed, and not one more', async () => {
  const { read } = await open(file('x'.repeat(1_000)));
  expect(await read()).toMatchObject({ ok: true });
  expect(await read({ maxBytes: 999 })).toEqual({ ok: false, problem: 'too-large' });
});

it.each([
  ['is gone', { status: 404, body: '' }],
  ['has moved', { status: 302, headers: { location: '/elsewhere.txt' }, body: '' }],
  ['breaks off', 'cut'],
  ['does not come in time', 'silence'],
] as const)('an uploaded file that %s is unavailable, and its signed address is not logged', async (_what, answer) => {
  const logger = recorder();
  const { front, read } = await open(answer);
  expect(await read({ logger, timeoutMs: 200 })).toEqual(UNAVAILABLE);
  expect(front.requests).toEqual(['GET /file.txt']);
  expect(logger.lines).toHaveLength(1);
  expect(JSON.stringify(logger.lines)).not.toContain('signature');
});

it('a file is read from a named host and port only', async () => {
  const { front, url, host, read } = await open(file('x'));
  const { port } = new URL(url);
  for (const other of ['cdn.discordapp.com', '127.0.0.1', '127.0.0.1:1', `localhost:${port}`]) {
    expect(await read({ hosts: [other] })).toEqual(FOREIGN);
  }
  expect(front.requests).toEqual([]);
  expect(await read({ hosts: ['cdn.discordapp.com', host] })).toMatchObject({ ok: true });
});

it.each([
  ['https://127.0.0.1:443/a.txt', '127.0.0.1', UNAVAILABLE],
  ['https://127.0.0.1/a.txt', '127.0.0.1:443', UNAVAILABLE],
  ['http://127.0.0.1:80/a.txt', '127.0.0.1', UNAVAILABLE],
  ['https://[::1]/a.txt', '[0:0:0:0:0:0:0:1]', UNAVAILABLE],
  ['http://127.0.0.1/a.txt', '127.0.0.1:443', FOREIGN],
  ['https://127.0.0.1:1/a.txt', '127.0.0.1', FOREIGN],
])("an address without a port has its scheme's own: %s at %s", async (url, host, result) => {
  expect(await attachments({ hosts: [host] }).read(url, 1)).toEqual(result);
});

it.each([
  'http://cdn.discordapp.com/a.txt',
  'https://cdn.discordapp.com.example.com/a.txt',
  'https://user@cdn.discordapp.com/a.txt',
  'https://:word@cdn.discordapp.com/a.txt',
  'https://example.com/cdn.discordapp.com',
  'ftp://cdn.discordapp.com/a.txt',
  'no address',
])('%s is not asked for anything', async (url) => {
  expect(await attachments({ hosts: ['cdn.discordapp.com'] }).read(url, 1)).toEqual(FOREIGN);
});
