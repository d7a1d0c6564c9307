import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { textOf } from '../support/scene.ts';
import type { Arena } from './arena.ts';

/** What the guilds saw that did nothing but work. */
export interface Sight {
  readonly actions: number;
  /** Milliseconds until Discord had an acknowledgement, of the slowest action. */
  readonly slowestAck: number;
  /** Milliseconds until the answer could be read, of the slowest action. */
  readonly slowestAnswer: number;
  /** Each case in words. */
  readonly unanswered: readonly string[];
  readonly refused: readonly string[];
  readonly toldWrongly: readonly string[];
}

export interface Bystanders {
  /** Lets them work while `run` goes on, and at least once through all they do. */
  during(run: () => Promise<void>): Promise<Sight>;
}

const ACCEPTED = 'Servers have been added for review.';
const HELP = '/addserver';
/** Between two actions of one person. */
const PAUSE_MS = 100;
/** What an id of Discord's counts from (Discord docs: Reference, Snowflakes). */
const DISCORD_EPOCH = 1_420_070_400_000n;

export function createBystanders(arena: Arena): Bystanders {
  let servers = 0;

  /** When the callback of the interaction arrived that a message answers, since its id was made. */
  function ackOf(answer: Answer): number | undefined {
    const id = answer.kind === 'message' ? answer.message.current?.interaction_metadata?.id : undefined;
    if (id === undefined) return undefined;
    const callback = arena.discord.requests.find(({ path }) => path.includes(`/interactions/${id}/`));
    return callback && callback.at - Number((BigInt(id) >> 22n) + DISCORD_EPOCH);
  }

  return {
    async during(run) {
      const acks: number[] = [];
      const answers: number[] = [];
      const [unanswered, refused, toldWrongly]: [string[], string[], string[]] = [[], [], []];

      async function act(what: string, action: () => Promise<Answer>): Promise<string | undefined> {
        const begin = performance.now();
        const answer = await action();
        answers.push(performance.now() - begin);
        const ack = ackOf(answer);
        if (ack !== undefined) acks.push(ack);
        if (answer.kind === 'message') return textOf(answer);
        unanswered.push(`${what}: ${textOf(answer)}`);
        return undefined;
      }

      async function round(person: Person): Promise<void> {
        const begin = performance.now();
        const choices = await person.complete('addserver', 'game', { game: 'counter' });
        acks.push(performance.now() - begin);
        if (choices === 'lost') unanswered.push('suggestions while typing');
        else if (!choices.some(({ value }) => value === 'cs2')) refused.push('no cs2 among the suggestions');

        const help = await act('/help', () => person.slash('help'));
        if (help !== undefined && !help.includes(HELP)) toldWrongly.push(`/help says: ${help.slice(0, 200)}`);

        servers += 1;
        const server = `bystander-${servers}.example.com`;
        const said = await act('/addserver', () =>
          person.slash('addserver', { game: 'cs2', server: `${server}:27015` }),
        );
        const isHeld = arena.listing.submitted.some((each) => each.server === server);
        if (said === undefined) return;
        const isTold = said.includes(ACCEPTED);
        if (isTold !== isHeld) toldWrongly.push(`held: ${isHeld}, and told: ${said}`);
        else if (!isTold) refused.push(said);
      }

      let over = false;
      async function live(person: Person): Promise<void> {
        do {
          await round(person);
          await sleep(PAUSE_MS);
        } while (!over);
      }

      const lives = arena.bystanders.map(live);
      try {
        await run();
      } finally {
        over = true;
        await Promise.all(lives);
      }
      return {
        actions: answers.length + acks.length,
        slowestAck: Math.max(0, ...acks),
        slowestAnswer: Math.max(0, ...answers),
        unanswered,
        refused,
        toldWrongly,
      };
    },
  };
}
