import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { idsOf, postButton } from '../support/forged-button.ts';
import { labelsOf } from '../support/lists.ts';
import { messageOf, modalOf, openAppScene, type Scene, textOf } from '../support/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openAppScene({ key: 'sandbox-key' });
});
afterAll(() => scene.close());

const REFUSED = 'This button no longer works; run the command again.';

describe('a button', () => {
  it('works for the member who was given it, over a restart too', async () => {
    const page = messageOf(await scene.member.slash('games'));
    expect(textOf(await scene.member.press(page, 'Next'))).toContain('Page 2');
    await scene.restart();
    expect(textOf(await scene.member.press(page, 'Previous'))).toContain('Page 1');
  });

  it('is refused to another member, in another server, and when its custom id was altered', async () => {
    const { Next: id = '' } = idsOf(await scene.member.slash('games'));
    expect(textOf(await scene.member.press(await postButton(scene, 0, id), 'Go'))).toContain('Page 2');

    const posted = await postButton(scene, 0, id);
    expect(textOf(await scene.person({ role: 'other' }).press(posted, 'Go'))).toContain(REFUSED);
    // It is there for others too.
    expect(labelsOf({ kind: 'message', message: posted })).toEqual(['Go']);
    const elsewhere = scene.person({ role: 'member', guild: 1 });
    expect(textOf(await elsewhere.press(await postButton(scene, 1, id), 'Go'))).toContain(REFUSED);
    const altered = id.replace('page:2', 'page:1');
    expect(altered).not.toBe(id);
    expect(textOf(await scene.member.press(await postButton(scene, 0, altered), 'Go'))).toContain(REFUSED);
    expect(textOf(await scene.member.press(await postButton(scene, 0, 'games:page:1:'), 'Go'))).toContain(
      REFUSED,
    );
  });
});

/** A bot that reads its token anew at each start, from a file that `reset` writes. */
async function openWithToken(): Promise<{ ours: Scene; reset: (token: string) => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'token-'));
  const file = join(folder, 'token');
  const ours = await openAppScene({ startBot: false, env: { DISCORD_TOKEN: '', DISCORD_TOKEN_FILE: file } });
  await writeFile(file, ours.token);
  await ours.startBot();
  onTestFinished(async () => {
    await ours.close();
    await rm(folder, { recursive: true });
  });
  return {
    ours,
    async reset(token) {
      await writeFile(file, token);
      ours.discord.gateway.replaceToken(token);
      await ours.restart();
    },
  };
}

it('after a reset of the bot token buttons, menus and forms say what to do', async () => {
  const { ours, reset } = await openWithToken();
  const { admin } = ours;
  const [settings, second] = [
    messageOf(await admin.slash('settings')),
    messageOf(await admin.slash('settings')),
  ];
  const form = modalOf(await admin.press(settings, 'Daily quota …'));
  await reset('MTExMTExMTExMTExMTExMTEx.reset0.a-token-that-was-made-anew-1234567');
  expect(textOf(await admin.press(settings, 'Announce submissions'))).toContain(REFUSED);
  expect(textOf(await admin.pick(second, ['#staff']))).toContain('This menu no longer works; run the');
  // Nothing but the link works on them any more, and only the admin sees them.
  for (const message of [settings, second]) {
    await expect.poll(() => labelsOf({ kind: 'message', message })).toEqual(['Who may use a command']);
    expect(message.current?.content).toContain('Daily quota');
  }
  expect(textOf(await admin.submit(form, { quota: '5' }))).toContain('This form no longer works; run the');
  const again = messageOf(await admin.slash('settings'));
  expect(textOf(await admin.press(again, 'Announce submissions'))).toContain('Announcements: on');
});
