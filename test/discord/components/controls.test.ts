import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createSignedIds,
  linkButton,
  type Owner,
  rows,
  select,
} from '../../../src/discord/components/controls.ts';
import { sealedReply } from '../../../src/discord/deliver.ts';
import { Secret } from '../../../src/secret.ts';

const ids = createSignedIds(new Secret('a secret'));
const mine = { guildId: '10', userId: '20' };

const bound = (id: string, owner: Owner, by = ids): string => by.seal(id, owner);

describe('a custom id', () => {
  it('comes back as the command gave it, for its member in its guild', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 90 }), (id) => {
        expect(ids.open(bound(id, mine), mine)).toBe(id);
      }),
    );
  });

  it('opens for nobody else, and nowhere else', () => {
    const id = bound('removekey:confirm:', mine);
    expect(ids.open(id, { guildId: '10', userId: '21' })).toBeUndefined();
    expect(ids.open(id, { guildId: '11', userId: '20' })).toBeUndefined();
    // The same digits in a row, cut elsewhere.
    expect(ids.open(id, { guildId: '102', userId: '0' })).toBeUndefined();
  });

  it('opens for every member of its guild when it is bound to no member', () => {
    const id = bound('games:page:2:', { guildId: '10' });
    expect(ids.open(id, mine)).toBe('games:page:2:');
    expect(ids.open(id, { guildId: '10', userId: '21' })).toBe('games:page:2:');
    expect(ids.open(id, { guildId: '11', userId: '20' })).toBeUndefined();
  });

  it('does not open when it was altered, made up, or made by another bot', () => {
    const id = bound('games:page:2:', mine);
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(text !== id);
        expect(ids.open(text, mine)).toBeUndefined();
      }),
    );
    expect(ids.open(id.replace('2', '3'), mine)).toBeUndefined();
    expect(ids.open('games:page:2:', mine)).toBeUndefined();
    expect(ids.open(bound('games:page:2:', mine, createSignedIds(new Secret('b'))), mine)).toBeUndefined();
  });

  it('is refused where it is made when it leaves no room for the seal', () => {
    expect(() => bound('x'.repeat(93), mine)).toThrow(RangeError);
  });
});

describe('what is bound', () => {
  it('is selects too, and nothing of the rest changes', () => {
    const link = linkButton('https://example.org', 'l');
    const options = [{ label: 'a', value: 'b' }];
    const components = rows([select({ id: 's', placeholder: 'p', options })], [link]);
    const reply = sealedReply({ content: 'c', components }, ids, mine);
    expect(reply.content).toBe('c');
    const [first, second] = (reply.components ?? []).map((row) => row.components[0]);
    expect(ids.open(String(Object(first).custom_id), mine)).toBe('s');
    expect(Object(first).options).toEqual(options);
    expect(second).toEqual(link);
  });
});
