import { type REST, Routes } from 'discord.js';

/** The most that Discord lists at once (Discord docs: Users Resource, "Get Current User Guilds"). */
const PAGE = 200;

/**
 * The ids of every guild the bot is in, also of those that have an outage. All of them, or an error: a list that
 * lacks some would look as if the bot had been removed there.
 */
export async function listGuilds(rest: Pick<REST, 'get'>): Promise<readonly string[]> {
  const all: string[] = [];
  for (;;) {
    const last = all.at(-1);
    const query = new URLSearchParams({ limit: String(PAGE), ...(last !== undefined && { after: last }) });
    const page = idsOf(await rest.get(Routes.userGuilds(), { query }));
    const [first] = page;
    if (first !== undefined && last !== undefined && BigInt(first) <= BigInt(last)) {
      throw new Error('Discord lists the guilds of this bot in another order than it documents');
    }
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

function idsOf(page: unknown): readonly string[] {
  const guilds: readonly unknown[] = Array.isArray(page) ? page : [undefined];
  return guilds.map((guild) => {
    const { id } = Object(guild);
    if (typeof id !== 'string' || !/^\d{1,20}$/.test(id)) {
      throw new Error('Discord did not answer with a list of guilds');
    }
    return id;
  });
}
