import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DiscordAPIError } from 'discord.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger, type Logger, scrub } from '../src/logger.ts';
import { Secret } from '../src/text/secret.ts';

const INTERACTION_TOKEN = 'aW50ZXJhY3Rpb246MTIzNDU2Nzg5MDpzZWNyZXQ';
const BOT_TOKEN = 'MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.abcdefghijklmnopqrstuvwxyz0123456789ab';

/** Returns what the logger writes for one line. */
function written(log: (logger: Logger) => void, level: 'info' | 'debug' = 'info') {
  let text = '';
  log(createLogger({ level, output: { write: (line) => (text += line) } }));
  return { text, line: text === '' ? undefined : JSON.parse(text) };
}

describe('the log', () => {
  it('contains the time, level, details and message as JSON', () => {
    const { line } = written((logger) => logger.warn({ guildId: '1' }, 'look here'));
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(line).toEqual({ level: 'warn', time, guildId: '1', msg: 'look here' });
  });

  it('omits lines below the configured level', () => {
    expect(written((logger) => logger.debug({}, 'detail')).text).toBe('');
    expect(written((logger) => logger.debug({}, 'detail'), 'debug').text).not.toBe('');
  });

  it("doesn't contain the token or body of a failed Discord request", () => {
    const url = `https://discord.com/api/v10/webhooks/123456/${INTERACTION_TOKEN}/messages/@original`;
    const body = { files: undefined, json: { content: 'what the member typed' } };
    const answer = { code: 10_062, message: `Unknown interaction ${url}` };
    const error = new DiscordAPIError(answer, 10_062, 404, 'PATCH', url, body);
    const { text, line } = written((logger) => logger.error({ err: error }, 'no response'));
    expect(text).not.toContain(INTERACTION_TOKEN);
    expect(text).not.toContain('what the member typed');
    expect(line.err).toMatchObject({ code: 10_062, status: 404, method: 'PATCH' });
    expect(line.err.message).toContain('/webhooks/123456/[redacted]/messages/@original');
    expect(Object.keys(line.err).sort()).toEqual(['code', 'message', 'method', 'name', 'stack', 'status']);
  });

  it('hides secrets in error causes and aggregate errors', () => {
    const inner = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', body: 'api_key=hidden-key' });
    const joined = new AggregateError([inner, new Error('other')], 'all failed');
    const outer: Error & { cause?: unknown } = new Error('no response', { cause: joined });
    const { text, line } = written((logger) => logger.error({ err: outer }, 'failed'));
    expect(line.err.cause.errors).toMatchObject([{ code: 'ECONNREFUSED' }, { message: 'other' }]);
    expect(text).not.toContain('hidden-key');
    joined.cause = outer;
    expect(written((logger) => logger.error({ err: outer }, 'failed')).line.err.message).toBe('no response');
  });

  it('accepts any thrown value', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        expect(written((logger) => logger.error({ err: thrown }, 'failed')).line.msg).toBe('failed');
      }),
    );
  });

  it('hides secrets without changing other text', () => {
    const key = new Secret('hidden-key-0123456789');
    const url = `/interactions/99/${INTERACTION_TOKEN}/callback`;
    const details = { key, deep: [{ key }], text: `${key}`, url };
    const message = `Bot ${BOT_TOKEN} sent action=games&api_key=hidden-key-0123456789&x=1`;
    const { text, line } = written((logger) => logger.info(details, message));
    for (const secret of ['hidden-key', INTERACTION_TOKEN, BOT_TOKEN]) expect(text).not.toContain(secret);
    expect(line.msg).toBe('Bot [redacted] sent action=games&api_key=[redacted]&x=1');
    expect(line.url).toBe('/interactions/99/[redacted]/callback');
    for (const plain of ['play.example.com:27015', 'https://discord.com/api/v10/guilds/1/members']) {
      expect(scrub(plain)).toBe(plain);
    }
  });

  it('is written in full before the process exits', async () => {
    const file = JSON.stringify(join(import.meta.dirname, '../src/logger.ts'));
    // 100 lines fit into the socket's buffer, even if this process doesn't read them in time.
    const script = `
      import { createLogger } from ${file};
      const logger = createLogger({ level: 'info' });
      for (let i = 0; i < 100; i++) logger.info({ i }, 'x'.repeat(100));
      process.exit(3);`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    const { stdout } = await run.catch((ended: { readonly stdout: string }) => ended);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(100);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ i: 99 });
  });
});
