import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../../sandbox/discord/contract.ts';
import { textOf } from '../support/bot.ts';
import { timeOf } from '../support/machine.ts';
import { ACCEPTED } from '../support/people.ts';
import type { Ask } from './judge.ts';
import type { World } from './world.ts';

export interface Others {
  /**
   * Lets other users act during `run`, for at least one round of actions each.
   * @param mayBeRefused whether actions are allowed to fail, because the games list that all guilds share is unreliable
   * @returns the longest wait for suggestions or for a reply to /help, in milliseconds
   */
  during(name: string, run: () => Promise<void>, mayBeRefused?: boolean): Promise<number>;
}

/** How long a user waits between two actions. */
const PAUSE_MS = 100;

/**
 * Creates members of other guilds who use the bot normally. Their replies are judged together with all other requests in
 * this world.
 */
export function createOthers({ verdict, asks, bot }: World, people: readonly Person[]): Others {
  let servers = 0;

  return {
    async during(name, run, mayBeRefused = false) {
      let slowestResponse = 0;
      let slowestAnswer = 0;
      let isOver = false;

      /**
       * Runs an action. @returns the action's result, and its duration in milliseconds, excluding time spent waiting for a
       * processor
       */
      async function timed<Answer>(act: () => Promise<Answer>) {
        const since = timeOf(bot.pid);
        const answer = await act();
        const ms = Math.round(timeOf(bot.pid) - since);
        slowestAnswer = Math.max(slowestAnswer, ms);
        const isLost = answer === 'lost' || Object(answer).kind === 'lost';
        if (isLost) verdict.harm('unanswered', `${name}: another user got no reply`);
        return { answer, ms };
      }

      function wants(isMet: boolean, said: string): void {
        if (!isMet && !mayBeRefused) verdict.harm('others refused', `${name}: ${said}`);
      }

      async function round(person: Person): Promise<void> {
        const choices = await timed(() => person.complete('addserver', 'game', { game: 'counter' }));
        wants(JSON.stringify(choices.answer).includes('"cs2"'), 'no cs2 among the suggestions');
        const help = await timed(() => person.slash('help'));
        wants(textOf(help.answer).includes('/addserver'), textOf(help.answer));
        slowestResponse = Math.max(slowestResponse, choices.ms, help.ms);
        servers += 1;
        const server = `other-${servers}.example.com`;
        const ask: Ask = { server, guildId: person.guildId, who: `somebody else, during ${name},` };
        asks.push(ask);
        const options = { game: 'cs2', server: `${server}:27015` };
        ask.words = textOf((await timed(() => person.slash('addserver', options))).answer);
        wants(ask.words.includes(ACCEPTED), ask.words);
      }

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
      verdict.othersWaited(slowestResponse, slowestAnswer);
      return slowestResponse;
    },
  };
}
