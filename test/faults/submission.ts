import { expect } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { eventually } from '../support/eventually.ts';
import { ANSWER_WITHIN_MS, type Scene, textOf } from '../support/scene.ts';
import { readStored } from '../support/stored.ts';

export const ACCEPTED = 'Servers have been added for review.';

export const submit = (scene: Scene, server: string): Promise<Answer> =>
  scene.member.slash('addserver', { game: 'cs2', server: `${server}:27015` });

/** The requests with this server that the service has read. */
export const adds = ({ listing }: Pick<Scene, 'listing'>, server: string) =>
  listing.requests.filter(({ servers }) => servers.some((held) => held.server === server));

/** The member saw the service's answer; the service got the server once; nothing is left unfinished. */
export async function isAccepted(scene: Scene, server: string): Promise<void> {
  expect(textOf(await submit(scene, server))).toContain(ACCEPTED);
  expect(adds(scene, server)).toHaveLength(1);
  await eventually(() => readStored(scene.data).unfinished, []);
  expect(readStored(scene.data).ended(scene.member.guildId, server)).toEqual(['accepted']);
}

/**
 * The time for an answer passes; then the member saw that the bot did not answer, the service got nothing, and nothing
 * is left in the store.
 * @param tried resolves once the bot has tried to answer, where it can
 */
export async function isLost(scene: Scene, server: string, tried?: () => Promise<void>): Promise<void> {
  const answer = submit(scene, server);
  await tried?.();
  scene.discord.clock.advance(ANSWER_WITHIN_MS);
  expect(await answer).toEqual({ kind: 'lost' });
  await eventually(() => readStored(scene.data).unfinished, []);
  expect(adds(scene, server)).toHaveLength(0);
  expect(readStored(scene.data).ended(scene.member.guildId, server)).toEqual([]);
}
