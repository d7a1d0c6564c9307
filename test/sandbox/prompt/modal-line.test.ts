import type { APIModalInteractionResponseCallbackData } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { modalFields, readModalLine } from '../../../sandbox/prompt/modal-line.ts';
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
