import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { modalFields } from '../../sandbox/prompt/modal-line.ts';
import { labelsOf, read, reported, submit, upload } from '../support/lists.ts';
import { inNewGuild, messageOf, modalOf, openAppScene, type Scene, textOf } from '../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openAppScene({ env: { LISTING_URL: 'https://list.example.com/' } });
});
afterEach(() => scene.listing.behave({ kind: 'ok' }));
afterAll(() => scene.close());

const list = (person: Person, content: string) =>
  person.slash('addservers', { file: upload('list.txt', content) });
const again = (answer: Answer) => ({ kind: 'message', message: messageOf(answer) }) as const;

/** Ten drafts more: those before them are gone. */
async function tenMore(person: Person): Promise<void> {
  for (let n = 0; n < 10; n++) {
    await person.slash('addserver', { game: 'cs2', server: `n${n}.example.com` });
  }
}

const LANGUAGES = [
  {
    locale: 'en-US',
    labels: { submit: 'Submit 1 game server', edit: 'Edit', cancel: 'Cancel', use: 'Use 27015' },
    listGone: 'This list is no longer there',
    serverGone: 'What you typed is no longer kept',
  },
  {
    locale: 'de',
    labels: {
      submit: '1 Spielserver absenden',
      edit: 'Bearbeiten',
      cancel: 'Abbrechen',
      use: '27015 nehmen',
    },
    listGone: 'Diese Liste ist nicht mehr da',
    serverGone: 'Was du eingegeben hast, ist nicht mehr da',
  },
] as const;

describe.each(LANGUAGES)('a message that is over ($locale)', ({ locale, labels, listGone, serverGone }) => {
  it.each([
    'submit',
    'edit',
    'cancel',
  ] as const)('loses the buttons of its list when %s is pressed, and keeps what it says', async (name) => {
    const member = (await inNewGuild(scene, { key: 'sandbox-key' })).person({ locale });
    const preview = await list(member, 'a.example.com:1 cs2\nb.example.com:0 cs2');
    expect(labelsOf(preview)).toEqual([labels.submit, labels.edit, labels.cancel]);
    const before = messageOf(preview).current?.content;
    await tenMore(member);
    const said = await member.press(messageOf(preview), labels[name]);
    expect(textOf(said)).toContain(listGone);
    await expect.poll(() => labelsOf(again(preview))).toEqual([]);
    expect(messageOf(preview).current?.content).toBe(before);
    expect(messageOf(preview).file('preview.csv')).toBeDefined();
  });

  it.each([
    'use',
    'edit',
  ] as const)('loses the buttons of its game server when %s is pressed', async (name) => {
    const member = (await inNewGuild(scene, { key: 'sandbox-key' })).person({ locale });
    const refused = await member.slash('addserver', { game: 'cs2', server: 'first.example.com' });
    expect(labelsOf(refused)).toEqual([labels.use, labels.edit]);
    await tenMore(member);
    expect(textOf(await member.press(messageOf(refused), labels[name]))).toContain(serverGone);
    await expect.poll(() => labelsOf(again(refused))).toEqual([]);
  });
});

describe('a report', () => {
  it('loses its buttons when what it offered has gone through another message, but not the link', async () => {
    const { member } = await inNewGuild(scene, { key: 'sandbox-key' });
    await scene.listing.behave({ kind: 'status', status: 500 }, 1);
    const report = await submit(member, await list(member, 'a.example.com:1 rust\nb.example.com:0 rust'));
    expect(labelsOf({ kind: 'message', message: report })).toEqual(['Edit', 'Check the list']);
    const modal = modalOf(await member.press(report, 'Edit'));
    const [field] = modalFields(modal.data);
    const corrected = await member.submit(modal, { servers: (field?.value ?? '').replace(':0', ':2') });
    await submit(member, corrected);
    expect(labelsOf({ kind: 'message', message: report })).toEqual(['Edit', 'Check the list']);
    expect(textOf(await member.press(report, 'Edit'))).toContain('no longer there');
    await expect.poll(() => labelsOf({ kind: 'message', message: report })).toEqual(['Check the list']);
  });

  it('keeps its own buttons, however often its preview was pressed meanwhile', async () => {
    const { member } = await inNewGuild(scene, { key: 'sandbox-key' });
    const preview = await list(member, 'a.example.com:1 rust\nb.example.com:0 rust');
    const { gateway, clock } = scene.discord;
    const press = () => member.press(messageOf(preview), 'Submit 1 game server');
    // Pressed on the preview, and with the bot only when the report stands in its place.
    const lateMs = 1_500;
    const late = await new Promise<{ answer: Promise<Answer> }>((resolve) => {
      const answer = press();
      const alter = (payload: object) => {
        resolve({ answer });
        return payload;
      };
      gateway.disturbDispatch({ delayMs: lateMs, alter });
    });
    gateway.disturbDispatch({});
    await scene.listing.behave({ kind: 'slow', ms: 100 }, 1);
    await Promise.all([press(), press(), press()]);
    const { channelId, userId } = member;
    const said = () => scene.discord.messages({ channelId, userId }).map(({ current }) => current?.content);
    await expect.poll(() => said().filter((text) => text?.includes('no longer there'))).toHaveLength(2);
    const report = await reported(again(preview));
    expect(read(report)).toContain('1 sent for review');
    expect(labelsOf(again(preview))).toEqual(['Edit']);

    const looked = () =>
      scene.discord.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('original'));
    const before = looked().length;
    clock.advance(lateMs);
    expect(textOf(await late.answer)).toContain('no longer there');
    await expect.poll(() => looked().length).toBe(before + 1);
    const modal = modalOf(await member.press(report, 'Edit'));
    expect(modalFields(modal.data)[0]?.value).toContain('b.example.com:0 rust');
    expect(labelsOf(again(preview))).toEqual(['Edit']);
  });
});
