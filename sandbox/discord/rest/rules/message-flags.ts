import { messageFlag } from './message-body.ts';
import type { Flaw, Path } from './refusal.ts';

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
