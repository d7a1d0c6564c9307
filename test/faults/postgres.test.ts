import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { oneBot, textOf } from '../support/bot.ts';
import { hasPostgres, newDatabase } from '../support/database.ts';
import { ACCEPTED, addServer } from '../support/people.ts';

const AWAY = "The bot couldn't reach its own storage, so nothing was done.";

it.skipIf(!hasPostgres())(
  'members are told of a server of PostgreSQL that is away, and the bot goes on when it is back',
  async () => {
    const { url, leave, comeBack, drop } = await newDatabase();
    onTestFinished(drop);
    const port = await quietPort();
    const bot = await oneBot({
      env: {
        STORE_URL: url,
        ENCRYPTION_KEY: randomBytes(32).toString('base64'),
        HTTP_PORT: String(port),
      },
    });
    const { admin, member, listing } = await bot.newGuild({ key: 'sandbox-key' });
    const ready = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
      return { status: answer.status, text: await answer.text() };
    };
    expect(await ready()).toMatchObject({ status: 200 });
    expect(textOf(await addServer(member, 'a.example.com:1'))).toContain(ACCEPTED);

    await leave();
    const sent = listing.requests.length;
    for (const answer of [
      await addServer(member, 'b.example.com:1'),
      await admin.slash('keystatus'),
      await admin.slash('submissions'),
    ]) {
      expect(textOf(answer)).toContain(AWAY);
    }
    expect(await ready()).toMatchObject({
      status: 503,
      text: expect.stringContaining('the database failed'),
    });
    expect(listing.requests).toHaveLength(sent);

    await comeBack();
    await expect.poll(async () => (await ready()).status).toBe(200);
    expect(textOf(await addServer(member, 'b.example.com:1'))).toContain(ACCEPTED);
    expect(textOf(await admin.slash('submissions'))).toContain('2 submissions');
    expect(bot.output()).not.toContain(new URL(url).password);
    expect(bot.output()).not.toContain('unnoticed');
  },
);
