import type { Call } from '../src/discord/command.ts';
import type { GuildLog } from '../src/discord/guild-log.ts';
import { harmless } from '../src/discord/limits.ts';
import type { AddOutcome, ServerSubmission } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import type { Translate } from '../src/locales/words.ts';
import { formatAddress } from '../src/submissions/address.ts';
import type { DeskStep, Order, Refusal } from '../src/submissions/desk.ts';

export interface SubmissionLogDeps {
  readonly guildLog: Pick<GuildLog, 'tell'>;
  readonly games: Pick<GameCatalog, 'find'>;
  /** How long an order of which nothing more is heard is waited for, in milliseconds. */
  readonly idleMs?: number;
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

interface Group {
  readonly order: Order;
  /** Servers of which it is not known yet how they ended. */
  left: number;
  readonly parts: { readonly servers: readonly ServerSubmission[]; readonly outcome: AddOutcome }[];
  timer: NodeJS.Timeout;
}

/** An order of a thousand servers goes out in ten requests and makes one line. */
export function createSubmissionLog({ guildLog, games, idleMs = IDLE_MS }: SubmissionLogDeps): SubmissionLog {
  const groups = new Map<string, Group>();

  function open(order: Order): Group {
    const id = order.interactionId;
    const timer = setTimeout(() => void finish(id), idleMs).unref();
    const group = { order, left: order.servers.length, parts: [], timer };
    groups.set(id, group);
    return group;
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
    if (group === undefined || group.parts.length === 0) return;
    await guildLog.tell(group.order.guildId, (t) => groupText(t, group));
  }

  const nameOfGame = (alias: string) => harmless(games.find(alias)?.name ?? alias);

  function nameOf({ game, server, port }: ServerSubmission): string {
    return `**${nameOfGame(game)}** — \`${formatAddress({ host: server, port })}\``;
  }

  function whatText(t: Translate, servers: readonly ServerSubmission[]): string {
    const named = servers.slice(0, NAMED).map(nameOf).join(', ');
    const count = servers.length - NAMED;
    return count > 0 ? t('guildLog.andMore', { named, count }) : named;
  }

  function groupText(t: Translate, { order, parts }: Group): string {
    const servers = parts.flatMap((part) => part.servers);
    const values = { member: memberText(order.user), what: whatText(t, servers) };
    const [first] = parts;
    if (first !== undefined && servers.length === 1) {
      return t(`guildLog.one.${wayOf(first.outcome)}`, { ...values, message: wordsOf(first.outcome) });
    }
    const ways = [...new Set(parts.map(({ outcome }) => wayOf(outcome)))];
    return [
      t('guildLog.many', { ...values, count: servers.length }),
      ...ways.map((way) => {
        const ended = parts.filter(({ outcome }) => wayOf(outcome) === way);
        const count = ended.reduce((sum, part) => sum + part.servers.length, 0);
        const messages = [...new Set(ended.map(({ outcome }) => wordsOf(outcome)))];
        return t(`guildLog.part.${way}`, { count, message: messages.join(' / ') });
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
    async settled(order, outcome) {
      // What a former run of the bot had let in is not known here: it is told request by request.
      const group = groups.get(order.interactionId) ?? open(order);
      group.parts.push({ servers: order.servers, outcome });
      group.left -= order.servers.length;
      group.timer.refresh();
      if (group.left <= 0) await finish(order.interactionId);
    },
    async flush() {
      await Promise.all([...groups.keys()].map(finish));
    },
  };
}

/** A member as a mention, which pings nobody in an embed, and as a name, which stays when they have left. */
export function memberText({ id, name }: Call['user']): string {
  return `<@${id}> (${harmless(name)})`;
}

/** How it ended, as the ledger has it; an answer that cannot be understood leaves it open. */
function wayOf({ kind }: AddOutcome): 'accepted' | 'rejected' | 'notSent' | 'unknown' {
  if (kind === 'accepted' || kind === 'rejected') return kind;
  return kind === 'not-sent' ? 'notSent' : 'unknown';
}

/** The service's own words, where it said something. */
const wordsOf = (outcome: AddOutcome): string => ('message' in outcome ? harmless(outcome.message) : '');

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
