import { z } from 'zod';
import { shorten } from '../text/one-line.ts';

/** Specification §8. */
export const MAX_SERVERS_PER_REQUEST = 100;

/** The limit for a game's name or alias is Discord's limit for a choice (docs: Application Commands). */
export const MAX_GAME_NAME_LENGTH = 100;
/** Ten times as many games as exist. A search scans all games on every keystroke. */
export const MAX_GAMES = 10_000;
/** As many unusable elements as there are games. Each one takes about 20 µs. */
const MAX_UNUSABLE = 1_000;
/** The limit for the service's message is Discord's limit for a message. */
export const MAX_MESSAGE_LENGTH = 2_000;

/** The longest message in the specification has 38 characters. */
const MAX_STORED_MESSAGE_LENGTH = 300;

export const storedMessage = (message: string): string => shorten(message, MAX_STORED_MESSAGE_LENGTH);

/** Some services send digits-only text as a number. */
const textOf = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value);

/** A game as listed by the service (specification §2.2). Submissions contain the game's `alias`. */
const gameSchema = z.object({
  name: z.preprocess(
    textOf,
    z
      .string()
      .trim()
      .min(1)
      .transform((name) => shorten(name, MAX_GAME_NAME_LENGTH)),
  ),
  /** Members can't choose a longer alias in Discord, and a shortened alias could belong to another game. */
  alias: z.preprocess(textOf, z.string().min(1).max(MAX_GAME_NAME_LENGTH)),
});
export type Game = z.infer<typeof gameSchema>;

export interface UnusableGame {
  /** The element's name and alias, if they exist. */
  readonly game: string;
  readonly reason: string;
}

/** Describes an element only by its name and alias, because any other field could contain the API key. */
function describeElement(element: unknown): string {
  const { name, alias } = Object(element);
  const texts = [name, alias].filter((each) => typeof each === 'string' || typeof each === 'number');
  return shorten(texts.join(', '), MAX_GAME_NAME_LENGTH);
}

/**
 * Returns the games in a list, without repeated aliases, and the elements that can't be used. Stops after {@link MAX_GAMES}
 * elements or {@link MAX_UNUSABLE} unusable ones.
 */
function readGameList(list: readonly unknown[]) {
  const games = new Map<string, Game>();
  const unusable: UnusableGame[] = [];
  let read = 0;
  for (const element of list.slice(0, MAX_GAMES)) {
    if (unusable.length === MAX_UNUSABLE) break;
    read++;
    const { data: game, error } = gameSchema.safeParse(element);
    if (game && !games.has(game.alias)) {
      games.set(game.alias, game);
      continue;
    }
    const reason = error ? whatIsWrong(error) : 'alias: an earlier game has the same one';
    unusable.push({ game: describeElement(element), reason });
  }
  return {
    games: [...games.values()] as readonly Game[],
    unusable,
    leftOut: list.length - read,
  };
}

/** The response to `action=games` (specification §4.2). A list that has elements but no usable game is rejected. */
export const gamesSchema = z
  .array(z.unknown())
  .transform(readGameList)
  .refine(({ games, unusable }) => games.length > 0 || unusable.length === 0);

const messageSchema = z.string().transform((message) => shorten(message, MAX_MESSAGE_LENGTH));

/**
 * The response to `action=add` or any error (specification §4.1, §7), with any HTTP status. A success can lack a message.
 * It still counts as a success, because submitting the servers again would add them twice.
 */
export const statusSchema = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('success'),
    message: messageSchema.nullish().transform((message) => message ?? ''),
  }),
  z.object({ status: z.literal('error'), message: messageSchema }),
]);

export function whatIsWrong(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? 'wrong shape' : `${issue.path.join('.') || 'response'}: ${issue.code}`;
}

/** The specification's errors (§7), in the same order. docs/listing-api.md lists them. */
export const KNOWN_ERRORS = {
  invalidKey: 'Invalid API key.',
  emptyList: 'The server list for addition is empty.',
  serverMissing: 'Server parameter is missing.',
  gameMissing: 'Game alias parameter is missing.',
  gameInvalid: 'Invalid game alias provided.',
} as const;
export type KnownError = keyof typeof KNOWN_ERRORS;

export function knownError(message: string): KnownError | undefined {
  const names = Object.keys(KNOWN_ERRORS) as KnownError[];
  return names.find((name) => KNOWN_ERRORS[name] === message.trim());
}

/** The message of a successful submission (specification §4.1). */
export const ADDED = 'Servers have been added for review.';

/** One server as it is sent to the service (specification §2.1). `queryPort` is only set if it differs from the port. */
export interface ServerSubmission {
  readonly server: string;
  readonly port: number;
  readonly queryPort?: number;
  readonly game: string;
}

/**
 * The outcome of submitting a server. This type is used for the service's responses, stored records and messages to
 * members. All servers in a request have the same outcome.
 */
export type Outcome = AcceptedOutcome | RejectedOutcome | NotSentOutcome | UnknownOutcome;

/** The service accepted the server for review. `message` is its text, cut to {@link MAX_MESSAGE_LENGTH}, or empty. */
interface AcceptedOutcome {
  readonly kind: 'accepted';
  readonly message: string;
}

/** `known` is set for {@link KNOWN_ERRORS}. */
export interface RejectedOutcome {
  readonly kind: 'rejected';
  readonly message: string;
  readonly known?: KnownError;
  /** Only set if the status was 429. */
  readonly retryAfterMs?: number;
}

/** The server wasn't sent, so it can be submitted again. The bot either didn't try to send it or failed to connect. */
export interface NotSentOutcome {
  readonly kind: 'not-sent';
  readonly reason: (typeof NOT_SENT_REASONS)[number];
  /** Details for the log. */
  readonly detail?: string;
  /** How long the bot won't send any requests, in milliseconds: because the service asked for a pause, or is down. */
  readonly retryAfterMs?: number;
}

/** At least part of the request was sent, but the response is missing or unclear. The server may have been accepted. */
export interface UnknownOutcome {
  readonly kind: 'unknown';
  readonly reason: (typeof UNKNOWN_REASONS)[number];
  /** Details for the log. */
  readonly detail?: string;
  /** How long the service rejects further requests, in milliseconds. Taken from `Retry-After`. */
  readonly retryAfterMs?: number;
}

/**
 * An outcome for which the service reported neither success nor failure. Its reasons are also keys in language files.
 */
export type Failure = NotSentOutcome | UnknownOutcome;

export const isFailure = <Some extends { readonly kind: string }>(
  outcome: Some,
): outcome is Extract<Some, { readonly kind: Failure['kind'] }> =>
  outcome.kind === 'not-sent' || outcome.kind === 'unknown';

export const NOT_SENT_REASONS = [
  'key', // the guild no longer has a key, or the service rejects it
  'deadline', // the interaction's remaining time is needed to report the outcome
  'stopping', // the bot stopped or crashed before sending the server
  'service', // two requests in a row got no response
  'bot', // the bot itself failed
  'unreachable', // connections fail, or the host name doesn't resolve
  'timeout', // the connection took too long
  'tls', // the certificate or the handshake failed
  'rate-limited', // the key is paused after a 429
  'down', // the service has failed repeatedly, so the bot is waiting for a while
  'queue-full', // too many requests from this member are waiting
] as const;

export const UNKNOWN_REASONS = [
  'timeout',
  'reset', // the connection ended before the response was complete
  'stopping', // the bot stopped before the response arrived
  'redirect', // the service has moved; `detail` contains the new address
  'rate-limited', // 429 without a valid body
  'server-error', // 5xx without a valid body
  'not-found', // 404 or 410 without a valid body; the address is probably wrong
  'client-error', // another 4xx without a valid body
  'unreadable', // not JSON, or not as specified
  'too-large', // more than 1 MiB
] as const;

export type GamesOutcome = ListedGames | RejectedOutcome | Failure;

/**
 * A change in whether the service accepts a guild's key. `rejected`: the first rejection since the key was last accepted.
 * `works again`: the key was accepted after a rejection.
 */
export type KeyChange = 'rejected' | 'works again';

interface ListedGames extends ReturnType<typeof readGameList> {
  readonly kind: 'games';
}

export const notSent = (reason: NotSentOutcome['reason']): NotSentOutcome => ({ kind: 'not-sent', reason });

export const failedToConnect = ({ reason }: { readonly reason: string }): boolean =>
  reason === 'unreachable' || reason === 'timeout' || reason === 'tls';

/** The twelve games in the specification (§2.3), with their usual names. The bot knows them without asking the service. */
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
