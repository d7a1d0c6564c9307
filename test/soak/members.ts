import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Person } from '../../src/sandbox/contract.ts';
import { modalFields } from '../../src/sandbox/prompt/modal-line.ts';
import { showAnswer } from '../../src/sandbox/prompt/show-answer.ts';
import type { Random } from './random.ts';
import type { Ask } from './verdict.ts';

export const KEY = 'sandbox-key';

export interface Members {
  /** Everything that was asked so far. */
  readonly asks: readonly Ask[];
  readonly commands: () => number;
  /** Sets the key of the person's guild. */
  setKey(person: Person): Promise<void>;
  /** One person doing one thing after the other until `over`. */
  live(person: Person, random: Random, over: AbortSignal): Promise<void>;
  /** Waits until nothing is under way; whether that came true within so many milliseconds. */
  settled(withinMs: number): Promise<boolean>;
  /** What everybody can read by now. */
  readAgain(): void;
}

/** Buttons that submit a server once more. */
const SUBMITTING = ['Submit again', 'Try again'];

export function createMembers(): Members {
  const asks: Ask[] = [];
  const rereads: (() => void)[] = [];
  const running = new Set<Promise<unknown>>();
  let commands = 0;
  let servers = 0;

  /** A command does not wait for the one before: a bot that restarts must not silence everybody. */
  function begin(run: () => Promise<unknown>): void {
    const work = run().finally(() => running.delete(work));
    running.add(work);
  }

  async function ask(
    person: Person,
    random: Random,
    server: string,
    act: () => Promise<Answer>,
  ): Promise<void> {
    const { guildId, name } = person;
    const one: Ask = { server, guildId, who: `${name} of ${guildId}` };
    asks.push(one);
    commands += 1;
    const answer = await act();
    const read = () => {
      if (answer.kind !== 'message' || !answer.message.loading) one.words = showAnswer(answer, { now: 0 });
    };
    read();
    const label = answer.kind === 'message' ? SUBMITTING.find((each) => hasButton(answer, each)) : undefined;
    if (answer.kind !== 'message' || label === undefined || !random.chance(0.5)) {
      // A restart may still change what stands there.
      rereads.push(read);
      return;
    }
    await sleep(random.between(50, 500));
    read();
    await ask(person, random, server, () => person.press(answer.message, label));
  }

  async function setKey(person: Person): Promise<void> {
    const answer = await person.slash('setkey');
    if (answer.kind !== 'modal') return;
    const [field] = modalFields(answer.modal.data);
    commands += 1;
    if (field) await person.submit(answer.modal, { [field.id]: KEY });
  }

  function act(person: Person, random: Random): Promise<unknown> {
    const submit = (server: string) =>
      ask(person, random, server, () =>
        person.slash('addserver', { game: 'cs2', server: `${server}:27015` }),
      );
    const former = asks.filter(({ guildId }) => guildId === person.guildId);
    const fresh = () => submit(`s${++servers}.example.com`);
    const again = () => {
      const one = former[random.below(former.length)];
      return one ? submit(one.server) : fresh();
    };
    const other = (run: () => Promise<unknown>) => () => {
      commands += 1;
      return run();
    };
    return random.pick([
      [60, fresh],
      [12, again],
      [8, other(() => person.slash('games'))],
      [6, other(() => person.slash('games', { search: 'a' }))],
      [8, other(() => person.complete('addserver', 'game', { game: 'c' }))],
      [person.name === 'admin' ? 4 : 0, other(() => setKey(person))],
    ])();
  }

  return {
    asks,
    commands: () => commands,
    setKey,
    async live(person, random, over) {
      while (!over.aborted) {
        begin(() => act(person, random));
        await sleep(random.between(150, 900));
      }
    },
    async settled(withinMs) {
      const end = performance.now() + withinMs;
      while (running.size > 0 && performance.now() < end) await sleep(100);
      return running.size === 0;
    },
    readAgain() {
      for (const read of rereads) read();
    },
  };
}

function hasButton(answer: Extract<Answer, { kind: 'message' }>, label: string): boolean {
  return JSON.stringify(answer.message.current?.components ?? []).includes(`"label":"${label}"`);
}
