import { describe, expect, it } from 'vitest';
import { marksOf } from '../../../sandbox/page/markup.ts';

const read = (text: string) => marksOf(text, (id) => (id.startsWith('1') ? 'admin' : undefined));
const id = '123456789012345678';

describe('Discord’s markdown in pieces', () => {
  it.for([
    [
      'a **b**',
      [
        { kind: 'text', text: 'a ' },
        { kind: 'strong', inside: [{ kind: 'text', text: 'b' }] },
      ],
    ],
    [`<@${id}>`, [{ kind: 'mention', text: '@admin' }]],
    [`<#${id}>`, [{ kind: 'mention', text: '#admin' }]],
    [`</settings log:${id}>`, [{ kind: 'command', text: 'settings log' }]],
    ['<t:1700000000:R>', [{ kind: 'time', seconds: 1_700_000_000, format: 'R' }]],
    ['- one', [{ kind: 'text', text: '• one' }]],
    ['\\*no\\*', [{ kind: 'text', text: '*no*' }]],
    ['✅ ok', [{ kind: 'text', text: '✅ ok' }]],
  ] as const)('reads %s', ([text, marks]) => {
    expect(read(text)).toEqual(marks);
  });

  it('sees small print behind a quotation', () => {
    expect(read('> words\n-# Lines 2–20\nmore').map(({ kind }) => kind)).toEqual([
      'quote',
      'small',
      'break',
      'text',
    ]);
  });

  it('makes no link of anything but the web', () => {
    expect(JSON.stringify(read('[a](javascript:alert)'))).not.toContain('"href":"javascript');
  });
});
