import { setTimeout as sleep } from 'node:timers/promises';
import { SnowflakeUtil } from 'discord.js';
import type { Person } from '../../sandbox/discord/contract.ts';
import { textOf } from '../support/bot.ts';
import { ACCEPTED } from '../support/people.ts';
import type { Ask } from './judge.ts';
import type { World } from './world.ts';

/** What people saw who have nothing to do with an attack. */
export interface Sight {
  actions: number;
  /** Milliseconds until Discord had a first response, for which it waits 3,000, and until there was an answer. */
  slowestResponse: number;
  slowestAnswer: number;
  unanswered: number;
  refused: number;
}

export interface Others {
  /**
   * Lets them work while `run` goes on, and at least once through all that they do.
   * @param mayBeRefused where the list of games, which all guilds share, is not to be relied on
   */
  during(name: string, run: () => Promise<void>, mayBeRefused?: boolean): Promise<Sight>;
}

/** Between two actions of one person. */
const PAUSE_MS = 100;

/** Members of other guilds who only work. What they were told is judged with all else that was asked in this world. */
export function createOthers({ verdict, asks, discord }: World, people: readonly Person[]): Others {
  let servers = 0;

  /** How long Discord has waited for the first response to the interaction that a message answers. */
  function respondedAfter(answer: unknown): number {
    const id: string | undefined = Object(answer).message?.current?.interaction_metadata?.id;
    const callback = discord.requests.find(({ path }) => path.includes(`/interactions/${id}/`));
    return id && callback ? callback.at - SnowflakeUtil.timestampFrom(id) : 0;
  }

  return {
    async during(name, run, mayBeRefused = false) {
      const sight: Sight = { actions: 0, slowestResponse: 0, slowestAnswer: 0, unanswered: 0, refused: 0 };

      async function timed<Answer>(act: () => Promise<Answer>): Promise<Answer> {
        const since = performance.now();
        const answer = await act();
        sight.actions += 1;
        sight.slowestAnswer = Math.max(sight.slowestAnswer, Math.round(performance.now() - since));
        sight.slowestResponse = Math.max(sight.slowestResponse, respondedAfter(answer));
        if (answer !== 'lost' && Object(answer).kind !== 'lost') return answer;
        sight.unanswered += 1;
        verdict.harm('unanswered', `${name}: somebody else had no answer`);
        return answer;
      }

      function wants(isMet: boolean, said: string): void {
        if (isMet || mayBeRefused) return;
        sight.refused += 1;
        verdict.harm('others refused', `${name}: ${said}`);
      }

      async function round(person: Person): Promise<void> {
        const choices = await timed(() => person.complete('addserver', 'game', { game: 'counter' }));
        wants(JSON.stringify(choices).includes('"cs2"'), 'no cs2 among the suggestions');
        const help = textOf(await timed(() => person.slash('help')));
        wants(help.includes('/addserver'), help);
        servers += 1;
        const server = `other-${servers}.example.com`;
        const ask: Ask = { server, guildId: person.guildId, who: `somebody else, during ${name},` };
        asks.push(ask);
        const options = { game: 'cs2', server: `${server}:27015` };
        ask.words = textOf(await timed(() => person.slash('addserver', options)));
        wants(ask.words.includes(ACCEPTED), ask.words);
      }

      let isOver = false;
      async function live(person: Person): Promise<void> {
        do {
          await round(person);
          await sleep(PAUSE_MS);
        } while (!isOver);
      }

      const lives = people.map(live);
      try {
        await run();
      } finally {
        isOver = true;
        await Promise.all(lives);
      }
      verdict.othersWaited(sight.slowestResponse, sight.slowestAnswer);
      return sight;
    },
  };
}
