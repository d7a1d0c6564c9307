import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Person } from '../../sandbox/discord/contract.ts';
import { messageOf, openAppScene, type Scene, setKey, textOf } from '../support/bot.ts';
import { addServer, labelsOf } from '../support/people.ts';

let scene: Scene;
/** A member whose name is found nowhere else in the file. */
let member: Person;
beforeEach(async () => {
  scene = await openAppScene({ key: 'sandbox-key', env: { MEMBER_LIMIT: '2/3600', HISTORY_DAYS: '3' } });
  const [guild] = scene.discord.guilds;
  if (!guild) throw new Error('the stand-in has no guild');
  member = scene.discord.person({ guild, name: 'CANARY', permissions: 0n });
  await addServer(member, 'a.example.com:1');
  await addServer(member, 'b.example.com:2');
});
afterEach(() => scene.close());

const onDisk = () => scene.store.content();

describe('/privacy', () => {
  it('says what is stored, who gets it and for how long, to whoever asks', async () => {
    const answer = await scene.member.slash('privacy');
    for (const words of [
      '(only you can see this)',
      'API key of this Discord server: stored encrypted',
      'This is kept for 3 days. For rejected and unsent game servers, it is 3 days.',
      "If the bot couldn't reply, it's kept for 30 days",
      'everything else after 30 days',
      'nothing about members',
      'operates this bot',
    ]) {
      expect(textOf(answer)).toContain(words);
    }
    const [embed] = messageOf(answer).current?.embeds ?? [];
    expect(embed?.description).toMatch(/^\*\*You\*\*: /);
    expect(labelsOf(answer)).toEqual(['Delete my name']);
  });

  it('takes a member’s own name out of the submissions, after asking, and nobody else’s; limits count them all the same', async () => {
    const other = scene.person({ role: 'other' });
    await addServer(other, 'c.example.com:3');
    const ask = async () => member.press(await member.slash('privacy'), 'Delete my name');
    const deleteName = async () => member.press(await ask(), 'Delete my name');
    await member.press(await ask(), 'Cancel');
    expect(await onDisk()).toContain('CANARY');
    expect(textOf(await ask())).toContain('entries in the log channel stay');
    expect(textOf(await deleteName())).toMatch(
      /Your name was deleted from 2 submitted game servers\..*log channel stay/,
    );
    expect(textOf(await member.slash('submissions'))).toContain('There is nothing here under your name.');
    expect(await onDisk()).not.toContain('CANARY');
    expect(await onDisk()).toContain('b.example.com');
    expect(textOf(await scene.admin.slash('submissions'))).toContain(`@${other.userId}`);
    expect(textOf(await deleteName())).toContain('Your name is in none of the submissions here.');
    await scene.restart();
    expect(textOf(await addServer(member, 'd.example.com:4'))).toContain('Not sent: limit reached.');
  });

  it('lets an admin delete all the data of the guild, after asking, and of no other guild', async () => {
    const elsewhere = scene.person({ role: 'admin', guild: 1 });
    await setKey(elsewhere, 'sandbox-key');
    const question = await scene.admin.press(
      await scene.admin.slash('privacy'),
      'Delete all data of this Discord server',
    );
    expect(textOf(question)).toContain("This can't be undone.");
    expect(await onDisk()).toContain('CANARY');
    await scene.restart();
    expect(textOf(await scene.admin.press(question, 'Delete everything'))).toContain('Deleted.');
    expect(labelsOf(question)).toEqual([]);
    expect(await onDisk()).not.toContain(scene.admin.guildId);
    expect(await onDisk()).not.toContain('CANARY');
    expect(textOf(await scene.admin.slash('keystatus'))).toContain('has no API key');
    expect(textOf(await elsewhere.slash('keystatus'))).toContain('Last worked');
  });
});
