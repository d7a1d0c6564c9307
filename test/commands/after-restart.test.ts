import { describe, expect, it } from 'vitest';
import { afterRestart } from '../../commands/after-restart.ts';
import type { EndedSubmission } from '../../src/submissions/record.ts';
import { anyContext } from './context.ts';

const server = { server: 'a.example.com', port: 1, game: 'cs2' };
const ACCEPTED = { kind: 'accepted', message: 'Yes.' } as const;
const NOT_SENT = { kind: 'not-sent', reason: 'stopping' } as const;
const KEY_REFUSED = { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' } as const;

function told(outcomes: EndedSubmission['outcomes'], more: Partial<EndedSubmission> = {}, isAdmin = true) {
  const servers = outcomes.map(() => server);
  const ended = { source: 'text', servers, outcomes, restId: undefined, ...more } as const;
  return afterRestart(anyContext({ isAdmin }), ended, { find: () => undefined });
}

describe('what is told of a submission after a restart', () => {
  it('is what became of the one server', () => {
    const { content, embeds } = told([ACCEPTED]);
    expect(content).toContain('Yes.');
    expect(embeds?.[0]?.description).toContain('a.example.com:1');
  });

  it('is how many servers of a list ended how, with the address of what did not go', () => {
    const { content, embeds } = told([ACCEPTED, ACCEPTED, NOT_SENT, { kind: 'unknown', reason: 'stopping' }]);
    expect(content).toMatch(
      /2 sent for review.*1 unconfirmed.*a\.example\.com:1.*1 not sent.*a\.example\.com:1/s,
    );
    expect(embeds).toEqual([]);
  });

  it('has a button for what can be sent again', () => {
    const button = (source: EndedSubmission['source']) =>
      JSON.stringify(told([NOT_SENT], { source, restId: 'i-rest' }).components);
    expect(button('options')).toContain('addserver:again:i-rest');
    expect(button('text')).toContain('addservers:submit:0:i-rest');
    expect(told([ACCEPTED]).components).toEqual([]);
  });

  it.each([
    { kind: 'unknown', reason: 'stopping' } as const,
    { kind: 'rejected', message: 'No.' } as const,
  ])('opens one server to be looked at before it is sent again: $kind', (outcome) => {
    const shown = JSON.stringify(told([outcome], { source: 'options', restId: 'i-rest' }).components);
    expect(shown).toContain('addserver:edit:i-rest');
    expect(shown).not.toContain('addserver:again');
  });

  it('says what to do about a key that the service refuses', () => {
    expect(told([KEY_REFUSED]).content).toContain('Enter an API key with /setkey');
    expect(told([KEY_REFUSED], {}, false).content).toContain(
      'Ask someone with the “Manage Server” permission to enter an API key',
    );
    expect(told([ACCEPTED]).content).not.toContain('/setkey');
  });
});
