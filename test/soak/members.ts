import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { modalFields } from '../../sandbox/prompt/modal-line.ts';
import { isFinished, showAnswer } from '../../sandbox/prompt/show.ts';
import { buttonsOf } from '../../sandbox/prompt/show-components.ts';
import type { Random } from './random.ts';
import type { Ask } from './verdict.ts';

export const KEY = 'sandbox-key';

export interface Members {
  /** Everything that was asked so far. */
  readonly asks: readonly Ask[];
  readonly commands: () => number;
  /** How often each button was pressed. */
  readonly presses: ReadonlyMap<string, number>;
  /** Sets the key of the person's guild. */
  setKey(person: Person): Promise<void>;
  /** One person doing one thing after the other until `over`. */
  live(person: Person, random: Random, over: AbortSignal): Promise<void>;
  /** Waits until nothing is under way; whether that came true within so many milliseconds. */
  answered(withinMs: number): Promise<boolean>;
  /** What everybody can read by now. */
  readAgain(): void;
}

/** Buttons that submit what was tried: once more, or corrected with a port or one of the games that were meant. */
const SUBMITTING = /^(Submit again|Try again|Send again|Use \d+|Counter-Strike.*|Minecraft.*)$/;

/** What a first try may look like for `server`, the most often as it should. */
const TRIES: readonly (readonly [weight: number, typed: (server: string) => Typed])[] = [
  [6, (server) => ({ game: 'cs2', server: `${server}:27015` })],
  [1, (server) => ({ game: 'cs2', server })],
  [1, (server) => ({ game: 'minecarft', server: `${server}:25565` })],
  [1, (server) => ({ game: 'cs2', server: `${server}:70000` })],
  [1, (server) => ({ game: 'cs2', server: `${server}:27015`, port: 27016 })],
];
interface Typed {
  readonly game: string;
  readonly server: string;
  readonly port?: number;
}

export function createMembers(): Members {
  const asks: Ask[] = [];
  const rereads: (() => void)[] = [];
  const running = new Set<Promise<unknown>>();
  const presses = new Map<string, number>();
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
    const labels = labelsOf(answer).filter((each) => each === 'Edit' || SUBMITTING.test(each));
    const label = labels[random.below(labels.length)];
    if (answer.kind !== 'message' || label === undefined || !random.chance(0.6)) {
      // A restart may still change what stands there.
      rereads.push(read);
      return;
    }
    await sleep(random.between(50, 500));
    read();
    await ask(person, random, server, () =>
      label === 'Edit'
        ? edit(person, answer.message, { game: 'cs2', server: `${server}:27015`, port: '', query_port: '' })
        : press(person, answer.message, label),
    );
  }

  function press(person: Person, message: SeenMessage, label: string): Promise<Answer> {
    presses.set(label, (presses.get(label) ?? 0) + 1);
    return person.press(message, label);
  }

  /** Opens the window of a message's Edit button and submits it with these values. */
  async function edit(
    person: Person,
    message: SeenMessage,
    values: Readonly<Record<string, string>> | ((typed: string) => string),
  ): Promise<Answer> {
    commands += 1;
    const opened = await press(person, message, 'Edit');
    if (opened.kind !== 'modal') return opened;
    const [field] = modalFields(opened.modal.data);
    return person.submit(
      opened.modal,
      typeof values === 'function' ? { [field?.id ?? '']: values(field?.value ?? '') } : values,
    );
  }

  /** A list of servers: read, shown, submitted by a button, and reported line by line. */
  async function askForMany(person: Person, random: Random): Promise<void> {
    const list = Array.from({ length: 2 + random.below(140) }, () => `s${++servers}.example.com`);
    // Now and then each line in ten lacks its port, and is corrected before the others are sent.
    const isWrong = random.chance(0.5);
    const lines = list.map((server, index) => `${server}${isWrong && index % 10 === 1 ? '' : ':27015'} cs2`);
    const bytes = Buffer.from(lines.join('\n'));
    commands += 1;
    let preview = await person.slash('addservers', { file: { filename: 'list.txt', bytes } });
    if (isWrong && preview.kind === 'message' && labelsOf(preview).includes('Edit'))
      preview = await edit(person, preview.message, (typed) =>
        typed.replaceAll('.com cs2', '.com:27015 cs2'),
      );
    await sendMany(person, random, preview, list);
  }

  /** Presses Submit, or Send again, for these servers, and reads what the report says of each. */
  async function sendMany(
    person: Person,
    random: Random,
    preview: Answer,
    list: readonly string[],
  ): Promise<void> {
    const { guildId, name } = person;
    const label = labelsOf(preview).find(
      (each) => each === `Submit ${list.length} game servers` || each === 'Send again',
    );
    if (preview.kind !== 'message' || label === undefined) return;
    const all = list.map((server): Ask => ({ server, guildId, who: `${name} of ${guildId}` }));
    asks.push(...all);
    commands += 1;
    const before = preview.message.current;
    const answer = await press(person, preview.message, label);
    const read = () => {
      // What stood there before the press, or a bar that grows: more is to come.
      if (answer.kind === 'message' && (answer.message.current === before || !isFinished(answer.message)))
        return;
      const report = reportIn(answer);
      for (const one of all)
        one.words = report
          ? `report.csv: ${report.get(one.server)}`
          : showAnswer(answer, { now: Date.now() });
    };
    for (read(); all.some(({ words }) => words === undefined); read()) await sleep(200);
    const left = all.filter(({ words = '' }) => /^report\.csv: (not sent|refused)$/.test(words));
    if (left.length === 0 || !random.chance(0.9)) {
      rereads.push(read);
      return;
    }
    // What stands there gives way to the report on these.
    await sleep(random.between(50, 500));
    await sendMany(
      person,
      random,
      answer,
      left.map(({ server }) => server),
    );
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
      ask(person, random, server, () => person.slash('addserver', { ...random.pick(TRIES)(server) }));
    const offers = (command: string) => person.commands().some((each) => each.name === command);
    const earlier = asks.filter(({ guildId }) => guildId === person.guildId);
    const fresh = () => submit(`s${++servers}.example.com`);
    const again = () => {
      const one = earlier[random.below(earlier.length)];
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
      [offers('addservers') ? 6 : 0, () => askForMany(person, random)],
      [6, other(() => person.slash('games', { search: 'a' }))],
      [8, other(() => person.complete('addserver', 'game', { game: 'c' }))],
      [offers('setkey') ? 4 : 0, other(() => setKey(person))],
    ])();
  }

  return {
    asks,
    commands: () => commands,
    presses,
    setKey,
    async live(person, random, over) {
      while (!over.aborted) {
        begin(() => act(person, random));
        await sleep(random.between(150, 900));
      }
    },
    async answered(withinMs) {
      const end = performance.now() + withinMs;
      while (running.size > 0 && performance.now() < end) await sleep(100);
      return running.size === 0;
    },
    readAgain() {
      for (const read of rereads) read();
    },
  };
}

const labelsOf = (answer: Answer): readonly string[] =>
  answer.kind === 'message' ? buttonsOf(answer.message.current?.components ?? []) : [];

/** What the report of a list says of each server. */
function reportIn(answer: Answer): ReadonlyMap<string, string> | undefined {
  const csv = answer.kind === 'message' ? answer.message.file('report.csv')?.toString() : undefined;
  if (csv === undefined) return undefined;
  const rows = csv.split('\r\n').map((line) => line.slice(1, -1).split('","'));
  return new Map(rows.map(([, server = '', , , , outcome = '']) => [server, outcome]));
}
