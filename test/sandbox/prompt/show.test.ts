import type { APIMessage } from 'discord.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SeenMessage } from '../../../sandbox/discord/world/messages.ts';
import { readMarkdown } from '../../../sandbox/prompt/markdown.ts';
import { isFinished, showAnswer, showChoices, showMessage } from '../../../sandbox/prompt/show.ts';
import { breachText, readLogLine } from '../../../sandbox/prompt/words.ts';

const NOW = Date.UTC(2026, 0, 2, 12);
const seconds = (agoMs: number) => Math.round((NOW - agoMs) / 1000);
const read = (text: string) => readMarkdown(text, { now: NOW });

describe("Discord's markdown", () => {
  it.each([
    [
      '**bold** and *slanted* and __under__ and ~~gone~~ and ||hidden||',
      'bold and slanted and under and gone and hidden',
    ],
    ['**bold with `code **x**`**', 'bold with code **x**'],
    ['ask for </setkey:123456789012345678>', 'ask for /setkey'],
    ['`</setkey:1>`', '</setkey:1>'],
    ['\\*not bold\\* \\_x\\_ \\<@1\\> \\`', '*not bold* _x_ <@1> `'],
    ['a\\b C:\\temp', 'a\\b C:\\temp'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['<:rust:123> <a:spin:1>', ':rust: :spin:'],
    ['[the list](https://example.com/a)', 'the list (https://example.com/a)'],
    ['# Title\n-# small\n- one\n> said', 'Title\nsmall\n• one\n│ said'],
    ['```json\n{"a": "**"}\n```', '{"a": "**"}'],
    ['**open `and unfinished', '**open `and unfinished'],
  ])('is shown as a reader sees it: %s', (text, shown) => {
    expect(read(text)).toBe(shown);
  });

  it('turns times into words', () => {
    expect(read(`<t:${seconds(2 * 60_000)}:R>`)).toBe('2 minutes ago');
    expect(read(`<t:${seconds(-3 * 3_600_000)}:R>`)).toBe('in 3 hours');
    expect(read(`<t:${seconds(0)}:R>`)).toBe('now');
    expect(read(`<t:${seconds(0)}>`)).toContain('2026');
  });

  it('names a member where the message brings the name', () => {
    expect(
      readMarkdown('<@12> <@13>', { now: NOW, userName: (id) => (id === '12' ? 'ada' : undefined) }),
    ).toBe('@ada @13');
  });

  it('names channels and roles, and leaves the number of what it does not know', () => {
    const nameOf = (id: string) =>
      new Map([
        ['1', 'general'],
        ['2', 'helpers'],
        ['3', '@everyone'],
      ]).get(id);
    const reading = { now: NOW, channelName: nameOf, roleName: nameOf };
    expect(readMarkdown('<#1> <@&2> <@&3> <#9> <@&9>', reading)).toBe('#general @helpers @everyone #9 @9');
  });

  it("tells times in the reader's language", () => {
    const at = (locale: string, format = 'R') =>
      readMarkdown(`<t:${seconds(2 * 60_000)}:${format}>`, { now: NOW, locale });
    expect([at('de'), at('en-US'), at('xx')]).toEqual(['vor 2 Minuten', '2 minutes ago', '2 minutes ago']);
    expect(at('de', 'D')).toBe('2. Januar 2026');
  });

  it('leaves text alone that has no marks', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9 .,:;!?äöü"'()-]*$/), (text) => {
        fc.pre(!/^-#? /.test(text));
        expect(read(text)).toBe(text);
      }),
    );
  });

  // A mark that begins a search anew at each of its places would take longer than a test may.
  it('is read to its end, whatever is sent', () => {
    const mark = fc.constantFrom('*', '_', '`', '\\', '<', '[', ']', '(', '~', '|', '\n', '> ', 'a', 't:1');
    fc.assert(
      fc.property(fc.array(mark, { maxLength: 2000, size: 'max' }), (marks) => {
        expect(read(marks.join(''))).toBeTypeOf('string');
      }),
      { numRuns: 50 },
    );
  });
});

function message(current: Partial<APIMessage>, more: Partial<SeenMessage> = {}): SeenMessage {
  return {
    id: '1',
    channelId: '2',
    current: {
      content: '',
      embeds: [],
      attachments: [],
      components: [],
      mentions: [],
      ...current,
    } as APIMessage,
    ephemeral: false,
    loading: false,
    changed: () => Promise.resolve(),
    file: () => undefined,
    ...more,
  };
}
const show = (seen: SeenMessage) => showMessage(seen, { now: NOW });

describe('a message', () => {
  it('says when only its reader can see it', () => {
    expect(show(message({ content: 'Saved.' }, { ephemeral: true }))).toBe('(only you can see this) Saved.');
    expect(show(message({ content: 'Saved.' }))).toBe('Saved.');
    expect(show(message({ embeds: [{ title: 'Games' }] }, { ephemeral: true }))).toBe(
      '(only you can see this)\n│ Games',
    );
  });

  it('shows embeds with all their parts', () => {
    const text = show(
      message({
        embeds: [
          {
            title: 'Games',
            description: '**CS2** `cs2`\nRust',
            fields: [
              { name: 'Port', value: '27015' },
              { name: 'Both', value: 'a\nb' },
            ],
            footer: { text: 'Page 1 of **2**' },
          },
        ],
      }),
    );
    expect(text.split('\n')).toEqual([
      '│ Games',
      '│ CS2 cs2',
      '│ Rust',
      '│ Port: 27015',
      '│ Both:',
      '│   a',
      '│   b',
      '│ Page 1 of **2**',
    ]);
  });

  it('shows which buttons can be pressed and what can be picked', () => {
    const components = [
      {
        type: 1,
        components: [
          { type: 2, style: 2, label: 'Back', custom_id: 'a', disabled: true },
          { type: 2, style: 1, label: 'Next', custom_id: 'b' },
          { type: 2, style: 5, label: 'Help', url: 'https://example.com' },
        ],
      },
      {
        type: 1,
        components: [
          { type: 3, custom_id: 's', placeholder: 'Game', options: [{ label: 'Rust', value: 'rust' }] },
        ],
      },
    ] as NonNullable<APIMessage['components']>;
    expect(show(message({ content: 'x', components }))).toBe(
      'x\n[ Back · disabled ]  [ Next ]  [ Help → https://example.com ]\n▾ Game\n  ○ Rust (rust)',
    );
  });

  it('shows the text of attached files, and only the size of others', () => {
    const attachments = ['report.csv', 'x.bin'].map((filename) => ({
      filename,
      size: 4,
    })) as APIMessage['attachments'];
    const files: Record<string, Buffer> = {
      'report.csv': Buffer.from('a,b\n'),
      'x.bin': Buffer.from([0, 255, 1, 2]),
    };
    expect(show(message({ attachments }, { file: (name) => files[name] }))).toBe(
      '📎 report.csv (4 bytes)\n  a,b\n📎 x.bin (4 bytes)',
    );
  });

  it('is still moving while it thinks or shows a progress bar', () => {
    expect(isFinished(message({}, { loading: true }))).toBe(false);
    expect(isFinished(message({ content: '`█████░░░░░` 50 of 100' }))).toBe(false);
    expect(isFinished(message({ content: '100 servers were sent.' }))).toBe(true);
    expect(isFinished({ loading: false, current: undefined })).toBe(true);
  });
});

describe('other answers', () => {
  it('say that nothing came, and that Discord would not send it', () => {
    expect(showAnswer({ kind: 'lost' }, { now: NOW })).toBe('The application did not respond.');
    expect(showAnswer({ kind: 'refused', why: 'server: required' }, { now: NOW })).toContain(
      'server: required',
    );
  });

  it('list choices with what they stand for', () => {
    expect(
      showChoices([
        { name: 'Counter-Strike 2', value: 'cs2' },
        { name: 'gm', value: 'gm' },
        { name: 'Rust (rust)', value: 'rust' },
      ]),
    ).toBe('  Counter-Strike 2 → cs2\n  gm\n  Rust (rust)');
    expect(showChoices([])).toContain('No options match');
  });
});

describe("a line of the bot's log", () => {
  it('becomes one readable line', () => {
    const entry = { level: 50, time: 1, pid: 2, hostname: 'h', reference: 'ab12', msg: 'it failed' };
    expect(
      readLogLine(JSON.stringify({ ...entry, err: { type: 'Error', message: 'disk\nfull', stack: 'at x' } })),
    ).toEqual({
      text: 'bot error: it failed – Error: disk full (reference=ab12)',
      urgent: true,
    });
  });

  it('is urgent from warnings up, and when it is no log at all', () => {
    expect(readLogLine('{"level":30,"msg":"ready"}').urgent).toBe(false);
    expect(readLogLine('{"level":40,"msg":"slow"}').urgent).toBe(true);
    expect(readLogLine('{"level":"warn","msg":"slow"}').urgent).toBe(true);
    expect(readLogLine('DISCORD_TOKEN is missing')).toEqual({
      text: 'bot: DISCORD_TOKEN is missing',
      urgent: true,
    });
  });
});

describe('a broken rule', () => {
  it('is told loudly, without the token in the path', () => {
    const text = breachText({
      rule: 26,
      method: 'POST',
      path: '/api/v10/interactions/123/aW50ZXJhY3Rpb24/callback?with_response=false',
      status: 400,
      code: 40060,
      body: { code: 40060, message: 'Interaction has already been acknowledged.' },
    });
    expect(text).toContain('!!! A RULE OF DISCORD WAS BROKEN (rule 26)');
    expect(text).toContain('/interactions/123/[token]/callback');
    expect(text).not.toContain('aW50');
  });
});
