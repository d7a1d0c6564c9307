import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readForm } from '../../sandbox/listing/service.ts';
import { encodeAdd, encodeGames } from '../../src/listing/client.ts';
import type { ServerSubmission } from '../../src/listing/contract.ts';
import { Secret } from '../../src/secret.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const port = fc.integer({ min: 1, max: 65_535 });
const submission: fc.Arbitrary<ServerSubmission> = fc.record(
  { server: text, port, queryPort: port, game: text },
  { requiredKeys: ['server', 'port', 'game'] },
);

const asSent = ({ server, port, queryPort, game }: ServerSubmission) => ({
  server,
  port: String(port),
  ...(queryPort === undefined || queryPort === port ? {} : { query_port: String(queryPort) }),
  game,
});

describe('the form of a request', () => {
  it.each(['brackets', 'indices'] as const)('gives back what was put in, written with %s', (format) => {
    fc.assert(
      fc.property(fc.array(submission, { minLength: 1, maxLength: 100 }), text, (servers, key) => {
        const { fields, servers: read } = readForm(encodeAdd(servers, new Secret(key), format));
        expect(read.map((server) => Object.fromEntries(server))).toEqual(servers.map(asSent));
        expect([...fields]).toEqual([
          ['api_key', key],
          ['action', 'add'],
        ]);
      }),
    );
  });

  it('writes each server as a group that begins with `server`', () => {
    const servers = [
      { server: 'a.example.com', port: 1, game: 'cs2' },
      { server: 'b.example.com', port: 2, queryPort: 3, game: 'rust' },
    ];
    const names = [...new URLSearchParams(encodeAdd(servers, new Secret('k'), 'brackets')).keys()];
    expect(names).toEqual([
      'api_key',
      'action',
      'servers[][server]',
      'servers[][port]',
      'servers[][game]',
      'servers[][server]',
      'servers[][port]',
      'servers[][query_port]',
      'servers[][game]',
    ]);
  });

  it('leaves a query port out that is the same as the port', () => {
    const form = encodeAdd([{ server: 'a', port: 5, queryPort: 5, game: 'cs2' }], new Secret('k'), 'indices');
    expect(decodeURIComponent(form)).toBe(
      'api_key=k&action=add&servers[0][server]=a&servers[0][port]=5&servers[0][game]=cs2',
    );
  });

  it('asks for the games with nothing but key and action', () => {
    expect(encodeGames(new Secret('a&b=c d'))).toBe('api_key=a%26b%3Dc+d&action=games');
  });
});
