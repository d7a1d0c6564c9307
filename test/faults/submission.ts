import { expect } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { ANSWER_WITHIN_MS, type Bot, type TestGuild, textOf } from '../support/bot.ts';
import { outcomesIn, unfinishedIn } from '../support/database.ts';
import { ACCEPTED, addServer, addsOf } from '../support/people.ts';

/** The failure can happen before or after the bot records the interaction. */
export const STORE_FAILED =
  /can't reach its database right now, so nothing was saved or sent|interrupted before it could finish, so nothing was submitted/;

export interface Place {
  readonly bot: Bot;
  readonly guild: TestGuild;
}

export const submit = ({ guild }: Place, host: string): Promise<Answer> =>
  addServer(guild.member, `${host}:27015`);

/**
 * Checks that the member was shown the service's message, that the service received the server once, and that nothing is
 * left unfinished.
 */
export async function isAccepted(place: Place, host: string): Promise<void> {
  const { bot, guild } = place;
  expect(textOf(await submit(place, host))).toContain(ACCEPTED);
  expect(addsOf(guild, host)).toHaveLength(1);
  await expect.poll(() => unfinishedIn(bot.store)).toEqual([]);
  expect(await outcomesIn(bot.store, guild.id, host)).toEqual(['accepted']);
}

/**
 * Waits until it is too late for a reply. Then checks that the member didn't get a reply, that the service didn't receive
 * anything, and that nothing is left in the store.
 * @param tried resolves once the bot has tried to reply, if it can
 */
export async function isLost(place: Place, host: string, tried?: () => Promise<void>): Promise<void> {
  const { bot, guild } = place;
  const answer = submit(place, host);
  await tried?.();
  bot.discord.clock.advance(ANSWER_WITHIN_MS);
  expect(await answer).toEqual({ kind: 'lost' });
  await expect.poll(() => unfinishedIn(bot.store)).toEqual([]);
  expect(addsOf(guild, host)).toHaveLength(0);
  expect(await outcomesIn(bot.store, guild.id, host)).toEqual([]);
}
