import type { LightDiscord } from './services.ts';

/** How often the work is done in a second by so many who do nothing else. */
export async function perSecond(
  work: (guild: number) => Promise<void>,
  forSeconds: number,
  atOnce: number,
): Promise<number> {
  const start = performance.now();
  const until = start + forSeconds * 1000;
  let done = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async (_, guild) => {
      while (performance.now() < until) {
        await work(guild);
        done += 1;
      }
    }),
  );
  return (done * 1000) / (performance.now() - start);
}

/** One server submitted from the command to its report, with a host of its own each time. */
export function submissions(discord: LightDiscord, games: number) {
  let number = 0;
  return async (guild: number): Promise<void> => {
    number += 1;
    const server = `s${number}.example.com:27015`;
    const sent = discord.send(slash('addserver', { game: `game${number % games}`, server }), guild);
    await sent.acknowledged;
    await sent.answered;
  };
}

/** Gives a guild a key, as its admin does. */
export async function setKey(discord: LightDiscord, guild: number): Promise<void> {
  const { callback } = await discord.send(slash('setkey'), guild).acknowledged;
  if (callback.type !== 9) throw new Error('/setkey opened no modal');
  const custom_id = callback.data?.custom_id;
  const component = { type: 4, id: 2, custom_id: 'key', value: `bench-key-of-guild-${guild}` };
  const data = { custom_id, components: [{ type: 18, id: 1, component }] };
  const { acknowledged, answered } = discord.send({ type: 5, data }, guild);
  await acknowledged;
  await answered;
}

const COMMAND_ID = '666666666666666666';
const option = (name: string, value: string) => ({ type: 3, name, value });

export const slash = (name: string, given: Readonly<Record<string, string>> = {}) => ({
  type: 2,
  data: {
    id: COMMAND_ID,
    name,
    type: 1,
    options: Object.entries(given).map(([key, value]) => option(key, value)),
  },
});

export const completing = (typed: string) => ({
  type: 4,
  data: {
    id: COMMAND_ID,
    name: 'addserver',
    type: 1,
    options: [{ ...option('game', typed), focused: true }],
  },
});

export function expectType(
  { callback }: { readonly callback: { readonly type: number } },
  type: number,
): void {
  if (callback.type !== type) throw new Error(`a callback of type ${callback.type} came, not ${type}`);
}

/** 4: an answer at once; 5: deferred. */
export function expectAcknowledged({ callback }: { readonly callback: { readonly type: number } }): void {
  if (callback.type !== 4 && callback.type !== 5)
    throw new Error(`a callback of type ${callback.type} acknowledges nothing`);
}
