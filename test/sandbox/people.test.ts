import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { openRawBot, type RawBot, raw } from './support/raw.ts';

async function open(): Promise<RawBot> {
  const bot = await openRawBot();
  onTestFinished(async () => {
    await bot.standIn.close();
    expect(bot.standIn.breaches).toEqual([]);
  });
  return bot;
}

const button = (custom_id: string, more: object = {}) => ({
  type: 2,
  style: 1,
  label: custom_id,
  custom_id,
  ...more,
});
const row = (...components: object[]) => ({ type: 1, components });
const file = (filename: string) => ({ filename, bytes: Buffer.from('a,b') });

/** Replies to the next interaction with this message. @returns the message as the user sees it */
async function answered(bot: RawBot, coming: Promise<Answer>, data: object) {
  await bot.respond(await bot.nextInteraction(), { type: 4, data });
  const answer = await coming;
  if (answer.kind !== 'message') throw new Error(`expected a message, got ${answer.kind}`);
  return answer.message;
}

describe('a simulated direct message', () => {
  it('supports buttons and commands', async () => {
    const bot = await open();
    const { standIn, guild, person } = bot;
    const channelId = standIn.directChannel(person.userId);
    const components = [row(button('again'))];
    await raw(standIn, `POST /channels/${channelId}/messages`, { json: { content: 'words', components } });
    const [message] = standIn.messages({ channelId });
    if (message === undefined) throw new Error('there is no message');
    const coming = person.press(message, 'again');
    const interaction = await bot.nextInteraction();
    expect(interaction).toMatchObject({
      user: { id: person.userId },
      context: 1,
      authorizing_integration_owners: { 0: '0' },
      channel: { id: channelId, type: 1 },
      message: { id: message.id },
    });
    expect(Object.keys(interaction)).not.toEqual(expect.arrayContaining(['guild_id']));
    expect(Object.keys(interaction)).not.toEqual(expect.arrayContaining(['member']));
    await bot.respond(interaction, { type: 7, data: { content: 'pressed' } });
    expect(await coming).toMatchObject({ kind: 'message', message: { current: { content: 'pressed' } } });
    const stranger = standIn.person({ guild, name: 'stranger', permissions: 0n });
    expect(await stranger.press(message, 'again')).toEqual({ kind: 'rejected', why: 'the message is gone' });
    const { userId } = person;
    const there = standIn.person({ guild, name: 'mason', permissions: 0n, userId, channelId });
    await raw(standIn, `PUT /applications/${standIn.applicationId}/commands`, {
      json: [
        { name: 'here', description: 'In a guild', contexts: [0] },
        { name: 'there', description: 'In both', contexts: [0, 1] },
      ],
    });
    expect(there.commands().map(({ name }) => name)).toEqual(['there']);
  });
});

describe('a simulated command', () => {
  it('is shown only to users who are allowed to use it', async () => {
    const bot = await open();
    const { standIn, guild, person } = bot;
    const names = (who = person) => who.commands().map(({ name }) => name);
    expect(names()).toEqual(['read', 'choose', 'Use']);
    expect(names(standIn.person({ guild, name: 'admin', permissions: 32n }))).toContain('manage');
    const id = standIn.commands().find(({ name }) => name === 'manage')?.id ?? '';
    standIn.allowCommand(person, id);
    expect(names()).toContain('manage');
    standIn.guildEvents.remove(guild);
    expect(names()).toEqual([]);
  });

  it.each([
    ['nothing', {}, 'there is no command nothing here'],
    ['manage', {}, 'there is no command manage here'],
    ['read', { which: 'a' }, 'which is not an option of this command'],
    ['read', { what: 'x'.repeat(11) }, 'what is too long'],
    ['read', { what: 'a\nb' }, 'what is a single line'],
    ['read', { what: 1 }, 'what has a value of the wrong kind'],
    ['read', { count: 6 }, 'count is too large'],
    ['read', { count: 0 }, 'count is too small'],
    ['read', { count: 1.5 }, 'count has a value of the wrong kind'],
    ['read', { who: '123456789012345678' }, 'who is not a member here'],
    ['read', { file: file('list.exe') }, 'file is not a file of an accepted type'],
    ['choose', {}, 'one is required'],
    ['choose', { one: 'b' }, 'one is not one of the choices'],
  ])("isn't sent if its options are invalid: %s %o", async (name, options, why) => {
    const bot = await open();
    expect(await bot.person.slash(name, options)).toEqual({ kind: 'rejected', why });
  });
});

describe('a simulated reply', () => {
  it('is lost if the bot misses a deadline', async () => {
    const bot = await open();
    const { standIn, person } = bot;
    const silent = person.slash('read');
    standIn.clock.advance(3_001);
    expect(await silent).toEqual({ kind: 'lost' });
    await bot.nextInteraction();
    const thinking = person.slash('read');
    await bot.respond(await bot.nextInteraction(), { type: 5 });
    await expect.poll(() => standIn.messages(person).length).toBe(1);
    standIn.clock.advance(15 * 60_000);
    expect(await thinking).toEqual({ kind: 'lost' });
  });
});

describe('a simulated message', () => {
  it('lets users press only visible, enabled buttons', async () => {
    const bot = await open();
    const { standIn, guild, person } = bot;
    const components = [
      row(button('go'), button('off', { disabled: true }), {
        type: 2,
        style: 5,
        label: 'Look',
        url: 'https://example.com/',
      }),
    ];
    const message = await answered(bot, person.slash('read'), { content: 'a', components, flags: 64 });
    for (const [label, why] of [
      ['none', 'there is no button none'],
      ['off', 'the button off is disabled'],
      ['Look', 'the button Look does not send anything to the bot'],
    ] as const)
      expect(await person.press(message, label)).toEqual({ kind: 'rejected', why });
    const other = standIn.person({ guild, name: 'other', permissions: 0n });
    expect(await other.press(message, 'go')).toMatchObject({ kind: 'rejected' });
  });

  it("rejects values that its select menus don't offer", async () => {
    const bot = await open();
    const { person } = bot;
    const options = ['a', 'b', 'c'].map((value) => ({ label: value.toUpperCase(), value }));
    const message = await answered(bot, person.slash('read'), {
      content: 'a',
      components: [
        row({ type: 3, custom_id: 'text', options, min_values: 0, max_values: 2 }),
        row({ type: 8, custom_id: 'channel', channel_types: [0] }),
        row({ type: 6, custom_id: 'role' }),
      ],
    });
    expect(await person.pick(message, ['A', 'B', 'C'])).toMatchObject({
      why: 'the select accepts 0 to 2 values',
    });
    expect(await person.pick(message, ['#news'])).toMatchObject({ why: 'no select offers #news' });
    expect(await person.pick(message, ['A'], 'role')).toMatchObject({ why: 'no select offers A' });
  });
});

describe('a simulated modal', () => {
  const label = (custom_id: string, more: object = {}) => ({
    type: 18,
    label: custom_id,
    component: { type: 4, custom_id, style: 1, ...more },
  });
  const options = [
    { label: 'A', value: 'a' },
    { label: 'B', value: 'b', default: true },
  ];
  const labelled = (custom_id: string, component: object) => ({
    type: 18,
    label: custom_id,
    component: { ...component, custom_id, required: false },
  });
  const TEXTS = [
    label('key', { min_length: 3, max_length: 5 }),
    label('more', { required: false, value: 'x' }),
  ];
  async function opened(bot: RawBot, components: readonly object[] = TEXTS) {
    const coming = bot.person.slash('read');
    await bot.respond(await bot.nextInteraction(), {
      type: 9,
      data: { custom_id: 'm', title: 'Title', components },
    });
    const answer = await coming;
    if (answer.kind !== 'modal') throw new Error(`a modal was expected: ${answer.kind}`);
    return answer.modal;
  }

  it('can only be submitted once', async () => {
    const bot = await open();
    const modal = await opened(bot);
    const coming = bot.person.submit(modal, { key: 'abc' });
    await bot.respond(await bot.nextInteraction(), { type: 4, data: { content: 'saved' } });
    await coming;
    const why = 'this modal is not open here';
    expect(await bot.person.submit(modal, { key: 'abc' })).toEqual({ kind: 'rejected', why });
  });

  it.each([
    [{}, 'key is required'],
    [{ key: 'ab' }, 'key is too short'],
    [{ key: 'abcdef' }, 'key is too long'],
    [{ key: 'ab\nc' }, 'key is a single line'],
    [{ key: 'abc', other: 'a' }, 'other is not a field of this modal'],
  ])("can't be submitted with invalid text: %o", async (values, why) => {
    const bot = await open();
    expect(await bot.person.submit(await opened(bot), values)).toEqual({ kind: 'rejected', why });
  });

  const CHOICES = [
    labelled('pick', { type: 3, options }),
    labelled('file', { type: 19, min_values: 0, file_types: ['.csv'] }),
  ];

  it.each([
    [{ pick: 'C' }, 'pick offers no such option'],
    [{ file: file('list.exe') }, 'file is not a file of an accepted type'],
  ])("can't be submitted with invalid choices: %o", async (entered, why) => {
    const bot = await open();
    expect(await bot.person.submit(await opened(bot, CHOICES), entered)).toEqual({ kind: 'rejected', why });
  });

  it("can be submitted again if the bot didn't respond", async () => {
    const bot = await open();
    const { standIn, guild, person } = bot;
    const modal = await opened(bot);
    const lost = person.submit(modal, { key: 'abc' });
    await bot.nextInteraction();
    standIn.clock.advance(3_001);
    expect(await lost).toEqual({ kind: 'lost' });
    const other = standIn.person({ guild, name: 'other', permissions: 0n });
    expect(await other.submit(modal, { key: 'abc' })).toMatchObject({ kind: 'rejected' });
    void person.submit(modal, { key: 'abc' });
    expect(await bot.nextInteraction()).toMatchObject({ type: 5 });
  });
});
