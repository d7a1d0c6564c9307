import { expect, it, onTestFinished } from 'vitest';
import type { Fault } from '../../sandbox/discord/rest/faults.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { type AttachmentsDeps, createAttachments } from '../../src/discord/attachments.ts';
import { recorder } from '../support/machine.ts';
import { TOKEN } from '../support/small-bot.ts';

function attachments(deps: Partial<AttachmentsDeps> = {}) {
  const made = createAttachments({ hosts: [], maxBytes: 1_000, logger: recorder(), ...deps });
  onTestFinished(() => made.close());
  return made;
}

const status = (code: number, body = '', headers = {}): Fault => ({
  kind: 'status',
  status: code,
  headers,
  body,
});

/** Starts a host that sends this response, and returns a function that reads a file from it. */
async function open(answer: Fault) {
  const discord = await startDiscord({ token: TOKEN });
  onTestFinished(() => discord.close());
  discord.faults.inject({ fault: answer, times: Number.POSITIVE_INFINITY });
  const { host, origin } = new URL(discord.cdnUrl);
  const url = `${origin}/file.txt?ex=1&hm=signature`;
  const read = (deps: Partial<AttachmentsDeps> = {}, size = Number.NaN) =>
    attachments({ hosts: [host], ...deps }).read(url, size);
  return { discord, url, host, read };
}

const file = (body: string) => status(200, body, { 'content-type': 'image/png' });
const UNAVAILABLE = { ok: false, problem: 'unavailable' };
const FOREIGN = { ok: false, problem: 'foreign' };

it('an uploaded file is read in full, whatever its content type', async () => {
  const { read } = await open(file('one\ntwo\n'));
  expect(await read()).toEqual({ ok: true, bytes: Buffer.from('one\ntwo\n') });
});

it('an uploaded file that is cut off in transit counts as unavailable', async () => {
  // The body ends when the connection closes.
  const { read } = await open(status(200, 'one\ntwo\n', { connection: 'close' }));
  expect(await read({}, 9)).toEqual(UNAVAILABLE);
  expect(await read({}, 8)).toMatchObject({ ok: true });
});

it('an uploaded file is rejected if it is one byte over the limit', async () => {
  const { read } = await open(file('x'.repeat(1_000)));
  expect(await read()).toMatchObject({ ok: true });
  expect(await read({ maxBytes: 999 })).toEqual({ ok: false, problem: 'too-large' });
});

it.each([
  ['is deleted', status(404)],
  ['has moved', status(302, '', { location: '/elsewhere.txt' })],
  ['is cut off', { kind: 'reset' }],
  ['does not arrive in time', { kind: 'hang' }],
] as const)('an uploaded file counts as unavailable if it %s', async (_what, answer) => {
  const logger = recorder();
  const { discord, read } = await open(answer);
  expect(await read({ logger, downloadTimeoutMs: 200 })).toEqual(UNAVAILABLE);
  expect(discord.requests).toMatchObject([{ method: 'GET', path: expect.stringMatching(/^\/file\.txt\?/) }]);
  expect(logger.lines).toHaveLength(1);
  expect(JSON.stringify(logger.lines)).not.toContain('signature');
});

it('the bot downloads files only from an allowed host and port', async () => {
  const { discord, url, host, read } = await open(file('x'));
  const { port } = new URL(url);
  for (const other of ['cdn.discordapp.com', '127.0.0.1', '127.0.0.1:1', `localhost:${port}`]) {
    expect(await read({ hosts: [other] })).toEqual(FOREIGN);
  }
  expect(discord.requests).toEqual([]);
  expect(await read({ hosts: ['cdn.discordapp.com', host] })).toMatchObject({ ok: true });
});

it.each([
  ['https://127.0.0.1:443/a.txt', '127.0.0.1', UNAVAILABLE],
  ['https://127.0.0.1/a.txt', '127.0.0.1:443', UNAVAILABLE],
  ['http://127.0.0.1:80/a.txt', '127.0.0.1', UNAVAILABLE],
  ['https://[::1]/a.txt', '[0:0:0:0:0:0:0:1]', UNAVAILABLE],
  ['http://127.0.0.1/a.txt', '127.0.0.1:443', FOREIGN],
  ['https://127.0.0.1:1/a.txt', '127.0.0.1', FOREIGN],
])("a missing port defaults to the scheme's port (URL %s, allowed host %s)", async (url, host, result) => {
  expect(await attachments({ hosts: [host] }).read(url, 1)).toEqual(result);
});

it.each([
  'http://cdn.discordapp.com/a.txt',
  'https://cdn.discordapp.com.example.com/a.txt',
  'https://example.com/cdn.discordapp.com',
  'ftp://cdn.discordapp.com/a.txt',
  'no address',
])("the bot doesn't download a file from %s", async (url) => {
  expect(await attachments({ hosts: ['cdn.discordapp.com'] }).read(url, 1)).toEqual(FOREIGN);
});
