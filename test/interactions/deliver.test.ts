import { ComponentType, DiscordAPIError, InteractionType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { DiscordApi, MessageBody } from '../../src/discord/api.ts';
import { createChannelPosts, type PostResult } from '../../src/discord/channel-posts.ts';
import { fitChoices, fitTexts } from '../../src/discord/limits.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import { announce } from '../../src/interactions/announce.ts';
import type { Reply } from '../../src/interactions/command.ts';
import { deliver, firstResponse, updateResponse } from '../../src/interactions/deliver.ts';
import { type Interaction, readInteraction } from '../../src/interactions/interaction.ts';
import { createProgress } from '../../src/interactions/progress.ts';
import { createWords } from '../../src/words/words.ts';
import { createTestClock, recorder } from '../support/machine.ts';

const DAY_MS = 86_400_000;

const FILES = [
  { id: '8', filename: 'preview-1.csv' },
  { id: '9', filename: 'old.csv' },
];
/** The content of the button's message. */
const SHOWN = { content: '', embeds: [], components: [] };
const REPLY: Reply = { content: 'a', embeds: [{ title: 'b' }], components: [] };

/** Creates an interaction for a press on a button. The button's message is a reply to an earlier interaction. */
const press = (id: string, madeBy = id): Interaction =>
  readInteraction(
    {
      id,
      application_id: '2',
      token: 'token',
      type: InteractionType.MessageComponent,
      member: { user: { id: '5', username: 'mia' } },
      data: { component_type: ComponentType.Button, custom_id: 'a:b:' },
      message: { interaction_metadata: { id: madeBy }, attachments: FILES },
    },
    0,
  );

/** Delivers a reply to a message that no other delivery is editing. */
const ALONE = {
  editOrder: { isLatest: async () => true },
  message: 'a message',
  fallback: String,
};

/** Returns the message that the bot sends for a reply. */
async function sentFor(reply: Reply): Promise<MessageBody> {
  const sent: MessageBody[] = [];
  const send = async (_interaction: unknown, message: MessageBody) => void sent.push(message);
  const api = { edit: send, followUp: send, read: async () => 'answered' as const };
  await deliver({ ...ALONE, api, interaction: press('1'), shown: SHOWN }, reply);
  const [message] = sent;
  if (message === undefined) throw new Error('nothing was sent');
  return message;
}

describe('a reply', () => {
  it.each(['x', '🎮', '\\*', '`'])("is truncated to fit Discord's limits: %s", (character) => {
    const long = character.repeat(5_000);
    const embed = { title: long, description: long, footer: { text: long } };
    const { content = '', embeds = [] } = fitTexts({ content: long, embeds: [embed] });
    const [{ title = '', description = '', footer = { text: '' } } = {}] = embeds;
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(title.length).toBeLessThanOrEqual(256);
    expect(description.length).toBeLessThanOrEqual(4_096);
    expect(footer.text.length).toBeLessThanOrEqual(2_048);
    expect((title + description + footer.text).length).toBeLessThanOrEqual(6_000);
    // If an embed only has a description, Discord's limit for descriptions applies.
    const [alone] = fitTexts({ embeds: [{ description: long }] }).embeds;
    expect(alone?.description?.length).toBeLessThanOrEqual(4_096);
  });

  it("isn't changed if it fits", () => {
    const embed = { title: 'a', description: 'b'.repeat(4_096), footer: { text: 'c' }, color: 1 };
    const reply = { content: 'd'.repeat(2_000), embeds: [embed] };
    expect(fitTexts(reply)).toEqual(reply);
  });

  it("keeps an embed's title and footer when its description is truncated", () => {
    const long = {
      title: 'a'.repeat(256),
      description: 'b'.repeat(4_096),
      footer: { text: 'c'.repeat(2_048) },
    };
    const [embed] = fitTexts({ embeds: [long] }).embeds;
    expect([embed?.title, embed?.footer]).toEqual([long.title, long.footer]);
    expect(embed?.description?.length).toBe(6_000 - 256 - 2_048);
  });

  it('is private when sent as the initial response', () => {
    expect(firstResponse(REPLY)).toMatchObject({ type: 4, data: { ...REPLY, flags: 64 } });
    expect(firstResponse('a text')).toMatchObject({ data: { content: 'a text', embeds: [], flags: 64 } });
  });

  it('replaces the whole message when sent as an update', () => {
    const nothing = { content: '', embeds: [], components: [], attachments: [] };
    expect(updateResponse({}, SHOWN)).toMatchObject({ type: 7, data: nothing });
    expect(updateResponse(REPLY, SHOWN)).toMatchObject({ data: { ...REPLY, attachments: [] } });
  });

  it('replaces the files on the message it edits', async () => {
    const file = { name: 'new.csv', data: Buffer.from('a') };
    const attachmentsOf = async (reply: Reply) => (await sentFor(reply)).body.attachments;
    expect(await attachmentsOf(REPLY)).toEqual([]);
    expect(await attachmentsOf({ files: [file] })).toEqual([{ id: 0, filename: 'new.csv' }]);
    expect((await sentFor({ files: [file] })).files).toEqual([file]);
  });
});

describe('a reply that Discord rejects', () => {
  const refusal = (code: number, status = 400) =>
    new DiscordAPIError({ code, message: 'no' }, code, status, 'PATCH', 'https://discord.test', {});

  /** Returns the content of each attempt to send a reply, with Discord accepting only `accepted`. */
  async function textsSent(why: Error, accepted: string): Promise<string[]> {
    const sent: string[] = [];
    const edit: DiscordApi['edit'] = async (_interaction, { body }) => {
      sent.push(String(body.content));
      if (body.content !== accepted) throw why;
    };
    const api = { edit, followUp: edit, read: async () => 'thinking' as const };
    const fallback = () => 'instead';
    const delivery = { ...ALONE, api, fallback, interaction: press('1'), shown: undefined };
    await deliver(delivery, REPLY).catch((error) => expect(error).toBe(why));
    return sent;
  }

  it.each([
    ['a bad form', 50_035, 400],
    ['uploads that are limited for the guild', 400_001, 403],
    ['a request that is too large', 40_005, 413],
    ['an unknown reason', 999_999, 422],
  ])('is resent as plain text, and then as the fallback text (%s)', async (_what, code, status) => {
    expect(await textsSent(refusal(code, status), 'a\nb')).toEqual(['a', 'a\nb']);
    expect(await textsSent(refusal(code, status), 'instead')).toEqual(['a', 'a\nb', 'instead']);
  });

  it('is immediately replaced with the fallback text if the error is about a link', async () => {
    expect(await textsSent(refusal(240_000), 'instead')).toEqual(['a', 'instead']);
  });

  it.each([
    [0, 401],
    [50_027, 401],
    [10_015, 404],
    [10_062, 404],
    [0, 408],
    [0, 429],
    [40_060, 400],
  ])('is dropped after error %i with status %i', async (code, status) => {
    expect(await textsSent(refusal(code, status), 'instead')).toEqual(['a']);
  });
});

describe('autocomplete choices', () => {
  const valuesOf = (choices: readonly { name: string; value: string }[]) =>
    fitChoices(choices).map(({ value }) => value);
  const choice = (value: string) => ({ name: value, value });

  it('are limited to 25, excluding any that Discord would reject', () => {
    expect(valuesOf(Array.from({ length: 30 }, (_, n) => choice(`${n}`)))).toHaveLength(25);
    const odd = ['', ' ', 'a'.repeat(101), '🎮'.repeat(51), '🎮'.repeat(50), 'b'.repeat(100)];
    expect(valuesOf(odd.map(choice))).toEqual(odd.slice(4));
  });

  it('have unique names within the length limit', () => {
    const names = ['x'.repeat(101), 'x'.repeat(102), '', 'y'];
    const fit = fitChoices(names.map((name, n) => ({ name, value: `${n}` })));
    expect(fit.map(({ name, value }) => `${name.length} ${value}`)).toEqual(['100 0', '1 2', '1 3']);
  });
});

describe('a reply that edits a message', () => {
  it.each([
    { state: 'answered', shown: undefined, times: 1 },
    { state: 'thinking', shown: undefined, times: 2 },
    // That the message exists doesn't prove that the edit was applied.
    { state: 'answered', shown: SHOWN, times: 2 },
  ] as const)('is resent after a lost connection unless it arrived (state: $state, attempts: $times)', async (each) => {
    let sent = 0;
    const api = {
      async edit() {
        sent += 1;
        if (sent === 1) throw Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' });
      },
      followUp: async () => undefined,
      read: async () => each.state,
    };
    await deliver({ ...ALONE, api, interaction: press('1'), shown: each.shown }, { content: 'done' });
    expect(sent).toBe(each.times);
  });

  it('is resent if an earlier progress edit might overwrite it', async () => {
    const shown: unknown[] = [];
    const late = Promise.withResolvers<void>();
    const api = {
      async edit(_interaction: unknown, { body }: MessageBody) {
        if (body.content !== 'half') return void shown.push(body.content);
        void late.promise.then(() => shown.push(body.content));
        throw Object.assign(new Error('no answer came'), { code: 'ECONNRESET' });
      },
      followUp: async () => undefined,
      read: async () => 'answered' as const,
    };
    const interaction = press('1');
    const progress = createProgress(api, interaction, async () => true);
    progress.show({ content: 'half' });
    await progress.currentEditDone();
    const delivered = deliver({ ...ALONE, api, interaction, shown: SHOWN, progress }, { content: 'done' });
    await expect.poll(() => shown).toEqual(['done']);
    late.resolve();
    await delivered;
    expect(shown).toEqual(['done', 'half', 'done']);
  });

  it("isn't resent if the bot is already sending a newer reply", async () => {
    const written: boolean[] = [];
    const edit: DiscordApi['edit'] = async (_interaction, _message, isLatest) =>
      void written.push((await isLatest?.()) === true);
    const api = { edit, followUp: edit, read: async () => 'answered' as const };
    const editOrder = { isLatest: async () => written.length === 0 };
    const progress = { isShown: () => true, isUncertain: () => true };
    await deliver(
      { ...ALONE, api, editOrder, interaction: press('1'), shown: SHOWN, progress },
      { content: 'done' },
    );
    expect(written).toEqual([true, false]);
  });

  it("isn't sent if another process is already sending a newer reply", async () => {
    const isWanted: unknown[] = [];
    const edit: DiscordApi['edit'] = async (_interaction, _message, isLatest) =>
      void isWanted.push(await isLatest?.());
    const api = { edit, followUp: edit, read: async () => 'thinking' as const };
    const editOrder = { isLatest: async () => false };
    await deliver(
      { ...ALONE, api, editOrder, interaction: press('1'), shown: undefined },
      { content: 'done' },
    );
    expect(isWanted).toEqual([false]);
  });
});

it('a reply waits until the current progress edit has finished', async () => {
  const edits = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  const edit = async () => edits[count++]?.promise;
  const progress = createProgress({ edit }, press('1'), async () => true);
  progress.show({ embeds: [{ title: 'a third' }] });
  progress.show({ embeds: [{ title: 'a half' }] });
  expect(count).toBe(1);
  const order: string[] = [];
  const ended = progress.currentEditDone().then(() => order.push('the end'));
  order.push('the answer of Discord');
  edits[0]?.reject(new Error('Discord is down'));
  await ended;
  expect(order).toEqual(['the answer of Discord', 'the end']);
  // Progress is shown at most once in two seconds.
  progress.show({ embeds: [{ title: 'the whole' }] });
  expect(count).toBe(1);
});

const notifyGuild = async () => undefined;
const announcements = { channelOf: async () => undefined, setTrouble: async () => undefined };

it.each<[what: string, result: PostResult, said: string[]]>([
  ['is posted in its channel', 'posted', ['post']],
  ['is not repeated if it may have been posted', 'failed', ['post']],
  ['becomes a follow-up if Discord rejects the post', 'no-access', ['post', 'follow-up']],
])('an announcement %s', async (_what, result, said) => {
  const done: string[] = [];
  const posts = {
    async post() {
      done.push('post');
      return result;
    },
    wasRejected: () => false,
  };
  const api = { followUp: async () => void done.push('follow-up') };
  await announce(
    { api, posts, notifyGuild, announcements },
    press('1'),
    { content: 'mia has done it', embed: { title: 'it' } },
    '',
  );
  expect(done).toEqual(said);
});

it('a channel gets no announcements for a day after Discord rejects one', async () => {
  const clock = createTestClock();
  const done: string[] = [];
  const refusal = new DiscordAPIError({ code: 50_001, message: 'No' }, 50_001, 403, 'POST', '', {});
  const api = {
    async post(route: string) {
      done.push(route);
      throw refusal;
    },
    get: async () => undefined,
    patch: async () => undefined,
    followUp: async () => void done.push('follow-up'),
  };
  const posts = createChannelPosts({ api, logger: recorder() });
  const announceIn = (channelId: string) =>
    announce(
      { api, posts, notifyGuild, announcements },
      { ...press('1'), channelId },
      { content: 'done', embed: { title: 'it' } },
      '',
    );
  await announceIn('7');
  // The clock also keeps running on its own.
  clock.advance(DAY_MS - 60_000);
  await announceIn('7');
  await announceIn('8');
  const [seven, eight] = ['/channels/7/messages', '/channels/8/messages'];
  expect(done.splice(0)).toEqual([seven, 'follow-up', 'follow-up', eight, 'follow-up']);
  clock.advance(60_000);
  await announceIn('7');
  expect(done).toEqual([seven, 'follow-up']);
});

it('admins are notified of failing announcements at most once a day', async () => {
  const clock = createTestClock();
  let refusal = new DiscordAPIError({ code: 50_001, message: 'No' }, 50_001, 403, 'POST', '', {});
  const done: string[] = [];
  const api = {
    post: () => Promise.reject(refusal),
    get: async () => undefined,
    patch: async () => undefined,
    followUp: async () => void done.push('follow-up'),
  };
  const posts = createChannelPosts({ api, logger: recorder() });
  const notified: string[] = [];
  const { wordsFor } = createWords();
  let trouble: Settings['announceTrouble'];
  const chosen = {
    channelOf: async () => ({ channelId: '77', trouble, notifyRoleId: undefined }),
    async setTrouble(_guildId: string, _channelId: string, found: Settings['announceTrouble']) {
      trouble = found;
    },
  };
  const announceIt = () =>
    announce(
      {
        api,
        posts,
        notifyGuild: async (_id, make) => void notified.push(make(wordsFor('en-US'))),
        announcements: chosen,
      },
      press('1'),
      { channelId: '77', content: 'mia has done it' },
      '/settings',
    );
  await announceIt();
  await announceIt();
  expect(done).toEqual([]);
  expect(notified).toEqual([
    expect.stringMatching(/^⚠️ An announcement couldn't be posted in <#77>.*\/settings/),
  ]);
  clock.advance(DAY_MS);
  await announceIt();
  expect(notified).toHaveLength(2);
  // An admin chooses the channel again.
  expect(trouble).toBe('no-access');
  trouble = undefined;
  refusal = new DiscordAPIError({ code: 10_003, message: 'No' }, 10_003, 404, 'POST', '', {});
  await announceIt();
  expect(notified.slice(2)).toEqual([expect.stringMatching(/its channel was deleted.*\/settings/)]);
});

it("a message's embeds share a limit of 6,000 characters", () => {
  const embed = { title: 'x'.repeat(256), description: 'x'.repeat(4_096) };
  const { embeds = [] } = fitTexts({ embeds: [embed, embed, embed] });
  const lengths = embeds.map(({ title = '', description = '' }) => title.length + description.length);
  expect(lengths).toEqual([4_352, 1_648]);
});
