import type { APIModalInteractionResponseCallbackData } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { modalFields, openForm, readModalLine } from '../../../sandbox/prompt/modal-line.ts';
import { showAnswer } from '../../../sandbox/prompt/show.ts';

const DATA = {
  custom_id: 'm',
  title: 'Where is it?',
  components: [
    { type: 10, content: 'A **hint**.' },
    {
      type: 18,
      label: 'Port',
      description: 'usually 27015',
      component: { type: 4, custom_id: 'port', style: 1 },
    },
    {
      type: 18,
      label: 'Query port',
      component: { type: 4, custom_id: 'query', style: 1, required: false, value: '27016', max_length: 5 },
    },
  ],
} as APIModalInteractionResponseCallbackData;
const fields = modalFields(DATA);

describe('a line while a modal is open', () => {
  it('fills the first field, whatever it holds', async () => {
    expect(await readModalLine('a b:c=d?', fields)).toEqual({ port: 'a b:c=d?', query: '27016' });
  });

  it('fills fields by their ids', async () => {
    expect(await readModalLine('query=1 port="2 3"', fields)).toEqual({ port: '2 3', query: '1' });
    expect(await readModalLine('query=', fields)).toEqual({ query: '' });
  });

  it('may hold several lines in double quotes', async () => {
    expect(await readModalLine('"a:1\\nb:2"', fields)).toMatchObject({ port: 'a:1\nb:2' });
  });

  it('is never repeated by an error, since it may be a key', async () => {
    const error = await readModalLine('port="very-secret', fields).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('port=value query=value');
    expect(String(error)).not.toContain('very-secret');
  });
});

const LIST = {
  custom_id: 'l',
  title: 'Many',
  components: [
    { type: 18, label: 'Servers', component: { type: 4, custom_id: 'servers', style: 2, min_length: 1 } },
    { type: 18, label: 'Game', component: { type: 4, custom_id: 'game', style: 1, required: false } },
  ],
} as APIModalInteractionResponseCallbackData;

describe('a field of several lines', () => {
  const taken = async (lines: readonly (readonly [string, 'typed' | 'pasted' | 'script'])[], data = LIST) => {
    const form = openForm(data);
    const all = [];
    for (const [line, origin] of lines) all.push(await form.take(line, origin));
    return all;
  };

  it('takes typed lines until an empty one', async () => {
    expect(
      await taken([
        ['a:1', 'typed'],
        ['b:2', 'typed'],
        ['', 'typed'],
      ]),
    ).toEqual(['more', 'more', { servers: 'a:1\nb:2' }]);
  });

  it('takes pasted empty lines as part of the text, also the first', async () => {
    expect(
      await taken([
        ['', 'pasted'],
        ['a:1', 'pasted'],
        ['', 'pasted'],
        ['b:2', 'typed'],
        ['', 'typed'],
      ]),
    ).toEqual(['more', 'more', 'more', 'more', { servers: '\na:1\n\nb:2' }]);
  });

  it('takes empty lines of a script as part of the text, which a line with a dot ends', async () => {
    expect(
      await taken([
        ['a:1', 'script'],
        ['', 'script'],
        ['b:2', 'script'],
        ['.', 'script'],
      ]),
    ).toEqual(['more', 'more', 'more', { servers: 'a:1\n\nb:2' }]);
  });

  it('is closed by an empty line before anything else, typed or in a script', async () => {
    expect(await taken([['', 'typed']])).toEqual(['closed']);
    expect(await taken([['', 'script']])).toEqual(['closed']);
  });

  it('takes another field by its name first, and all of them on one line', async () => {
    expect(
      await taken([
        ['game=cs2', 'script'],
        ['a:1', 'script'],
        ['.', 'script'],
      ]),
    ).toEqual(['more', 'more', { game: 'cs2', servers: 'a:1' }]);
    expect(await taken([['game=cs2 servers="a:1\\nb:2"', 'script']])).toEqual([
      { game: 'cs2', servers: 'a:1\nb:2' },
    ]);
    expect(await taken([['"a:1\\nb:2"', 'script']])).toEqual([{ servers: 'a:1\nb:2' }]);
  });

  it('is shown, and only a field for a key is not', () => {
    const withId = (id: string) =>
      openForm({
        custom_id: 'm',
        title: 't',
        components: [{ type: 18, label: 'L', component: { type: 4, custom_id: id, style: 1 } }],
      } as APIModalInteractionResponseCallbackData).hidden;
    expect(openForm(LIST).hidden).toBe(false);
    expect(['key', 'api_key', 'token'].map(withId)).toEqual([true, true, true]);
    expect(['servers', 'game', 'server', 'port', 'query', 'quota'].map(withId)).not.toContain(true);
  });
});

describe('an open modal', () => {
  it('shows its title, its texts and what each field takes', () => {
    const text = showAnswer({ kind: 'modal', modal: { data: DATA, interactionId: '1' } }, { now: 0 });
    expect(text).toContain('┌ Where is it?');
    expect(text).toContain('│ A hint.');
    expect(text).toContain('│ Port (port: text)\n│   usually 27015');
    expect(text).toContain(
      '│ Query port (query: text, at most 5 characters, may be left out)\n│   now: 27016',
    );
  });

  it('knows the older form of text inputs in rows', () => {
    const [field] = modalFields({
      custom_id: 'm',
      title: 't',
      components: [{ type: 1, components: [{ type: 4, custom_id: 'k', style: 2, label: 'Servers' }] }],
    });
    expect(field).toMatchObject({
      id: 'k',
      label: 'Servers',
      takes: 'text of several lines',
      required: true,
    });
  });
});
