import { setTimeout as sleep } from 'node:timers/promises';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, OptionValue, Person } from '../../sandbox/discord/contract.ts';
import { isFinished } from '../../sandbox/prompt/show.ts';
import { setKey, textOf } from '../support/bot.ts';
import { upload } from '../support/people.ts';
import { type Ask, INTERRUPTED, latestOf } from './judge.ts';
import { throughPanel } from './panel.ts';
import { labelsOf } from './people.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

export const KEY = 'sandbox-key';
/** The query port of every game server in the simulated Steam list. */
export const QUERY_PORT = 27_020;
/** The second port of a submission with two ports. A button makes it the query port. */
export const SECOND_PORT = 27_016;

/** A user who makes their own random choices. */
interface Member {
  readonly person: Person;
  readonly random: Random;
}

/**
 * How long to wait for a message to change, in milliseconds. An unchanged message might be an earlier reply that the bot
 * repeated in case it was lost.
 */
const AGAIN_MS = 30_000;

interface Members {
  /**
   * Starts one action after another as a user, until `over` is aborted.
   * @param slower the factor by which to lengthen the pauses between actions
   */
  live(member: Member, over: AbortSignal, slower?: number): Promise<void>;
  /** Waits until no action is running, but at most this many milliseconds. */
  answered(withinMs: number): Promise<void>;
  /** Rereads every reply, because a restart might have changed it. */
  readAgain(): Promise<void>;
}

/** Buttons that submit the same server again, either unchanged or with another port or the suggested game. */
const SUBMITTING = /^(Edit|Withdraw|Submit again|(Use|Submit with port|Submit as) .*)$/;

/** Different ways to submit `server` for the first time. Most are valid. */
const TRIES: readonly (readonly [weight: number, typed: (server: string) => Record<string, OptionValue>])[] =
  [
    [6, (server) => ({ game: 'cs2', server: `${server}:27015` })],
    [1, (server) => ({ game: 'cs2', server })],
    [1, (server) => ({ game: 'minecraft', server })],
    [1, (server) => ({ game: 'minecarft', server: `${server}:25565` })],
    [1, (server) => ({ game: 'cs2', server: `${server}:70000` })],
    [1, (server) => ({ game: 'cs2', server: `${server}:27015`, port: SECOND_PORT })],
  ];

/** Converts a command's options to a modal's values. */
const inWords = (typed: Readonly<Record<string, OptionValue>>): Record<string, string> =>
  Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, String(value)]));

/** A server's possible outcomes: `said` in the report on a list, and `counted` in a reply after a restart. */
const OUTCOMES = [
  { kind: 'accepted', said: 'sent for review', counted: /(\d+) sent for review\./g },
  { kind: 'rejected', said: 'rejected', counted: /(\d+) rejected\./g },
  { kind: 'unknown', said: 'unconfirmed', counted: /(\d+) unconfirmed\./g },
  { kind: 'not-sent', said: 'not sent', counted: /(\d+) not sent\./g },
];
/** Removes relative times, because Discord updates them every time it shows a message. */
const withoutAges = (words: string | undefined): string | undefined => words?.replaceAll(/\d+ \w+ ago/g, '');
const withoutButtons = (words: string): string => words.replace(/\n\[ .* \]$/, '');

/** The number of servers that weren't accepted because of the key. Some were rejected, and the others were never sent. */
const OF_KEY = /(\d+) not accepted:/g;
const AFTER_RESTART = /\d+ ((sent for review|rejected|unconfirmed|not sent)\.|not accepted:)/;

export function createMembers(world: World): Members {
  const { asks, verdict } = world;
  const rereads: (() => Promise<void>)[] = [];
  const running = new Set<Promise<unknown>>();
  /**
   * The servers submitted one at a time, by guild. Members don't resubmit servers from lists, because replies after a
   * restart only contain numbers.
   */
  const singles = new Map<string, string[]>();
  let servers = 0;

  /** Returns a host that nobody else uses, and adds it to the public DNS records. */
  function freshServer(): string {
    servers += 1;
    const server = `s${servers}.example.com`;
    const address = `93.${184 + (servers >> 16)}.${(servers >> 8) % 256}.${servers % 256}`;
    world.records.addName(server, { addresses: [address] });
    world.records.list(address, [{ port: 27_015, queryPort: QUERY_PORT, appId: 730 }]);
    return server;
  }

  const askOf = ({ guildId, name }: Person, server: string): Ask => ({
    server,
    guildId,
    who: `${name} of ${guildId}`,
  });

  function press(person: Person, answer: Answer, label: string): Promise<Answer> {
    if (answer.kind !== 'message') throw new Error('there is no message with buttons');
    verdict.count('presses', 1);
    return person.press(answer.message, label);
  }

  /**
   * Submits one server through `act`, and then through the buttons on the reply.
   * @param before the content of the message before `act`
   */
  async function submitOne(
    member: Member,
    server: string,
    act: () => Promise<Answer>,
    before?: string,
  ): Promise<void> {
    const { person, random } = member;
    const one = askOf(person, server);
    asks.push(one);
    const answer = await act();
    if (answer.kind === 'rejected' && answer.why.startsWith('there is no button')) {
      // A reply to an earlier press has removed this button.
      asks.splice(asks.indexOf(one), 1);
      return;
    }
    const read = async () => {
      if (answer.kind === 'message' && answer.message.loading) return;
      one.words = textOf(answer);
      // If the draft has expired, for example because the clock has jumped, the bot shows the previous outcome again.
      if (one.words !== before && one.words === withoutButtons(before ?? '')) one.words = 'shown again';
    };
    await read();
    const isUnchanged = () => withoutAges(one.words) === withoutAges(before);
    const until = performance.now() + AGAIN_MS;
    while (isUnchanged() && performance.now() < until) {
      await sleep(200);
      await read();
    }
    const labels = labelsOf(answer).filter((label) => SUBMITTING.test(label));
    const label = labels[random.below(labels.length)];
    // An unchanged message may still change, for example after another process has taken over.
    if (label === undefined || isUnchanged() || !random.chance(0.6)) {
      rereads.push(read);
      return;
    }
    await sleep(random.between(50, 500));
    await read();
    const goOn = async (): Promise<Answer> => {
      const next = await press(person, answer, label);
      if (next.kind !== 'modal') return next;
      const right: Record<string, string> = { game: 'cs2', server: `${server}:27015` };
      const values = modalFields(next.modal.data).map(({ id }) => [id, right[id] ?? '']);
      return person.submit(next.modal, Object.fromEntries(values));
    };
    await submitOne(member, server, goOn, one.words);
  }

  /** Presses the Submit button below a list, or the button for its unsent servers, and reads each server's outcome. */
  async function submitMany(member: Member, shown: Answer, list: readonly string[]): Promise<void> {
    const { person, random } = member;
    const label = labelsOf(shown).find((each) =>
      /^Submit \d+ (game servers?|for approval|unsent)$/.test(each),
    );
    if (shown.kind !== 'message' || label === undefined) return;
    const all = list.map((server) => askOf(person, server));
    asks.push(...all);
    const before = { message: shown.message.current, text: textOf(shown) };
    const again = performance.now() + AGAIN_MS;
    const answer = await press(person, shown, label);
    const read = async () => {
      // The message hasn't changed yet, or still shows a progress bar.
      if (answer.kind === 'message') {
        if (answer.message.current === before.message || !isFinished(answer.message)) return;
        if (textOf(answer) === before.text && performance.now() < again) return;
      }
      const said = await saidOf(answer, all);
      for (const one of all) one.words = said(one.server);
    };
    for (await read(); all.some(({ words }) => words === undefined); await read()) await sleep(200);
    const left = all.filter(({ words = '' }) => /^list: (not-sent|rejected)$/.test(words));
    if (left.length === 0 || !random.chance(0.9)) {
      rereads.push(read);
      return;
    }
    // The report on the remaining servers will replace this report.
    await sleep(random.between(50, 500));
    const servers = left.map(({ server }) => server);
    await submitMany(member, answer, servers);
  }

  /** Returns a function that finds a server's outcome in the reply to a list. */
  async function saidOf(answer: Answer, all: readonly Ask[]): Promise<(server: string) => string> {
    const text = textOf(answer);
    const latest = latestOf(text);
    // The report below this notice is from an earlier submission.
    if (INTERRUPTED.test(text)) return () => text;
    const report = answer.kind === 'message' ? answer.message.file('report.csv')?.toString() : undefined;
    // If there is newer text above the report, the attached file is outdated.
    if (report !== undefined && latest === text) {
      const rows = report.split('\r\n').map((line) => line.slice(1, -1).split('","'));
      const outcomes = new Map(rows.map(([, server = '', , , , outcome]) => [server, outcome]));
      return (server) => `list: ${OUTCOMES.find(({ said }) => said === outcomes.get(server))?.kind}`;
    }
    if (!AFTER_RESTART.test(latest)) return () => latest;
    // After a restart, the reply only contains numbers, but the history lists the servers.
    const history = await world.stored.latest(all);
    // This reply is only about servers that weren't sent. The history contains the other servers' outcomes.
    if (/Waiting for a moderator|Nothing was sent|❌ Declined/.test(latest)) {
      return (server) => {
        const outcome = history.get(server) ?? 'not-sent';
        return outcome === 'not-sent' ? latest : `list: ${outcome}`;
      };
    }
    // The reply can contain several numbers for an outcome, one per reason.
    const sumOf = (numbers: RegExp) =>
      [...latest.matchAll(numbers)].reduce((sum, [, number]) => sum + Number(number), 0);
    // How many more servers with each outcome the history has than the reply.
    const [accepted = 0, rejected = 0, unknown = 0, notSent = 0] = OUTCOMES.map(
      ({ kind, counted }) =>
        [...history.values()].filter((outcome) => outcome === kind).length - sumOf(counted),
    );
    const isTrue =
      accepted === 0 &&
      unknown === 0 &&
      Math.min(rejected, notSent) >= 0 &&
      rejected + notSent === sumOf(OF_KEY);
    if (!isTrue) return (server) => `the history has ${history.get(server)}, and other numbers than ${text}`;
    return (server) => `list: ${history.get(server)}`;
  }

  async function submitList(member: Member): Promise<void> {
    const list = Array.from({ length: 2 + member.random.below(140) }, freshServer);
    const file = upload('list.txt', list.map((server) => `${server}:27015 cs2`).join('\n'));
    const { person, random } = member;
    const preview = random.chance(0.5)
      ? await throughPanel(world, person, 'Submit a list', { file })
      : await person.slash('addservers', { file });
    await submitMany(member, preview, list);
  }

  function act(member: Member): Promise<unknown> {
    const { person, random } = member;
    const offers = (command: string) => person.commands().some((each) => each.name === command);
    const submit = (server: string) =>
      submitOne(member, server, () => {
        const typed = random.pick(TRIES)(server);
        return random.chance(0.2)
          ? throughPanel(world, person, 'Submit a game server', inWords(typed))
          : person.slash('addserver', typed);
      });
    const again = () => {
      const earlier = singles.get(person.guildId) ?? [];
      return submit(earlier[random.below(earlier.length)] ?? freshSingle());
    };
    function freshSingle(): string {
      const server = freshServer();
      singles.set(person.guildId, [...(singles.get(person.guildId) ?? []), server]);
      return server;
    }
    return random.pick<() => Promise<unknown>>([
      [60, () => submit(freshSingle())],
      [12, again],
      [8, () => person.slash('games')],
      [4, () => throughPanel(world, person, 'My submissions')],
      [offers('addservers') ? 6 : 0, () => submitList(member)],
      [6, () => person.slash('games', { search: 'a' })],
      [8, () => person.complete('addserver', 'game', { game: 'c' })],
      // The modal may fail to open.
      [offers('setkey') ? 4 : 0, () => setKey(person, KEY).catch(() => undefined)],
    ])();
  }

  return {
    async live(member, over, slower = 1) {
      while (!over.aborted) {
        verdict.count('commands', 1);
        // Doesn't wait for the previous command. Otherwise, a restart of the bot would stop every user.
        const work = act(member).finally(() => running.delete(work));
        running.add(work);
        await sleep(member.random.between(150, 900) * slower);
      }
    },
    async answered(withinMs) {
      const end = performance.now() + withinMs;
      while (running.size > 0 && performance.now() < end) await sleep(100);
    },
    async readAgain() {
      for (const read of rereads) await read();
    },
  };
}
