import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress } from '../../src/addresses/address.ts';
import { usualPort } from '../../src/addresses/registries.ts';
import { parseSubmission, submissionSchema } from '../../src/server-lists/row.ts';
import * as arbitrary from '../submissions/arbitraries.ts';

describe('one submission', () => {
  it('takes the port from behind the host, from beside it, or from both when they agree', () => {
    const expected = { ok: true, submission: { server: '8.8.8.8', port: 27_015, game: 'cs2' } };
    expect(parseSubmission({ server: '8.8.8.8:27015', game: 'cs2' })).toEqual(expected);
    expect(parseSubmission({ server: '8.8.8.8', port: 27_015, game: 'cs2' })).toEqual(expected);
    expect(parseSubmission({ server: '8.8.8.8:27015', port: 27_015, game: 'cs2' })).toEqual(expected);
  });

  it('refuses two different ports and names both', () => {
    expect(parseSubmission({ server: '8.8.8.8:27015', port: 27_016, game: 'cs2' })).toEqual({
      ok: false,
      problem: { code: 'port-conflict', inServer: 27_015, port: 27_016 },
    });
  });

  it('asks for a missing port with the usual one of the game, where it is known', () => {
    const problem = { code: 'port-missing', host: 'play.example.com' };
    expect(parseSubmission({ server: 'play.example.com', game: 'minecraft' })).toEqual({
      ok: false,
      problem: { ...problem, game: 'minecraft', usual: 25_565 },
    });
    expect(parseSubmission({ server: 'play.example.com', game: 'constructor' })).toEqual({
      ok: false,
      problem: { ...problem, game: 'constructor' },
    });
  });

  it('leaves out a query port that is the port', () => {
    const typed = { server: '8.8.8.8', port: 1, game: 'cs2' };
    expect(parseSubmission({ ...typed, queryPort: 1 })).toEqual({
      ok: true,
      submission: { server: '8.8.8.8', port: 1, game: 'cs2' },
    });
    expect(parseSubmission({ ...typed, queryPort: 2 })).toMatchObject({ submission: { queryPort: 2 } });
  });

  it('says which of the two ports is out of range', () => {
    const typed = { server: '8.8.8.8', game: 'cs2' };
    expect(parseSubmission({ ...typed, port: 70_000 })).toMatchObject({
      problem: { code: 'port-too-high', field: 'port', port: 70_000 },
    });
    expect(parseSubmission({ ...typed, port: 1, queryPort: 0 })).toMatchObject({
      problem: { code: 'port-too-low', field: 'query_port', port: 0 },
    });
    expect(parseSubmission({ ...typed, port: Number.NaN })).toMatchObject({
      problem: { code: 'port-not-a-number' },
    });
    expect(parseSubmission({ ...typed, port: 1.5 })).toMatchObject({
      problem: { code: 'port-not-a-number' },
    });
  });

  it('refuses a local address and an empty game', () => {
    expect(parseSubmission({ server: '192.168.0.4:27015', game: 'cs2' })).toMatchObject({
      problem: { code: 'not-public', range: 'private' },
    });
    expect(parseSubmission({ server: '8.8.8.8:1', game: '' })).toEqual({
      ok: false,
      problem: { code: 'game-missing' },
    });
  });

  it('makes only what the schema of a stored submission takes back', () => {
    fc.assert(
      fc.property(arbitrary.submission, ({ server, port, queryPort, game }) => {
        const result = parseSubmission({
          server: formatAddress({ host: server, port }),
          game,
          ...(queryPort !== undefined && { queryPort }),
        });
        if (!result.ok) throw new Error(result.problem.code);
        expect(submissionSchema.parse(JSON.parse(JSON.stringify(result.submission)))).toEqual(
          result.submission,
        );
      }),
    );
  });

  it('takes back no submission that could not have been made', () => {
    const good = { server: '8.8.8.8', port: 1, game: 'cs2' };
    for (const wrong of [
      { server: '' },
      { port: 0 },
      { port: 65_536 },
      { queryPort: 1.5 },
      { game: '' },
      { port: '1' },
    ]) {
      expect(submissionSchema.safeParse({ ...good, ...wrong }).success).toBe(false);
    }
  });
});

describe('the usual ports', () => {
  it('are known for the twelve aliases of the specification', () => {
    const aliases = [
      'cs2',
      'css',
      'cs16',
      'csgo',
      'minecraft',
      'ark',
      'samp',
      'rust',
      'gm',
      'l4d2',
      'tf2',
      'dayz',
    ];
    expect(aliases.filter((alias) => usualPort(alias) === undefined)).toEqual([]);
  });

  it('are those of games that were named, and of nothing else', () => {
    expect(['dayz', 'cs2', 'toString'].map(usualPort)).toEqual([2302, 27_015, undefined]);
  });
});
