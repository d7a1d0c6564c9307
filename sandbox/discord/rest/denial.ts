import type { Refusal } from './rules/flaws.ts';

/** A refusal, and for a 429 how long to wait and who is limited (Discord docs: Rate Limits). */
export interface Denial extends Refusal {
  /** Nobody could have known before asking, so that no rule is broken: the channel was deleted, or closed to the bot. */
  readonly blameless?: true;
  readonly limited?: {
    readonly retryAfterMs: number;
    readonly scope: 'user' | 'global' | 'shared';
  };
}

export const isDenial = (value: object): value is Denial =>
  'rule' in value && 'status' in value && 'code' in value;

/** Rule 1. */
export const notFound: Denial = { rule: 1, status: 404, code: 0, message: '404: Not Found' };
export const wrongMethod: Denial = { rule: 1, status: 405, code: 0, message: '405: Method Not Allowed' };
export const wrongVersion: Denial = { rule: 1, status: 400, code: 50041, message: 'Invalid API version' };

/** Rule 2. */
export const unauthorized: Denial = { rule: 2, status: 401, code: 0, message: '401: Unauthorized' };

/** Rule 3: Cloudflare turns away what does not name itself as a bot. */
export const unknownAgent: Denial = {
  rule: 3,
  status: 403,
  code: 40333,
  message: 'internal network error',
};

/** Rule 3, for files. */
export const nameless: Denial = { rule: 3, status: 403, code: 0, message: 'error code: 1010' };

/** Rule 4. */
export const wrongContentType: Denial = {
  rule: 4,
  status: 400,
  code: 50035,
  message: 'Invalid Form Body',
  errors: {
    _errors: [
      {
        code: 'CONTENT_TYPE_INVALID',
        message:
          'Expected "Content-Type" header to be one of {application/json, multipart/form-data, application/x-www-form-urlencoded}.',
      },
    ],
  },
};
export const brokenJson: Denial = {
  rule: 4,
  status: 400,
  code: 50109,
  message: 'The request body contains invalid JSON.',
};

/** Rule 23. */
export const missingAccess: Denial = { rule: 23, status: 403, code: 50001, message: 'Missing Access' };
export const missingPermissions: Denial = {
  blameless: true,
  rule: 23,
  status: 403,
  code: 50013,
  message: 'Missing Permissions',
};
export const otherApplication: Denial = {
  rule: 23,
  status: 403,
  code: 20012,
  message: 'You are not authorized to perform this action on this application',
};
export const unknownCommand: Denial = {
  rule: 23,
  status: 404,
  code: 10063,
  message: 'Unknown application command',
};

/** Rule 21: seen on Discord (serenity#2993). */
export const entryPointRemoved: Denial = {
  rule: 21,
  status: 400,
  code: 50240,
  message:
    "You cannot remove this app's Entry Point command in a bulk update operation. Please include the Entry Point command in your update request or delete it separately.",
};

/** Rule 25. */
export const unknownInteraction: Denial = {
  rule: 25,
  status: 404,
  code: 10062,
  message: 'Unknown interaction',
};

/** Rule 26. */
export const alreadyAcknowledged: Denial = {
  rule: 26,
  status: 400,
  code: 40060,
  message: 'Interaction has already been acknowledged.',
};

/** Rule 39. */
export const unknownWebhook: Denial = { rule: 39, status: 404, code: 10015, message: 'Unknown Webhook' };
export const expiredToken: Denial = { rule: 39, status: 401, code: 50027, message: 'Invalid Webhook Token' };
export const unknownMessage: Denial = { rule: 39, status: 404, code: 10008, message: 'Unknown Message' };

/** Rule 43. */
export const tooManyFollowUps: Denial = {
  rule: 43,
  status: 400,
  code: 40094,
  message: 'This interaction has reached the maximum number of follow-up messages',
};
