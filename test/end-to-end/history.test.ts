import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { MOST_ENTRIES } from '../../src/submissions/history.ts';
import { openStore } from '../storage/temporary.ts';
import { lines, read, submit, upload } from '../support/lists.ts';
import { messageOf, openAppScene, type Scene, textOf } from '../support/scene.ts';
import { addDone, fill } from '../support/submissions.ts';

let scene: Scene;
afterEach(() => scene.close());

const add = (server: string, who = scene.member) => who.slash('addserver', { game: 'cs2', server });

/** Changes the store while the bot is stopped. */
async function between(change: (database: Database) => Promise<void>): Promise<void> {
  await scene.bot.stop();
  const database = await openStore(join(scene.data, 'bot.sqlite'));
  await change(database);
  await database.stop();
  await scene.startBot();
}

describe('the history of a guild', () => {
  it('and the guard against duplicates stay as they were when another member submits 1,000 servers', async () => {
    scene = await openAppScene({ key: 'sandbox-key' });
    const other = scene.person({ role: 'other' });
    await add('mine.example.com:27015', other);
    const report = await submit(
      scene.member,
      await scene.member.slash('addservers', { file: upload('list.txt', lines(1_000)) }),
    );
    expect(read(report)).toContain('✅ 1000 sent for review');
    const own = textOf(await other.slash('submissions'));
    expect(own).toMatch(/1 submission, .*mine\.example\.com:27015.*sent for review/s);
    const again = textOf(await add('mine.example.com:27015', scene.member));
    expect(again).toMatch(/Not sent: other submitted mine\.example\.com:27015 .*sent for review/);
    expect(textOf(await scene.admin.slash('submissions'))).toContain('1001 submissions, newest first');
  });

  it('says what makes room, and is exported in as many files as it takes', async () => {
    scene = await openAppScene({ key: 'sandbox-key' });
    const at = Date.now() - 3 * 86_400_000;
    const message = 'long '.repeat(31);
    await between((database) => fill(database, scene.member.guildId, { count: MOST_ENTRIES, at, message }));
    const shown = await scene.admin.slash('submissions');
    expect(textOf(shown)).toMatch(/100000 submissions, newest first.*not sent make room, then the oldest/s);
    expect(textOf(shown)).toContain('Page 1 of 10000');
    const files = messageOf(await scene.admin.press(messageOf(shown), 'Export'));
    expect(read(files)).toContain('It is in 3 files');
    const rows = [1, 2, 3].flatMap((n) => {
      const file = files.file(`submissions-${n}.csv`);
      expect(file?.length).toBeLessThanOrEqual(10 * 1024 * 1024);
      return (file?.toString() ?? '').trimEnd().split('\r\n').slice(1);
    });
    expect(rows).toHaveLength(MOST_ENTRIES);
    expect(rows[0]).toContain('s99999.example.com');
    expect(rows.at(-1)).toContain('s0.example.com');
    expect(textOf(await scene.admin.press(messageOf(shown), 'Next'))).toContain('Page 2 of 10000');
    await add('one-more.example.com:1', scene.admin);
    expect(textOf(await scene.admin.slash('submissions', { server: 'ONE-MORE' }))).toContain('1 submission,');
  });

  it('loses what is older than HISTORY_DAYS, at the start too', async () => {
    scene = await openAppScene({ key: 'sandbox-key', env: { HISTORY_DAYS: '3' } });
    const { guildId, userId } = scene.member;
    const day = 86_400_000;
    await between(async (database) => {
      await addDone(database, { id: 'new', guildId, userId, at: Date.now() - 2 * day, hosts: ['new'] });
      await addDone(database, { id: 'old', guildId, userId, at: Date.now() - 4 * day, hosts: ['old'] });
    });
    await expect
      .poll(async () => textOf(await scene.member.slash('submissions')))
      .toMatch(/1 submission,.*new/s);
    expect(textOf(await scene.member.slash('privacy'))).toMatch(/kept for 3 days, .*not sent for 3, /);
  });
});

describe('limits', () => {
  it('survive a restart, and the deletion of the member’s name', async () => {
    scene = await openAppScene({ key: 'sandbox-key', env: { MEMBER_LIMIT: '2/3600' } });
    await add('a.example.com:1');
    await add('b.example.com:1');
    await scene.restart();
    const refused = /as many game servers as one member may/;
    expect(textOf(await add('c.example.com:1'))).toMatch(refused);
    const privacy = messageOf(await scene.member.slash('privacy'));
    expect(textOf(await scene.member.press(privacy, 'Delete my name'))).toContain('from 2 submissions');
    expect(textOf(await add('c.example.com:1'))).toMatch(refused);
    await scene.restart();
    expect(textOf(await add('c.example.com:1'))).toMatch(refused);
    expect(textOf(await add('c.example.com:1', scene.admin))).toContain('added for review');
    expect(scene.listing.submitted).toHaveLength(3);
  });
});
