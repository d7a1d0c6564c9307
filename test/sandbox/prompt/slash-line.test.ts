import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIApplicationCommand } from 'discord.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAssignments } from '../../../sandbox/prompt/assignments.ts';
import { BadLine, nearest } from '../../../sandbox/prompt/bad-line.ts';
import { readSlashLine } from '../../../sandbox/prompt/slash-line.ts';

const COMMANDS = [
  { name: 'setkey', description: '' },
  {
    name: 'games',
    description: '',
    options: [{ name: 'search', type: 3, description: '', autocomplete: true }],
  },
  {
    name: 'addserver',
    description: '',
    options: [
      { name: 'game', type: 3, description: '', required: true, autocomplete: true },
      { name: 'server', type: 3, description: '', required: true },
      { name: 'port', type: 4, description: '' },
      { name: 'query_port', type: 4, description: '' },
    ],
  },
  { name: 'addservers', description: '', options: [{ name: 'file', type: 11, description: '' }] },
] as unknown as readonly APIApplicationCommand[];

const read = (line: string) => readSlashLine(line, COMMANDS);

describe('a slash command on a line', () => {
  it('may stand alone', async () => {
    expect(await read('/setkey')).toEqual({ kind: 'run', command: 'setkey', options: {} });
  });

  it('takes values that hold colons', async () => {
    expect(await read('/addserver game:cs2 server:play.example.com:27015')).toEqual({
      kind: 'run',
      command: 'addserver',
      options: { game: 'cs2', server: 'play.example.com:27015' },
    });
    expect(
      await read('/addserver game:minecraft server:[2606:4700::6810:84e5]:25565 query_port:25566'),
    ).toEqual({
      kind: 'run',
      command: 'addserver',
      options: { game: 'minecraft', server: '[2606:4700::6810:84e5]:25565', query_port: 25566 },
    });
  });

  it('takes values of several words, with and without quotes', async () => {
    expect(await read('/addserver game:Counter-Strike 2  server:a.example')).toMatchObject({
      options: { game: 'Counter-Strike 2', server: 'a.example' },
    });
    expect(await read('/games search:"say \\"port:1\\" twice"')).toMatchObject({
      options: { search: 'say "port:1" twice' },
    });
  });

  it('takes an address with a scheme as a value', async () => {
    expect(await read('/addserver game:cs2 server:x steam://connect/192.0.2.1:27015')).toMatchObject({
      options: { server: 'x steam://connect/192.0.2.1:27015' },
    });
  });

  it('asks for choices with a question mark at its end', async () => {
    const asked = { kind: 'complete', command: 'addserver', focused: 'game' };
    expect(await read('/addserver game:count?')).toEqual({ ...asked, options: { game: 'count' } });
    expect(await read('/addserver game:?')).toEqual({ ...asked, options: { game: '' } });
    expect(await read('/addserver server:a.example game:"counter strike"?')).toEqual({
      ...asked,
      options: { server: 'a.example', game: 'counter strike' },
    });
    expect(await read('/games search:"what?"')).toMatchObject({ kind: 'run', options: { search: 'what?' } });
  });

  it('is not sent with letters where Discord takes whole numbers only', async () => {
    for (const port of ['http', '1e3', '25.5', '0x10'])
      expect(await read(`/addserver game:cs2 server:a.example port:${port}`)).toEqual({
        kind: 'refused',
        why: `port: only whole numbers can be typed here, not "${port}".`,
      });
  });

  it('uploads a file of this machine', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slash-line-'));
    try {
      await writeFile(join(folder, 'my servers.txt'), 'a.example:1 rust\n');
      expect(await read(`/addservers file:${folder}/my servers.txt`)).toMatchObject({
        options: { file: { filename: 'my servers.txt', bytes: Buffer.from('a.example:1 rust\n') } },
      });
      await expect(read(`/addservers file:${folder}/none.txt`)).rejects.toThrow('The file cannot be read');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([
    ['/gmaes', 'There is no /gmaes. Did you mean /games?'],
    ['/x', 'The commands are /setkey, /games, /addserver, /addservers.'],
    ['/setkey sandbox-key', '/setkey takes no options'],
    ['/addserver cs2', '/addserver takes game:, server:, port:, query_port:.'],
    ['/addserver gane:cs2', 'Did you mean game?'],
    ['/addserver game:cs2 sever:a.example:27015', 'has no option "sever". Did you mean server?'],
    ['/addserver game:cs2 game:css', 'game: is given twice.'],
    ['/addserver game:"cs2', 'does not end'],
    ['/addserver server:what?', 'server: offers no choices.'],
  ])('says what was expected: %s', async (line, words) => {
    const error = await read(line).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadLine);
    expect((error as BadLine).message).toContain(words);
  });
});

describe('assignments', () => {
  const grammar = { names: ['game', 'server'], sign: ':', of: 'it' } as const;

  it('carry any value in double quotes', () => {
    // fast-check's own unit for any code point takes seconds to be made.
    const unit = fc
      .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
      .map((point) => String.fromCodePoint(point));
    fc.assert(
      fc.property(fc.string({ unit }), fc.string(), (game, server) => {
        const quoted = (value: string) => `"${value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
        const line = `game:${quoted(game)} server:${quoted(server)}`;
        expect(readAssignments(line, grammar)).toEqual([
          { name: 'game', value: game, asked: false },
          { name: 'server', value: server, asked: false },
        ]);
      }),
    );
  });

  it('are read or refused with words, whatever the line is', () => {
    const piece = fc.oneof(fc.constantFrom('game:', 'server:', '"', '\\', ' ', '?', ':', '='), fc.string());
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        try {
          readAssignments(pieces.join(''), grammar);
        } catch (error) {
          expect(error).toBeInstanceOf(BadLine);
        }
      }),
    );
  });
});

describe('the nearest name', () => {
  it('is found for slips, and not for other words', () => {
    const names = ['restart', 'submitted', 'service', 'as'];
    expect(nearest('restrat', names)).toBe('restart');
    expect(nearest('sub', names)).toBe('submitted');
    expect(nearest('quit', names)).toBeUndefined();
  });
});
