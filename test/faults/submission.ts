import { expect } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { ANSWER_WITHIN_MS, type Scene, textOf } from '../support/bot.ts';
import { outcomesIn, unfinishedIn } from '../support/database.ts';
import { ACCEPTED, addServer, addsOf } from '../support/people.ts';

export const STORE_FAILED = /couldn't reach its own storage, so nothing was done/;

export const submit = ({ member }: Scene, host: string): Promise<Answer> =>
  addServer(member, `${host}:27015`);

/** The member saw the service's answer; the service got the server once; nothing is left unfinished. */
export async function isAccepted(scene: Scene, host: string): Promise<void> {
  expect(textOf(await submit(scene, host))).toContain(ACCEPTED);
  expect(addsOf(scene, host)).toHaveLength(1);
  await expect.poll(() => unfinishedIn(scene.store)).toEqual([]);
  expect(await outcomesIn(scene.store, scene.member.guildId, host)).toEqual(['accepted']);
}

/**
 * The time for an answer passes; then the member saw that the bot did not answer, the service got nothing, and nothing
 * is left in the store.
 * @param tried resolves once the bot has tried to answer, where it can
 */
export async function isLost(scene: Scene, host: string, tried?: () => Promise<void>): Promise<void> {
  const answer = submit(scene, host);
  await tried?.();
  scene.discord.clock.advance(ANSWER_WITHIN_MS);
  expect(await answer).toEqual({ kind: 'lost' });
  await expect.poll(() => unfinishedIn(scene.store)).toEqual([]);
  expect(addsOf(scene, host)).toHaveLength(0);
  expect(await outcomesIn(scene.store, scene.member.guildId, host)).toEqual([]);
}
