import { z } from 'zod';
import { clipped } from '../one-line.ts';

/** The most servers the service takes in one request (specification §8). */
export const MAX_SERVERS_PER_REQUEST = 100;

/** UTF-16 units of a game's name and of an alias: what a choice of Discord takes (Discord docs: Application Commands). */
export const LONGEST_NAME = 100;
/**
 * How many games of a list are read: ten times as many as there are. A search goes through all of them at each key
 * stroke.
 */
export const MAX_GAMES = 10_000;
/** UTF-16 units of a message: what a message of Discord takes. */
export const LONGEST_MESSAGE = 2_000;

/** How many code points of a message are stored: the specification's own messages have at most 45. */
const MOST_STORED = 300;

/** The part of a message that is stored. */
export const storedMessage = (message: string): string => [...message].slice(0, MOST_STORED).join('');

/** Some services send a text of digits as a number. */
const textOf = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value);

/** A game as the service lists it (specification §2.2). `alias` is what a submission carries. */
const gameSchema = z.object({
  name: z.preprocess(
    textOf,
    z
      .string()
      .trim()
      .min(1)
      .transform((name) => clipped(name, LONGEST_NAME)),
  ),
  /** A longer alias could not be chosen in Discord, and a part of it could be another game's alias. */
  alias: z.preprocess(textOf, z.string().min(1).max(LONGEST_NAME)),
});
export type Game = z.infer<typeof gameSchema>;

/** An element of the games list that the bot can't use. */
export interface UnusableGame {
  /** Its name and alias, as far as it has them. */
  readonly game: string;
  readonly reason: string;
}

/** Returns only the name and the alias of an element: a service could repeat the API key as the name of another field. */
function describeElement(element: unknown): string {
  const { name, alias } = Object(element);
  const texts = [name, alias].filter((each) => typeof each === 'string' || typeof each === 'number');
  return clipped(texts.join(', '), LONGEST_NAME);
}

/** Returns the first {@link MAX_GAMES} games of a list, each alias once, and the elements that can't be used. */
function readGameList(list: readonly unknown[]) {
  const games = new Map<string, Game>();
  const unusable: UnusableGame[] = [];
  for (const element of list.slice(0, MAX_GAMES)) {
    const { data: game, error } = gameSchema.safeParse(element);
    if (game && !games.has(game.alias)) {
      games.set(game.alias, game);
      continue;
    }
    const reason = error ? whatIsWrong(error) : 'alias: another game before it has the same one';
    unusable.push({ game: describeElement(element), reason });
  }
  return {
    games: [...games.values()] as readonly Game[],
    unusable,
    leftOut: Math.max(0, list.length - MAX_GAMES),
  };
}

/** The response to `action=games` (specification §4.2). A list with elements but no usable game isn't a games list. */
export const gamesSchema = z
  .array(z.unknown())
  .transform(readGameList)
  .refine(({ games, unusable }) => games.length > 0 || unusable.length === 0);

const messageSchema = z.string().transform((message) => clipped(message, LONGEST_MESSAGE));

/**
 * The response to `action=add`, and every error (specification §4.1, §7), at any HTTP status. A success without a message is
 * a success, with an empty message: submitting the servers again would add them twice.
 */
export const statusSchema = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('success'),
    message: messageSchema.nullish().transform((message) => message ?? ''),
  }),
  z.object({ status: z.literal('error'), message: messageSchema }),
]);

/** Says where a response differs from the specification, and how. */
export function whatIsWrong(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? 'wrong shape' : `${issue.path.join('.') || 'response'}: ${issue.code}`;
}

/** The five errors of the specification (§7), in the order of its rules. */
export const KNOWN_ERRORS = {
  invalidKey: 'Invalid API key.',
  emptyList: 'The server list for addition is empty.',
  serverMissing: 'Server parameter is missing.',
  gameMissing: 'Game alias parameter is missing.',
  gameInvalid: 'Invalid game alias provided.',
} as const;
export type KnownError = keyof typeof KNOWN_ERRORS;

/** Which of the five errors the service's words are. */
export function knownError(message: string): KnownError | undefined {
  const names = Object.keys(KNOWN_ERRORS) as KnownError[];
  return names.find((name) => KNOWN_ERRORS[name] === message.trim());
}

/** The message of a successful submission (specification §4.1). */
export const ADDED = 'Servers have been added for review.';

/** Replaces the API key where the service's words repeat it. */
export const MASKED_KEY = '[API key]';

/** One server as it goes over the wire (specification §2.1). `queryPort` is sent only when it differs. */
export interface ServerSubmission {
  readonly server: string;
  readonly port: number;
  readonly queryPort?: number;
  readonly game: string;
}

/**
 * What came of submitting a server, in the same form in the service's response, in the record and in the sentences for
 * members. All servers of a request have the same outcome.
 */
export type Outcome = Accepted | Rejected | NotSent | Unknown;

/** Sent for review. `message` is the service's own text, word for word up to {@link LONGEST_MESSAGE}; empty if it sent none. */
interface Accepted {
  readonly kind: 'accepted';
  readonly message: string;
}

/** Refused by the service, in its own words as above; `known` says which of the five errors it is. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly message: string;
  readonly known?: KnownError;
  /** For how many milliseconds the service wants no further request with this key (a 429 and `Retry-After`). */
  readonly retryAfterMs?: number;
}

/** Nothing of it was sent: it can be submitted again. It was not tried, or could not be sent. */
export interface NotSent {
  readonly kind: 'not-sent';
  readonly reason: (typeof NOT_SENT_REASONS)[number];
  /** For the log. */
  readonly detail?: string;
  /** Milliseconds for which this key is still paused; the service asked for that. */
  readonly retryAfterMs?: number;
}

/** It was sent, or a part of it, and the response says nothing or did not come: it may have been carried out. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: (typeof UNKNOWN_REASONS)[number];
  /** For the log. */
  readonly detail?: string;
  /** For how many milliseconds the service wants no further request (`Retry-After`). */
  readonly retryAfterMs?: number;
}

/** The service said neither success nor error. The sentences about it have the reasons as their keys. */
export type Failure = NotSent | Unknown;

export const NOT_SENT_REASONS = [
  'key', // the guild has none any more, or the service does not take it
  'deadline', // the end of the interaction's 15 minutes is needed to tell what came of it
  'stopping', // the bot stopped, or died, before it was sent
  'service', // two requests in a row got no response
  'bot', // the bot itself failed
  'unreachable', // nobody listens there, or its name does not resolve
  'timeout', // there was no connection in time
  'tls', // the certificate or the handshake failed
  'rate-limited', // the key is paused since a 429
  'down', // the service has failed repeatedly and is not asked for a while
  'queue-full', // enough requests of this member wait already
] as const;

export const UNKNOWN_REASONS = [
  'timeout',
  'reset', // the connection ended before the response did
  'stopping', // the bot stopped before the response came
  'redirect', // the service moved; the new address is in `detail`, for the operator
  'rate-limited', // 429, and the body says neither success nor error
  'server-error', // 5xx of the same kind
  'not-found', // 404 or 410 of the same kind: most likely the address is wrong
  'client-error', // another 4xx of the same kind
  'unreadable', // no JSON, or not what the specification says
  'too-large', // more than 1 MiB
] as const;

export type GamesOutcome = ListedGames | Rejected | Failure;

/**
 * What an answer of the service changes about a guild's key. `refused`: for the first time since the key was accepted.
 * `works again`: the service had refused it.
 */
export type KeyChange = 'refused' | 'works again';

interface ListedGames {
  readonly kind: 'games';
  readonly games: readonly Game[];
  /** Absent: none. */
  readonly unusable?: readonly UnusableGame[];
  /** How many elements of the list stand behind the first {@link MAX_GAMES}, and are not read; absent: none. */
  readonly leftOut?: number;
}

export const notSent = (reason: NotSent['reason']): NotSent => ({ kind: 'not-sent', reason });

/** Whether a request was tried and did not reach the service. All other requests were held back by the bot itself. */
export const neverConnected = ({ reason }: NotSent): boolean =>
  reason === 'unreachable' || reason === 'timeout' || reason === 'tls';

/** The twelve aliases that need no look-up (specification §2.3), with the usual names of their games. */
export const KNOWN_GAMES: readonly Game[] = [
  { name: 'Counter-Strike 2', alias: 'cs2' },
  { name: 'Counter-Strike: Source', alias: 'css' },
  { name: 'Counter-Strike 1.6', alias: 'cs16' },
  { name: 'Counter-Strike: Global Offensive', alias: 'csgo' },
  { name: 'Minecraft', alias: 'minecraft' },
  { name: 'ARK: Survival Evolved', alias: 'ark' },
  { name: 'San Andreas Multiplayer', alias: 'samp' },
  { name: 'Rust', alias: 'rust' },
  { name: "Garry's Mod", alias: 'gm' },
  { name: 'Left 4 Dead 2', alias: 'l4d2' },
  { name: 'Team Fortress 2', alias: 'tf2' },
  { name: 'DayZ', alias: 'dayz' },
];
