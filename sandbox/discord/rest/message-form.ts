import {
  type APIAttachment,
  type APIEmbed,
  type APIMessage,
  EmbedType,
  type RESTPostAPIWebhookWithTokenJSONBody,
} from 'discord.js';
import type { StoredFile } from '../world/messages.ts';
import { timestamp, userObject } from '../world/users.ts';
import type { Pings } from './rules/mentions.ts';

/** What a bot may say in a message; `undefined` leaves a part as it is, `null` empties it. */
export type MessageBody = Pick<
  RESTPostAPIWebhookWithTokenJSONBody,
  'content' | 'embeds' | 'components' | 'flags' | 'attachments' | 'allowed_mentions'
>;

/** The parts of a message that are the same whatever it says. */
export type MessageFrame = Omit<
  APIMessage,
  | 'content'
  | 'embeds'
  | 'components'
  | 'flags'
  | 'attachments'
  | 'mentions'
  | 'mention_roles'
  | 'mention_everyone'
  | 'edited_timestamp'
  | 'tts'
  | 'pinned'
>;

export interface Attached {
  readonly attachments: readonly APIAttachment[];
  readonly files: ReadonlyMap<string, StoredFile>;
}

/** A new message as Discord would return it (rule 42). */
export function newMessage(
  frame: MessageFrame,
  body: MessageBody,
  about: { readonly attached: Attached; readonly flags: number; readonly mentions: Mentioned },
): APIMessage {
  return {
    ...frame,
    content: (body.content ?? '').trim(),
    embeds: (body.embeds ?? []).map(keptEmbed),
    components: withIds(body.components ?? []),
    attachments: [...about.attached.attachments],
    flags: about.flags,
    ...mentionFields(about.mentions),
    edited_timestamp: null,
    tts: false,
    pinned: false,
  };
}

/** The message after a PATCH or an UPDATE_MESSAGE: what the body does not name stays (rule 42). */
export function edited(
  message: APIMessage,
  body: MessageBody,
  about: {
    readonly attached: Attached;
    readonly flags: number;
    readonly mentions: Mentioned;
    /** Milliseconds since 1970. */
    readonly at: number;
  },
): APIMessage {
  return {
    ...message,
    ...(body.content !== undefined && {
      content: (body.content ?? '').trim(),
      ...mentionFields(about.mentions),
    }),
    ...(body.embeds !== undefined && { embeds: (body.embeds ?? []).map(keptEmbed) }),
    ...(body.components !== undefined && { components: withIds(body.components ?? []) }),
    attachments: [...about.attached.attachments],
    flags: about.flags,
    edited_timestamp: timestamp(about.at),
  };
}

/** Whom it pings, the users by id and name. */
export type Mentioned = Omit<Pings, 'users'> & {
  readonly users: readonly { readonly id: string; readonly name: string }[];
};

function mentionFields(
  mentions: Mentioned,
): Pick<APIMessage, 'mentions' | 'mention_roles' | 'mention_everyone'> {
  return {
    mentions: mentions.users.map(userObject),
    mention_roles: [...mentions.roles],
    mention_everyone: mentions.everyone,
  };
}

/** With the defaults that Discord fills in. */
const keptEmbed = (embed: APIEmbed): APIEmbed => ({
  ...embed,
  type: EmbedType.Rich,
  ...(embed.fields && { fields: embed.fields.map((field) => ({ ...field, inline: field.inline ?? false })) }),
});

/** Every component has an `id`: the one it was sent with, or the next free number (Discord docs: Components). */
export function withIds<C>(components: readonly C[]): C[] {
  const taken = new Set(numbersIn(components));
  let last = 0;
  const free = () => {
    do last += 1;
    while (taken.has(last));
    return last;
  };
  const number = <T>(component: T): T => {
    if (typeof component !== 'object' || component === null) return component;
    const own = ownNumber(component);
    const id = own ?? free();
    const entries = Object.entries(component).map(([key, value]) =>
      CHILDREN.includes(key) ? [key, Array.isArray(value) ? value.map(number) : number(value)] : [key, value],
    );
    return { ...defaultsOf(component), ...Object.fromEntries(entries), id };
  };
  return components.map(number);
}

/** How many may be chosen in a select that does not say (Discord docs: Components, Select Menus). */
const defaultsOf = (component: object): object =>
  'type' in component && SELECTS.includes(Number(component.type)) ? { min_values: 1, max_values: 1 } : {};

const SELECTS = [3, 5, 6, 7, 8];
const CHILDREN = ['components', 'component', 'accessory'];

/** 0 means: give me one. */
const ownNumber = (component: object): number | undefined =>
  'id' in component && typeof component.id === 'number' && component.id > 0 ? component.id : undefined;

function numbersIn(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value ? ownNumber(value) : undefined;
  return [...(own === undefined ? [] : [own]), ...Object.values(value).flatMap(numbersIn)];
}
