import { describe, expect, it } from 'vitest';
import { createOffers } from '../../src/submissions/offers.ts';
import { openStore } from '../storage/temporary.ts';

const submission = { server: 'a.example.com', port: 1, queryPort: 2, game: 'rust' };
const to = { guildId: '2', userId: '7' };
const by = (interactionId: string) => ({ ...to, interactionId });

describe('an offer', () => {
  it('is taken once, by one press; that press gets it again, as after a crash', async () => {
    const store = await openStore();
    await createOffers({ store }).make('1', to, { submission, again: true });
    const offers = createOffers({ store });
    const taken = await Promise.all([offers.take('1', by('a')), offers.take('1', by('b'))]);
    expect(taken).toEqual([{ submission, again: true }, 'taken']);
    expect(await createOffers({ store }).take('1', by('a'))).toEqual({ submission, again: true });
  });

  it('is for one member in one guild', async () => {
    const offers = createOffers({ store: await openStore() });
    await offers.make('1', to, { submission, again: false });
    expect(await offers.take('1', { ...by('a'), userId: '8' })).toBe('gone');
    expect(await offers.take('1', { ...by('a'), guildId: '3' })).toBe('gone');
    expect(await offers.take('9', by('a'))).toBe('gone');
    expect(await offers.take('1', by('a'))).toEqual({ submission, again: false });
  });

  it('stands for 15 minutes', async () => {
    let now = 0;
    const offers = createOffers({ store: await openStore(), now: () => now });
    await offers.make('1', to, { submission, again: false });
    now = 15 * 60_000 - 1;
    expect(await offers.take('1', by('a'))).toEqual({ submission, again: false });
    await offers.make('2', to, { submission, again: false });
    now += 15 * 60_000;
    expect(await offers.take('2', by('a'))).toBe('gone');
  });
});
