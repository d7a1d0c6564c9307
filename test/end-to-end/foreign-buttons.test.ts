import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf, postButton } from '../support/forged-button.ts';
import { messageOf, openScene, type Scene, textOf } from '../support/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene({ key: 'sandbox-key' });
});
afterAll(() => scene.close());

const REFUSED = 'This button or form belongs to another member or server, or is too old.';

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

    expect(
      textOf(await scene.person({ role: 'other' }).press(await postButton(scene, 0, id), 'Go')),
    ).toContain(REFUSED);
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
