import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn, FormValue, Person, SeenModal } from '../../../../sandbox/discord/contract.ts';
import type { Guild } from '../../../../sandbox/discord/world/guilds.ts';
import { type Frame, nextInteraction, type RawGateway, raw, rawBot } from '../support/raw.ts';

let standIn: DiscordStandIn;
let gateway: RawGateway;
let guild: Guild;
let person: Person;

beforeEach(async () => {
  const commands = [{ name: 'ask', description: 'Opens a modal' }];
  ({ standIn, gateway, guild, person } = await rawBot(commands));
});

afterEach(() => standIn.close());

const someone = (name: string): Person => standIn.person({ guild, name, permissions: 0n });

const answer = (d: Frame['d'], json: unknown) =>
  raw(standIn, `POST /interactions/${d.id}/${d.token}/callback`, { json });

const options = ['a', 'b'].map((value) => ({ label: value.toUpperCase(), value }));
const MODAL = {
  custom_id: 'asked',
  title: 'A question',
  components: [
    { type: 10, content: 'Read this first' },
    {
      type: 18,
      label: 'Text',
      component: { type: 4, custom_id: 'text', style: 1, min_length: 2, max_length: 5, required: false },
    },
    { type: 18, label: 'Select', component: { type: 3, custom_id: 'select', options, max_values: 2 } },
    {
      type: 18,
      label: 'File',
      component: { type: 19, custom_id: 'file', required: false, file_types: ['.txt'] },
    },
    { type: 18, label: 'Sure?', component: { type: 23, custom_id: 'sure' } },
  ],
};

async function opened(who = person, data: unknown = MODAL): Promise<SeenModal> {
  const action = who.slash('ask');
  const { d } = await nextInteraction(gateway);
  await answer(d, { type: 9, data });
  const result = await action;
  if (result.kind !== 'modal') throw new Error(result.kind);
  return result.modal;
}

describe('rule 38: a modal submit', () => {
  it('is a new interaction with the tree of the modal and what was entered', async () => {
    const modal = await opened();
    const file = { filename: 'a.txt', bytes: Buffer.from('abc') };
    const submit = person.submit(modal, { text: 'abc', select: ['a', 'b'], file, sure: true });
    const { id, d } = await nextInteraction(gateway);
    expect(id).not.toBe(modal.interactionId);
    expect(d).toMatchObject({ type: 5, data: { custom_id: 'asked' } });
    expect(d).not.toHaveProperty('message');
    const { components, resolved } = d.data as { components: unknown; resolved: { attachments: object } };
    const [attachmentId] = Object.keys(resolved.attachments);
    expect(components).toEqual([
      { type: 10, id: expect.any(Number) },
      {
        type: 18,
        id: expect.any(Number),
        component: { type: 4, id: expect.any(Number), custom_id: 'text', value: 'abc' },
      },
      {
        type: 18,
        id: expect.any(Number),
        component: { type: 3, id: expect.any(Number), custom_id: 'select', values: ['a', 'b'] },
      },
      {
        type: 18,
        id: expect.any(Number),
        component: { type: 19, id: expect.any(Number), custom_id: 'file', values: [attachmentId] },
      },
      {
        type: 18,
        id: expect.any(Number),
        component: { type: 23, id: expect.any(Number), custom_id: 'sure', value: true },
      },
    ]);
    expect(JSON.stringify(components)).not.toContain('Read this first');
    await answer(d, { type: 4, data: { content: 'thanks' } });
    expect(await submit).toMatchObject({ kind: 'message' });
  });

  it('sends an empty text for a field that was left alone', async () => {
    const modal = await opened();
    const submit = person.submit(modal, { select: 'a' });
    const { d } = await nextInteraction(gateway);
    expect(JSON.stringify(d)).toContain('"custom_id":"text","value":""');
    standIn.clock.advance(3_001);
    expect(await submit).toEqual({ kind: 'lost' });
  });

  it.each<[string, Record<string, FormValue>, string]>([
    ['too short a text', { text: 'x', select: 'a' }, 'text is too short'],
    ['too long a text', { text: 'xxxxxx', select: 'a' }, 'text is too long'],
    ['a required select left empty', { text: 'abc' }, 'select is required'],
    ['what the select does not offer', { select: 'c' }, 'select is not one of the options'],
    [
      'another type of file',
      { select: 'a', file: { filename: 'a.exe', bytes: Buffer.from('') } },
      'file is not a file of an accepted type',
    ],
    ['an unknown field', { select: 'a', nothing: 'x' }, 'nothing is not a field of this modal'],
  ])('is not sent with %s', async (_what, values, why) => {
    const modal = await opened();
    expect(await person.submit(modal, values)).toEqual({ kind: 'refused', why });
  });

  it('comes only from who opened it, and only when it was opened', async () => {
    const modal = await opened();
    expect(await someone('else').submit(modal, { select: 'a' })).toMatchObject({ kind: 'refused' });
    const never = { ...modal, interactionId: '123456789012345678' };
    expect(await person.submit(never, { select: 'a' })).toMatchObject({ kind: 'refused' });
  });

  it('comes once, or again when nothing came of the first', async () => {
    const modal = await opened();
    const lost = person.submit(modal, { select: 'a' });
    await nextInteraction(gateway);
    standIn.clock.advance(3_001);
    expect(await lost).toEqual({ kind: 'lost' });
    const again = person.submit(modal, { select: 'a' });
    await answer((await nextInteraction(gateway)).d, { type: 4, data: { content: 'thanks' } });
    expect(await again).toMatchObject({ kind: 'message' });
    expect(await person.submit(modal, { select: 'a' })).toMatchObject({ kind: 'refused' });
  });

  it('is not sent when the bot is gone in the meantime', async () => {
    const modal = await opened();
    const [guild] = standIn.guilds;
    if (guild === undefined) throw new Error('no guild');
    standIn.guildEvents.remove(guild);
    expect(await person.submit(modal, { select: 'a' })).toEqual({ kind: 'refused', why: 'the bot is gone' });
  });

  it('names the message when a button opened the modal', async () => {
    const action = person.slash('ask');
    const { d } = await nextInteraction(gateway);
    const row = { type: 1, components: [{ type: 2, style: 1, label: 'Open', custom_id: 'open' }] };
    await answer(d, { type: 4, data: { content: 'x', components: [row] } });
    const shown = await action;
    if (shown.kind !== 'message') throw new Error(shown.kind);
    const press = person.press(shown.message, 'Open');
    await answer((await nextInteraction(gateway)).d, { type: 9, data: MODAL });
    const result = await press;
    if (result.kind !== 'modal') throw new Error(result.kind);
    const submit = person.submit(result.modal, { select: 'a' });
    const submitted = await nextInteraction(gateway);
    expect(submitted.d).toMatchObject({ message: { id: shown.message.id } });
    await answer(submitted.d, { type: 6 });
    standIn.clock.advance(15 * 60_000);
    expect(await submit).toMatchObject({ kind: 'message', message: { id: shown.message.id } });
  });
});

describe('messages', () => {
  it('are pressed and picked from only by those who see them, and only where it has an effect', async () => {
    const action = person.slash('ask');
    const { d } = await nextInteraction(gateway);
    const components = [
      {
        type: 1,
        components: [
          { type: 2, style: 5, label: 'Link', url: 'https://example.org' },
          { type: 2, style: 1, label: 'Off', custom_id: 'off', disabled: true },
        ],
      },
      { type: 1, components: [{ type: 3, custom_id: 'select', options, min_values: 1, max_values: 1 }] },
      { type: 1, components: [{ type: 5, custom_id: 'who' }] },
      { type: 1, components: [{ type: 6, custom_id: 'role' }] },
      {
        type: 1,
        components: [
          { type: 3, custom_id: 'off-too', options: [{ label: 'D', value: 'd' }], disabled: true },
        ],
      },
    ];
    await answer(d, { type: 4, data: { content: 'x', flags: 64, components } });
    const shown = await action;
    if (shown.kind !== 'message') throw new Error(shown.kind);
    for (const label of ['Link', 'Off', 'Nothing'])
      expect(await person.press(shown.message, label)).toMatchObject({ kind: 'refused' });
    expect(await person.pick(shown.message, ['A', 'B'])).toMatchObject({ kind: 'refused' });
    expect(await person.pick(shown.message, ['C'])).toMatchObject({ kind: 'refused' });
    expect(await person.pick(shown.message, ['D'])).toEqual({
      kind: 'refused',
      why: 'the select is disabled',
    });
    expect(await someone('else').pick(shown.message, ['A'])).toMatchObject({ kind: 'refused' });

    const pick = person.pick(shown.message, ['B']);
    const picked = await nextInteraction(gateway);
    expect(picked.d.data).toMatchObject({ component_type: 3, custom_id: 'select', values: ['b'] });
    await answer(picked.d, { type: 7, data: { content: 'picked' } });
    expect(await pick).toMatchObject({ kind: 'message', message: { current: { content: 'picked' } } });

    const who = person.pick(shown.message, [person.userId]);
    const chosen = await nextInteraction(gateway);
    expect(chosen.d.data).toMatchObject({ component_type: 5, resolved: { users: { [person.userId]: {} } } });
    await answer(chosen.d, { type: 6 });
    await raw(standIn, `PATCH /webhooks/${standIn.applicationId}/${chosen.token}/messages/@original`, {
      json: { content: 'later' },
    });
    expect(await who).toMatchObject({ kind: 'message', message: { current: { content: 'later' } } });

    const [guild] = standIn.guilds;
    if (guild === undefined) throw new Error('no guild');
    const role = standIn.guildEvents.addRole(guild, { name: 'staff', mentionable: true });
    expect(await person.pick(shown.message, ['@nobody'])).toMatchObject({ kind: 'refused' });
    void person.pick(shown.message, ['@staff']);
    expect((await nextInteraction(gateway)).d.data).toMatchObject({
      component_type: 6,
      values: [role],
      resolved: { roles: { [role]: { name: 'staff', mentionable: true } } },
    });
    void person.pick(shown.message, ['@everyone']);
    expect((await nextInteraction(gateway)).d.data).toMatchObject({ values: [guild.id] });
  });

  it('are lost when a deferral is never followed', async () => {
    const action = person.slash('ask');
    const { d } = await nextInteraction(gateway);
    await answer(d, { type: 5 });
    standIn.clock.advance(15 * 60_000);
    expect(await action).toEqual({ kind: 'lost' });
  });
});
