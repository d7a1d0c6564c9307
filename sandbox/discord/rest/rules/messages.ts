import {
  IncomingWebhookInteractionRequestSchema,
  IncomingWebhookRequestPartialSchema,
  IncomingWebhookUpdateForInteractionCallbackRequestPartialSchema,
  IncomingWebhookUpdateRequestPartialSchema,
  MessageCreateRequestSchema,
} from 'discord-api-spec/zod';
import { object } from 'zod/mini';
import {
  attachmentFlaws,
  checkFileSizes,
  DEFAULT_SIZE_LIMIT,
  fileNames,
  type KeptAttachment,
  type UploadedFile,
} from './attachments.ts';
import { unknownDefaultFlaws } from './components.ts';
import { embedFlaws, isTrimmedText, isVisible } from './embeds.ts';
import { type Flaw, invalidForm, type Path, type Refusal } from './flaws.ts';
import { mentionFlaws } from './mentions.ts';
import { type ComponentBody, type EmbedBody, type MessageBody, messageFlag } from './message-body.ts';
import { checkTextBytes, componentFlaws } from './message-components.ts';
import { shapeFlaws, valueAt } from './shape.ts';

/** The message that is edited, as it is now. */
export interface CurrentMessage {
  readonly flags?: number | undefined;
  readonly content?: string;
  readonly embeds?: readonly object[];
  readonly components?: readonly object[] | undefined;
  readonly attachments?: readonly KeptAttachment[];
  readonly poll?: unknown;
}

export interface MessageSituation {
  readonly for: MessageRequest;
  /** For `edit` and `update`; without it an edit is checked as if nothing were there before. */
  readonly current?: CurrentMessage | undefined;
  /** The files that came with the request. */
  readonly files?: readonly UploadedFile[];
  /** Bytes for each file; `attachment_size_limit` of the interaction. */
  readonly attachmentSizeLimit?: number;
  /** Whether a channel may be preselected; without it every channel may. */
  readonly channelExists?: (id: string) => boolean;
  /** Where the body sits in the request: `['data']` in a callback. */
  readonly at?: Path;
}

const SCHEMAS = {
  callback: IncomingWebhookInteractionRequestSchema,
  update: IncomingWebhookUpdateForInteractionCallbackRequestPartialSchema,
  followup: IncomingWebhookRequestPartialSchema,
  // Of what the published schema of channel messages allows besides, bots may use the nonce only (content of 4000).
  channel: IncomingWebhookRequestPartialSchema,
  edit: IncomingWebhookUpdateRequestPartialSchema,
};

const { nonce, enforce_nonce } = MessageCreateRequestSchema.shape;
const NONCE = object({ nonce, enforce_nonce });

/** Rules 5, 30, 32–36, 41, 42, 44 and 60 for the body of a message. */
export function checkMessage(body: unknown, situation: MessageSituation): Refusal | undefined {
  const {
    for: request,
    current = {},
    files = [],
    attachmentSizeLimit = DEFAULT_SIZE_LIMIT,
    channelExists = () => true,
    at = [],
  } = situation;
  const shape = shapeFlaws(body, {
    schema: SCHEMAS[request],
    rule: ruleOf(request, body),
    at,
    trims: isTrimmedText,
  });
  if (request === 'channel') shape.push(...shapeFlaws(body, { schema: NONCE, rule: () => 60, at }));
  if (shape.length > 0) return invalidForm(shape);
  const message = body as MessageBody;
  const isEdit = request === 'edit' || request === 'update';
  const before = isEdit ? current : {};
  const kept = before.attachments ?? [];
  const after = {
    // `null` empties a field, a missing one stays as it was.
    content: message.content === undefined ? before.content : message.content,
    embeds: message.embeds === undefined ? (before.embeds as EmbedBody[] | undefined) : message.embeds,
    components: message.components === undefined ? before.components : message.components,
    poll: message.poll ?? before.poll,
  };
  const flags = (before.flags ?? 0) | (message.flags ?? 0);
  const v2 = (flags & messageFlag.componentsV2) !== 0;
  const names = fileNames(message, files, kept);
  const components = (after.components ?? []) as readonly ComponentBody[];

  return (
    invalidForm([
      ...(v2 ? legacyFieldFlaws(after, at) : []),
      ...messageFlagFlaws(message.flags, { request, currently: before.flags ?? 0, at }),
      ...embedFlaws(message.embeds ?? [], [...at, 'embeds']),
      ...componentFlaws(message.components ?? [], { v2, fileNames: names, at: [...at, 'components'] }),
      ...unknownDefaultFlaws(message.components ?? [], [...at, 'components'], channelExists),
      ...mentionFlaws(message.allowed_mentions, [...at, 'allowed_mentions']),
      ...attachmentFlaws(message, { files, kept, at }),
    ]) ??
    checkFileSizes(files, attachmentSizeLimit) ??
    checkTextBytes(message.components ?? []) ??
    (isEmpty({ ...after, components, files: names.length })
      ? { rule: 32, status: 400, code: 50006, message: 'Cannot send an empty message' }
      : undefined)
  );
}

function isEmpty(message: {
  readonly content: string | null | undefined;
  readonly embeds: readonly EmbedBody[] | null | undefined;
  readonly components: readonly ComponentBody[];
  readonly poll: unknown;
  readonly files: number;
}): boolean {
  const { content, embeds, components, poll, files } = message;
  return !content?.trim() && !embeds?.some(isVisible) && components.length === 0 && !poll && files === 0;
}

/** Rule 36, and 41 when an edit turns V2 on and leaves the old fields as they were. */
function legacyFieldFlaws(
  after: {
    readonly content?: unknown;
    readonly embeds?: readonly unknown[] | null | undefined;
    readonly poll?: unknown;
  },
  at: Path,
): Flaw[] {
  const { content, embeds, poll } = after;
  const used = { content: Boolean(content), embeds: (embeds?.length ?? 0) > 0, poll: Boolean(poll) };
  return (['content', 'embeds', 'poll'] as const)
    .filter((field) => used[field])
    .map((field) => ({
      rule: 36,
      path: [...at, field],
      code: 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      message: `The '${field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
    }));
}

const ruleOf =
  (request: MessageRequest, body: unknown) =>
  (path: Path): number => {
    switch (path[0]) {
      case 'embeds':
        return 33;
      case 'components':
        return path.at(-1) === 'custom_id' ? 35 : isInV2Component(path, body) ? 36 : 34;
      case 'attachments':
        return 5;
      case 'allowed_mentions':
        return 44;
      case 'flags':
        return request === 'edit' || request === 'update' ? 41 : 30;
      default:
        return 32;
    }
  };

/** Whether the innermost component around a path is of a type that only V2 messages have: 9–14 and 17. */
function isInV2Component(path: Path, body: unknown): boolean {
  const types = path.map((_, index) => valueAt(body, [...path.slice(0, index + 1), 'type']));
  const innermost = Number(types.findLast((type) => typeof type === 'number'));
  return innermost >= 9;
}

const { suppressEmbeds, ephemeral, suppressNotifications, voiceMessage, componentsV2 } = messageFlag;

/**
 * What is done to a message. `callback` is type 4, `update` type 7, `edit` a PATCH, `followup` a POST of an
 * interaction, `channel` a POST to a channel, which nobody asked for and which so cannot be ephemeral.
 */
export type MessageRequest = 'callback' | 'update' | 'followup' | 'edit' | 'channel';

/** Discord docs: Receiving and Responding, Messages; Webhook; Message, Create Message. */
const SETTABLE: Readonly<Record<MessageRequest, readonly number[]>> = {
  callback: [suppressEmbeds, ephemeral, suppressNotifications, voiceMessage, componentsV2],
  followup: [suppressEmbeds, ephemeral, suppressNotifications, componentsV2],
  channel: [suppressEmbeds, suppressNotifications, voiceMessage, componentsV2],
  edit: [suppressEmbeds, componentsV2],
  update: [suppressEmbeds, componentsV2],
};
const RULE = { callback: 30, followup: 30, channel: 30, edit: 41, update: 41 } as const;

/**
 * Rules 30 and 41. An edit can neither make a message ephemeral nor take the V2 flag from it; repeating that an
 * ephemeral message is ephemeral changes nothing and passes.
 */
export function messageFlagFlaws(
  flags: number | null | undefined,
  { request, currently, at }: { request: MessageRequest; currently: number; at: Path },
): Flaw[] {
  if (flags === undefined || flags === null) return [];
  const path = [...at, 'flags'];
  const rule = RULE[request];
  const isEdit = request === 'edit' || request === 'update';
  const allowed = [...SETTABLE[request], ...(isEdit ? [currently & ephemeral] : [])];
  const mask = allowed.reduce((all, flag) => all | flag, 0);
  if (!Number.isInteger(flags) || (flags & ~mask) !== 0) return [flagFlaw(rule, path, SETTABLE[request])];
  if (isEdit && (currently & componentsV2) !== 0 && (flags & componentsV2) === 0)
    return [
      {
        rule,
        path,
        code: 'MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG',
        message: 'The IS_COMPONENTS_V2 flag cannot be removed from a message',
      },
    ];
  return [];
}

/** Rule 29: a deferral may be ephemeral or not, and nothing else. */
export const deferFlagFlaws = (flags: unknown, at: Path): Flaw[] =>
  (flags ?? 0) === 0 || flags === ephemeral ? [] : [flagFlaw(29, [...at, 'flags'], [ephemeral])];

const flagFlaw = (rule: number, path: Path, allowed: readonly number[]): Flaw => ({
  rule,
  path,
  code: 'BASE_TYPE_CHOICES',
  message: `Flags must be a combination of {${allowed.join(', ')}}.`,
});
