import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytesOnDisk, openStore } from '../storage/temporary.ts';
import { messageOf, openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';
import { submitted } from '../support/submitted.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openAppScene({ key: 'sandbox-key' });
});
afterEach(() => scene.close());

const file = () => join(scene.data, 'bot.sqlite');
const overview = async (who = scene.member) => messageOf(await who.slash('privacy'));

/** Puts submissions of these members into the history of the first guild. */
async function submissions(
  ...users: readonly { readonly userId: string; readonly name: string }[]
): Promise<void> {
  await scene.bot.stop();
  const store = await openStore(file());
  const guildId = scene.member.guildId;
  for (const [i, { userId, name }] of users.entries()) {
    const by = { guildId, user: { id: userId, name: `${name}-CANARY` } };
    const submission = { server: `s${i}.example.com`, port: 27015, game: 'cs2' };
    await submitted(store, by, { submission, at: Date.now() - 60_000 + i });
  }
  await store.stop();
  await scene.startBot();
}

describe('/privacy', () => {
  it('says what is stored, who gets it and for how long, to whoever asks', async () => {
    const said = textOf(await scene.member.slash('privacy'));
    expect(said).toContain('(only you can see this)');
    for (const words of [
      'API key of this Discord server: encrypted, with its last four characters, who set it and when, and what',
      'Submissions',
      'kept for 365 days, those that were refused or not sent for 30, and',
      'at most the latest 100,000',
      'gone within minutes; what the bot could not answer, at its next start, and after 30 days at the latest',
      'everything else after 30 days',
      'operates this bot',
    ]) {
      expect(said).toContain(words);
    }
    expect(said).toContain('[ Delete my name ]');
    expect(said).not.toContain("Delete all of this Discord server's data");
    expect(textOf(await scene.person({ locale: 'de' }).slash('privacy'))).toContain(
      'Was dieser Bot speichert',
    );
  });

  it('takes a member’s own name out of the submissions, and nobody else’s', async () => {
    const other = scene.person({ role: 'other' });
    await submissions(scene.member, other, scene.member);
    const message = await overview();
    const said = textOf(await scene.member.press(message, 'Delete my name'));
    expect(said).toContain('Your name and id were removed from 2 submissions of this Discord server.');
    expect(said).toContain('Last traces leave the file at the next restart.');
    const bytes = bytesOnDisk(file());
    expect(bytes).not.toContain(`${scene.member.name}-CANARY`);
    expect(bytes).not.toContain(scene.member.userId);
    expect(bytes).toContain(`${other.name}-CANARY`);
    expect(bytes).toContain('s2.example.com');
    await scene.restart();
    expect(textOf(await scene.member.press(message, 'Delete my name'))).toContain('Your name is in none of');
  });

  it('has everything deleted, after a start, that it was deleting when it was killed', async () => {
    await submissions(scene.member);
    await scene.bot.stop();
    const store = await openStore(file());
    await store.set(`deleting:${scene.member.guildId}`, true);
    await store.stop();
    await scene.startBot();
    expect(textOf(await scene.admin.slash('keystatus'))).toContain('has no API key');
    expect(bytesOnDisk(file())).not.toContain('CANARY');
    expect(scene.output()).toContain('an interrupted deletion was finished');
  });

  it('lets an admin delete all the data of the server, after asking, and of no other server', async () => {
    await submissions(scene.member);
    const elsewhere = scene.person({ role: 'admin', guild: 1 });
    await setKey(elsewhere, 'sandbox-key');
    const question = messageOf(
      await scene.admin.press(await overview(scene.admin), "Delete all of this Discord server's data"),
    );
    expect(question.current?.content).toContain('This cannot be undone.');
    expect(bytesOnDisk(file())).toContain('CANARY');

    await scene.restart();
    const said = textOf(await scene.admin.press(question, 'Delete everything'));
    expect(said).toContain('Deleted; last traces leave the file at the next restart.');
    expect(said).not.toContain('[ Delete everything ]');
    const bytes = bytesOnDisk(file());
    expect(bytes).not.toContain(scene.admin.guildId);
    expect(bytes).not.toContain('CANARY');
    expect(bytes).toContain(`api-key:${elsewhere.guildId}`);

    expect(textOf(await scene.admin.slash('keystatus'))).toContain('has no API key');
    await setKey(scene.admin, 'sandbox-key');
    expect(textOf(await scene.admin.slash('keystatus'))).toContain('API key');
    expect(textOf(await elsewhere.slash('keystatus'))).toContain('Last worked');
  });

  it('asks for the permission again at each press', async () => {
    const message = await overview(scene.admin);
    const question = messageOf(await scene.admin.press(message, "Delete all of this Discord server's data"));
    scene.discord.guildEvents.setPermissions(scene.admin, 0n);
    const refused = textOf(await scene.admin.press(message, "Delete all of this Discord server's data"));
    expect(refused).toContain('This takes the permission “Manage Server”.');
    await scene.admin.press(question, 'Delete everything');
    const said = scene.discord.messages(scene.admin).map(({ current }) => current?.content);
    expect(said.at(-1)).toContain('This takes the permission “Manage Server”.');
    expect(bytesOnDisk(file())).toContain(`api-key:${scene.admin.guildId}`);
  });
});
