/** Discord's error response to a request. */
export interface Denial {
  /** The HTTP status. */
  readonly status: number;
  /** Discord's JSON error code. */
  readonly code: number;
  readonly message: string;
  /** The title of the rule that the bot broke, if the message doesn't already name it. */
  readonly title?: string;
  /** Whether the bot couldn't have known that the request would fail. Such requests don't break a rule. */
  readonly blameless?: true;
  /** For a 429, the time to wait and the scope of the limit (Discord docs: Rate Limits). */
  readonly rateLimit?: RateLimit;
}

export interface RateLimit {
  readonly retryAfterMs: number;
  readonly scope: 'user' | 'global' | 'shared';
}

export const isDenial = (value: object): value is Denial => 'status' in value && 'code' in value;

/** Codes come from the documentation (Discord docs: Opcodes and Status Codes), messages from public issues. */
const denial = (status: number, code: number, message: string): Denial => ({ status, code, message });
const blameless = (status: number, code: number, message: string): Denial => ({
  ...denial(status, code, message),
  blameless: true,
});

export const notFound = denial(404, 0, '404: Not Found');
export const unauthorized = denial(401, 0, '401: Unauthorized');
/** Cloudflare rejects clients whose user agent doesn't look like a bot's. */
export const unknownAgent = denial(403, 40333, 'internal network error');
export const unreadableBody = denial(400, 50109, 'The request body contains invalid JSON.');
export const invalidForm = (field: string, problem: string): Denial =>
  denial(400, 50035, `Invalid Form Body: ${field}: ${problem}`);
export const otherApplication = denial(403, 20012, 'You are not authorized to perform this action.');
/** This response was observed on Discord (serenity#2993). */
export const entryPointRemoved = denial(400, 50240, "You cannot remove this app's Entry Point command.");
export const unknownInteraction = denial(404, 10062, 'Unknown interaction');
export const alreadyAcknowledged = denial(400, 40060, 'Interaction has already been acknowledged.');
export const unknownWebhook = denial(404, 10015, 'Unknown Webhook');
export const expiredToken = denial(401, 50027, 'Invalid Webhook Token');
/** See the documentation (Discord docs: Execute Webhook, JSON Error Codes). */
export const threadMissing = denial(
  400,
  220001,
  'Webhooks posted to forum channels must have a thread_name or thread_id',
);
export const unknownMessage = denial(404, 10008, 'Unknown Message');

/** Not the bot's fault, because a user might have deleted the message. */
export const deletedMessage = blameless(404, 10008, 'Unknown Message');
export const othersMessage = denial(403, 50005, 'Cannot edit a message authored by another user');
export const unknownChannel = blameless(404, 10003, 'Unknown Channel');
export const unknownGuild = blameless(404, 10004, 'Unknown Guild');
export const missingAccess = blameless(403, 50001, 'Missing Access');
export const invalidRecipient = denial(400, 50033, 'Invalid Recipient(s)');
export const directMessagesOff = blameless(403, 50007, 'Cannot send messages to this user');
export const noMutualGuild = blameless(
  403,
  50278,
  'Cannot send messages to this user due to having no mutual guilds',
);
/** This status was observed on Discord (davidhozic/discord-advertisement-framework#82). */
export const openedTooFast = blameless(403, 40003, 'You are opening direct messages too fast.');
/** This error isn't in Discord's documentation. It was seen in Dragory/modmailbot#490, which doesn't give the status. */
export const flaggedAsSpam = blameless(
  403,
  20026,
  'Your bot has been flagged by our anti-spam system for abusive behavior.',
);
export const missingPermissions = blameless(403, 50013, 'Missing Permissions');

/**
 * Discord documents the code, but not the limit. About 3 edits in 6 seconds per channel were observed
 * (discord-api-docs#4413).
 */
export const tooManyOldEdits = (retryAfterMs: number): Denial => ({
  ...blameless(429, 30046, 'Maximum number of edits to messages older than 1 hour reached. Try again later'),
  rateLimit: { retryAfterMs, scope: 'shared' },
});

export const tooMany = (rateLimit: RateLimit): Denial => ({
  ...denial(429, 0, 'You are being rate limited.'),
  rateLimit,
});
