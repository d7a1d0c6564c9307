import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { modalFields } from '../../sandbox/prompt/modal-line.ts';
import { showAnswer } from '../../sandbox/prompt/show.ts';
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
const SUBMITTING = ['Submit again', 'Try again', 'Send again'];

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
    if (answer.kind === 'refused' && answer.why.startsWith('there is no button')) {
      // What stood there when it was read has given way to the answer to an earlier press.
      asks.splice(asks.indexOf(one), 1);
      return;
    }
    const read = () => {
      if (answer.kind !== 'message' || !answer.message.loading)
        one.words = showAnswer(answer, { now: Date.now() });
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

  /** A list of servers: read, shown, submitted by a button, and reported line by line. */
  async function askForMany(person: Person, random: Random): Promise<void> {
    const { guildId, name } = person;
    const list = Array.from({ length: 2 + random.below(140) }, () => `s${++servers}.example.com`);
    const bytes = Buffer.from(list.map((server) => `${server}:27015 cs2`).join('\n'));
    commands += 1;
    const preview = await person.slash('addservers', { file: { filename: 'list.txt', bytes } });
    const label = `Submit ${list.length} game servers`;
    if (preview.kind !== 'message' || !hasButton(preview, label)) return;
    const all = list.map((server): Ask => ({ server, guildId, who: `${name} of ${guildId}` }));
    asks.push(...all);
    commands += 1;
    const answer = await person.press(preview.message, label);
    const read = () => {
      const report = reportIn(answer);
      for (const one of all) {
        const words = report
          ? `report.csv: ${report.get(one.server)}`
          : showAnswer(answer, { now: Date.now() });
        // A bar that grows, or still the button: more is to come. Unless somebody was faster with one of the servers:
        // then the preview says so, and waits for another press.
        if (/nothing was sent/i.test(words) || !/[▰▱]|Check before submitting/.test(words)) one.words = words;
      }
    };
    for (read(); all.some(({ words }) => words === undefined); read()) await sleep(200);
    rereads.push(read);
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
    const offers = (command: string) => person.commands().some((each) => each.name === command);
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
      [offers('addservers') ? 3 : 0, () => askForMany(person, random)],
      [6, other(() => person.slash('games', { search: 'a' }))],
      [8, other(() => person.complete('addserver', 'game', { game: 'c' }))],
      [offers('setkey') ? 4 : 0, other(() => setKey(person))],
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

/** What the report of a list says of each server. */
function reportIn(answer: Answer): ReadonlyMap<string, string> | undefined {
  const csv = answer.kind === 'message' ? answer.message.file('report.csv')?.toString() : undefined;
  if (csv === undefined) return undefined;
  const rows = csv.split('\r\n').map((line) => line.slice(1, -1).split('","'));
  return new Map(rows.map(([, server = '', , , , outcome = '']) => [server, outcome]));
}
