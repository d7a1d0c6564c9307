import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import { nextInteraction, type RawGateway, raw, rawBot } from '../support/raw.ts';

let standIn: DiscordStandIn;
let gateway: RawGateway;
let person: Person;

beforeAll(async () => {
  const commands = [{ name: 'ping', description: 'Ping' }];
  ({ standIn, gateway, person } = await rawBot(commands));
});

afterAll(() => standIn.close());

const odd = fc.constantFrom<unknown>(null, '', 'x', 0, 1, 64, true, [], [null], {}, [{}], { x: 1 });
const fields = (...names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names), odd, { maxKeys: 3, noNullPrototype: true });
const message = fields('content', 'embeds', 'components', 'flags', 'attachments', 'allowed_mentions', 'poll');
const data = fc.oneof(message, fields('choices', 'title', 'custom_id', 'components', 'flags'), odd);
const callback = fc.record(
  { type: fc.oneof(fc.constantFrom(4, 5, 6, 7, 8, 9), odd), data },
  { requiredKeys: [] },
);
const command = fc.oneof(
  odd,
  fields(
    'name',
    'description',
    'options',
    'type',
    'contexts',
    'default_member_permissions',
    'name_localizations',
  ),
);

const FAIRLY_ANSWERED = [200, 201, 204, 400, 404];

it('is answered, never with a crash, whatever a callback, a follow-up or an edit says', async () => {
  await fc.assert(
    fc.asyncProperty(callback, message, message, async (first, second, third) => {
      void person.slash('ping');
      const { id, token } = await nextInteraction(gateway);
      const webhook = `/webhooks/${standIn.applicationId}/${token}`;
      const answers = [
        await raw(standIn, `POST /interactions/${id}/${token}/callback?with_response=true`, { json: first }),
        await raw(standIn, `POST /interactions/${id}/${token}/callback`, { json: { type: 5 } }),
        await raw(standIn, `PATCH ${webhook}/messages/@original`, { json: second }),
        await raw(standIn, `POST ${webhook}`, { json: third }),
        await raw(standIn, `GET ${webhook}/messages/@original`),
      ];
      for (const { status } of answers) expect(FAIRLY_ANSWERED).toContain(status);
    }),
    { numRuns: 150 },
  );
});

it('is answered, never with a crash, whatever is published', async () => {
  const path = `/applications/${standIn.applicationId}/commands`;
  await fc.assert(
    fc.asyncProperty(command, async (body) => {
      const { json: created } = await raw(standIn, `POST ${path}`, {
        json: { name: 'ping', description: 'Ping' },
      });
      const answers = [
        await raw(standIn, `PATCH ${path}/${created.id}`, { json: body }),
        await raw(standIn, `POST ${path}`, { json: body }),
        await raw(standIn, `PUT ${path}`, { json: [body] }),
        await raw(standIn, `GET ${path}`),
      ];
      for (const { status } of answers) expect(FAIRLY_ANSWERED).toContain(status);
      standIn.clock.advance(24 * 60 * 60_000);
    }),
    { numRuns: 150 },
  );
});
