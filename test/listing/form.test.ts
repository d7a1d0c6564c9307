import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readForm } from '../../sandbox/listing/service.ts';
import { addForm } from '../../src/listing/client.ts';
import type { ServerSubmission } from '../../src/listing/contract.ts';
import { Secret } from '../../src/text/secret.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const port = fc.integer({ min: 1, max: 65_535 });
const submission: fc.Arbitrary<ServerSubmission> = fc.record(
  { server: text, port, queryPort: port, game: text },
  { requiredKeys: ['server', 'port', 'game'] },
);

describe("a request's form data", () => {
  it.each(['brackets', 'indices'] as const)('survives a round trip in the "%s" format', (format) => {
    fc.assert(
      fc.property(fc.array(submission, { minLength: 1, maxLength: 100 }), text, (servers, key) => {
        const { fields, servers: read } = readForm(addForm(servers, new Secret(key), format).toString());
        expect(Object.fromEntries(fields)).toEqual({ api_key: key, action: 'add' });
        expect(read.map((server) => Object.fromEntries(server))).toEqual(
          servers.map(({ server, port, queryPort, game }) => ({
            server,
            port: String(port),
            ...(queryPort !== undefined && { query_port: String(queryPort) }),
            game,
          })),
        );
      }),
    );
  });

  it("lists each server's fields together, starting with `server`", () => {
    const servers = [
      { server: 'a', port: 5, game: 'cs2' },
      { server: 'b', port: 2, queryPort: 3, game: 'rust' },
    ];
    const form = decodeURIComponent(addForm(servers, new Secret('k'), 'brackets').toString());
    expect(form.split('&')).toEqual([
      'api_key=k',
      'action=add',
      'servers[][server]=a',
      'servers[][port]=5',
      'servers[][game]=cs2',
      'servers[][server]=b',
      'servers[][port]=2',
      'servers[][query_port]=3',
      'servers[][game]=rust',
    ]);
  });
});
