import type { Call } from '../src/discord/command.ts';
import { escapeText, LONGEST_NAME } from '../src/discord/escape.ts';
import type { GuildLog } from '../src/discord/guild-log.ts';
import type { AddOutcome, ServerSubmission } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import type { Translate } from '../src/locales/words.ts';
import { formatAddress } from '../src/submissions/address.ts';
import type { DeskStep, Order, Refusal } from '../src/submissions/desk.ts';
import { serviceWords } from './service-words.ts';

export interface SubmissionLogDeps {
  readonly guildLog: Pick<GuildLog, 'tell'>;
  readonly games: Pick<GameCatalog, 'find'>;
  /** How long an order of which nothing more is heard is waited for, in milliseconds. */
  readonly idleMs?: number;
  readonly quietMs?: number;
}

/** A step that tells a guild's log of every submission and every refusal. It has to be the last one. */
export interface SubmissionLog extends DeskStep {
  /** Tells at once of orders that are not sent to their end, as when the bot stops. */
  flush(): Promise<void>;
}

/** Longer than a request may take by the configuration's highest value of 120 s. */
const IDLE_MS = 150_000;
/** Addresses that are named of an order of many servers; /submissions has them all. */
const NAMED = 5;
/** Different messages of the service that are shown of one order, and UTF-16 units of each: all fits into an embed. */
const MESSAGES = 2;
const LONGEST_MESSAGE = 400;

/** After a rejection, how soon a part of that request is sent again if it is at all, in milliseconds. */
const QUIET_MS = 3_000;

interface End {
  readonly server: ServerSubmission;
  readonly outcome: AddOutcome;
  /** It may be sent again: one of several servers in a request that was rejected. */
  readonly isOpen: boolean;
}

interface Group {
  readonly order: Order;
  /** By address: how each server has ended so far. */
  readonly ends: Map<string, End>;
  /** Requests that have left and are not answered yet. */
  underway: number;
  timer: NodeJS.Timeout;
}

/** An order of a thousand servers goes out in ten requests and makes one line. */
export function createSubmissionLog(deps: SubmissionLogDeps): SubmissionLog {
  const { guildLog, games, idleMs = IDLE_MS, quietMs = QUIET_MS } = deps;
  const groups = new Map<string, Group>();

  function open(order: Order): Group {
    const id = order.interactionId;
    const timer = setTimeout(() => void finish(id), idleMs).unref();
    const group: Group = { order, ends: new Map(), underway: 0, timer };
    groups.set(id, group);
    return group;
  }

  /** Notes how servers ended, and tells of the order once that is known of all of them. */
  async function note(
    { interactionId, servers }: Order,
    group: Group,
    end: Omit<End, 'server'>,
  ): Promise<void> {
    for (const server of servers) group.ends.set(placeOf(server), { ...end, server });
    const ends = [...group.ends.values()];
    if (ends.length >= group.order.servers.length && !ends.some(({ isOpen }) => isOpen)) {
      return finish(interactionId);
    }
    clearTimeout(group.timer);
    const wait = group.underway > 0 || ends.length < group.order.servers.length ? idleMs : quietMs;
    group.timer = setTimeout(() => void finish(interactionId), wait).unref();
  }

  function forget(id: string): Group | undefined {
    const group = groups.get(id);
    clearTimeout(group?.timer);
    groups.delete(id);
    return group;
  }

  async function finish(id: string): Promise<void> {
    const group = forget(id);
    // Let in, and then not sent after all.
    if (group === undefined || group.ends.size === 0) return;
    await guildLog.tell(group.order.guildId, (t) => groupText(t, group));
  }

  const nameOfGame = (alias: string) => escapeText(games.find(alias)?.name ?? alias, LONGEST_NAME);

  function nameOf({ game, server, port }: ServerSubmission): string {
    return `**${nameOfGame(game)}** — \`${formatAddress({ host: server, port })}\``;
  }

  function whatText(t: Translate, servers: readonly ServerSubmission[]): string {
    const named = servers.slice(0, NAMED).map(nameOf).join(', ');
    const count = servers.length - NAMED;
    return count > 0 ? t('guildLog.andMore', { named, count }) : named;
  }

  function groupText(t: Translate, { order, ends: byPlace }: Group): string {
    const ends = [...byPlace.values()];
    const what = whatText(
      t,
      ends.map(({ server }) => server),
    );
    const values = { member: memberText(order.user), what };
    const [first] = ends;
    if (first !== undefined && ends.length === 1) {
      return t(`guildLog.one.${wayOf(first.outcome)}`, { ...values, message: wordsOf(first.outcome, t) });
    }
    const ways = [...new Set(ends.map(({ outcome }) => wayOf(outcome)))];
    return [
      t('guildLog.many', { ...values, count: ends.length }),
      ...ways.map((way) => {
        const ended = ends.filter(({ outcome }) => wayOf(outcome) === way);
        const messages = [...new Set(ended.map(({ outcome }) => wordsOf(outcome, t)))];
        return t(`guildLog.part.${way}`, {
          count: ended.length,
          message: messages.slice(0, MESSAGES).join(' / '),
        });
      }),
    ].join('\n');
  }

  return {
    name: 'guild log',
    async admit(order) {
      forget(order.interactionId);
      open(order);
      return undefined;
    },
    async refused(order, refusal) {
      forget(order.interactionId);
      await guildLog.tell(order.guildId, (t) =>
        t('guildLog.refused', {
          member: memberText(order.user),
          what: whatText(t, order.servers),
          reason: reasonText(t, refusal, nameOfGame),
        }),
      );
    },
    async sending(order) {
      // What a former run of the bot had let in is not known here: it is told request by request.
      const group = groups.get(order.interactionId) ?? open(order);
      group.underway++;
    },
    async settled(order, outcome) {
      const group = groups.get(order.interactionId) ?? open(order);
      group.underway = Math.max(0, group.underway - 1);
      const isOpen = outcome.kind === 'rejected' && order.servers.length > 1;
      await note(order, group, { outcome, isOpen });
    },
    async withdrawn(order) {
      const group = groups.get(order.interactionId);
      if (group) await note(order, group, { outcome: NOT_SENT, isOpen: false });
    },
    async flush() {
      await Promise.all([...groups.keys()].map(finish));
    },
  };
}

const NOT_SENT: AddOutcome = { kind: 'not-sent', reason: 'aborted', detail: '' };

const placeOf = ({ server, port, game }: ServerSubmission) =>
  `${formatAddress({ host: server, port })} ${game}`;

/** A member as a mention, which pings nobody in an embed, and as a name, which stays when they have left. */
export function memberText({ id, name }: Call['user']): string {
  return `<@${id}> (${escapeText(name, LONGEST_NAME)})`;
}

/** How it ended, as the ledger has it; an answer that cannot be understood leaves it open. */
function wayOf({ kind }: AddOutcome): 'accepted' | 'rejected' | 'notSent' | 'unknown' {
  if (kind === 'accepted' || kind === 'rejected') return kind;
  return kind === 'not-sent' ? 'notSent' : 'unknown';
}

/** The service's own words, where it said something. */
const wordsOf = (outcome: AddOutcome, t: Translate): string =>
  'message' in outcome ? escapeText(serviceWords(outcome.message, t), LONGEST_MESSAGE) : '';

function reasonText(t: Translate, refusal: Refusal, nameOf: (alias: string) => string): string {
  switch (refusal.code) {
    case 'game-not-allowed':
      return t('guildLog.reason.game-not-allowed', { game: nameOf(refusal.game) });
    case 'daily-quota':
      return t('guildLog.reason.daily-quota', { count: refusal.limit });
    default:
      return t(`guildLog.reason.${refusal.code}`);
  }
}
