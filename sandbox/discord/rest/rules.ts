import {
  AllowedMentionsTypes,
  type APIAllowedMentions,
  type APIEmbed,
  ApplicationCommandType,
  ButtonStyle,
  ComponentType,
  InteractionResponseType,
  InteractionType,
  Locale,
  MessageFlags,
} from 'discord.js';
import {
  ApplicationCommandUpdateRequestSchema,
  CreatePrivateChannelRequestSchema,
  IncomingWebhookInteractionRequestSchema,
  IncomingWebhookRequestPartialSchema,
  IncomingWebhookUpdateForInteractionCallbackRequestPartialSchema,
  IncomingWebhookUpdateRequestPartialSchema,
  InteractionApplicationCommandAutocompleteCallbackStringDataSchema,
  ModalInteractionCallbackRequestDataSchema,
} from 'discord-api-spec/zod';
import type { $ZodType } from 'zod/v4/core';
import type { Denial } from './denial.ts';
import { inWords, type Path, schemaFlaws } from './schema.ts';

/** A rule for request bodies that Discord enforces but doesn't publish in its schemas. */
interface Rule<Body> {
  /** The title used to report a breach. Tests refer to rules by title. */
  readonly title: string;
  /** Returns where the body breaks the rule, or `undefined` if it doesn't. */
  check(sent: Body): Path | undefined;
}

/** How the message is sent: as a first response, update of the component's message, edit, follow-up or channel post. */
type MessageRequest = 'response' | 'update' | 'edit' | 'follow-up' | 'post';

export interface SentMessage {
  readonly request: MessageRequest;
  readonly body: MessageBody;
  /** The files that are uploaded with the request. */
  readonly files: readonly { readonly id: number; readonly bytes: Uint8Array }[];
  /** The current content of the message, if the request edits one. */
  readonly current: MessageBody | undefined;
}

export interface MessageBody {
  readonly content?: string | null;
  readonly embeds?: readonly APIEmbed[] | null;
  readonly components?: readonly Component[] | null;
  readonly attachments?: readonly { readonly id: string | number }[] | null;
  readonly allowed_mentions?: APIAllowedMentions | null;
  readonly flags?: number | null;
}

/** A component of a message or modal, with the properties of all component types. */
interface Component {
  readonly type: ComponentType;
  readonly custom_id?: string | null;
  readonly components?: readonly Component[] | null;
  readonly component?: Component | null;
  readonly style?: number | null;
  readonly label?: string | null;
  readonly url?: string | null;
  readonly options?: readonly { readonly value: string; readonly default?: boolean | null }[] | null;
  readonly min_values?: number | null;
  readonly max_values?: number | null;
  readonly min_length?: number | null;
  readonly max_length?: number | null;
  readonly required?: boolean | null;
  readonly disabled?: boolean | null;
  readonly file_types?: readonly string[] | null;
}

/**
 * The flags that a new message may have (Discord docs: Receiving and Responding, Messages; Webhook; Message, Create
 * Message).
 */
const NEW_FLAGS = MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications;
const SETTABLE_FLAGS: Readonly<Record<MessageRequest, number>> = {
  response: NEW_FLAGS | MessageFlags.Ephemeral,
  'follow-up': NEW_FLAGS | MessageFlags.Ephemeral,
  post: NEW_FLAGS,
  edit: MessageFlags.SuppressEmbeds,
  update: MessageFlags.SuppressEmbeds,
};
const MIB = 1024 * 1024;

export const MESSAGE_RULES: readonly Rule<SentMessage>[] = [
  {
    title: 'A message is not empty',
    check({ body, files, current }) {
      // An edit keeps the properties that the request omits.
      const { content, embeds, components, attachments } = { ...current, ...body };
      const lists = [embeds, components, attachments, files];
      const isEmpty = !content?.trim() && lists.every((list) => (list ?? []).length === 0);
      return isEmpty ? [] : undefined;
    },
  },
  {
    title: 'A flag can be set in this request',
    check({ body, request, current }) {
      // An edit may repeat the ephemeral flag of an ephemeral message.
      const already = (current?.flags ?? 0) & MessageFlags.Ephemeral;
      const settable = SETTABLE_FLAGS[request] | already;
      return ((body.flags ?? 0) & ~settable) === 0 ? undefined : ['flags'];
    },
  },
  {
    title: 'Embeds have at most 6,000 characters together',
    check({ body }) {
      const texts = (body.embeds ?? []).flatMap(textsOf);
      const length = texts.reduce((sum, text) => sum + lengthOf(text.trim()), 0);
      return length > 6_000 ? ['embeds'] : undefined;
    },
  },
  {
    title: 'An embed is not empty, and its fields have names and values',
    check: ({ body }) =>
      firstWrong(body.embeds, ['embeds'], (embed) => {
        const required = (embed.fields ?? []).flatMap(({ name, value }) => [name, value]);
        return textsOf(embed).every(isBlank) || required.some(isBlank);
      }),
  },
  {
    title: 'Components are in at most five rows, each of buttons or one select',
    check({ body: { components } }) {
      if ((components ?? []).length > 5) return ['components'];
      return firstWrong(components, ['components'], (row) => {
        const inside = row.components ?? [];
        const isMixed = inside.length > 1 && inside.some(({ type }) => type !== ComponentType.Button);
        return row.type !== ComponentType.ActionRow || isMixed;
      });
    },
  },
  {
    title: 'Custom ids are unique',
    check: ({ body }) => repeatedId(body),
  },
  {
    title: 'A button has a label, and either a custom id or a URL',
    check: ({ body }) =>
      firstComponent(body, ({ type, style, label, custom_id, url }) => {
        const isLink = style === ButtonStyle.Link;
        const isRight = !!label && !!url === isLink && !!custom_id !== isLink;
        return type === ComponentType.Button && !isRight;
      }),
  },
  {
    title: 'A select offers at least as many different options as can be chosen',
    check: ({ body }) => firstComponent(body, offersTooLittle),
  },
  {
    title: 'Mentions are allowed by kind or by id, but not both',
    check({ body: { allowed_mentions: allowed } }) {
      const { parse, users, roles } = allowed ?? {};
      const isBoth =
        (parse?.includes(AllowedMentionsTypes.User) && users?.length) ||
        (parse?.includes(AllowedMentionsTypes.Role) && roles?.length);
      return isBoth ? ['allowed_mentions'] : undefined;
    },
  },
  {
    title: 'A listed attachment exists',
    check({ body, files, current }) {
      const known = [...files, ...(current?.attachments ?? [])].map(({ id }) => String(id));
      return firstWrong(body.attachments, ['attachments'], ({ id }) => !known.includes(String(id)));
    },
  },
  {
    title: 'At most ten files, of at most 10 MiB each and 25 MiB together',
    check({ files }) {
      const sizes = files.map(({ bytes }) => bytes.byteLength);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const isTooMuch = files.length > 10 || total > 25 * MIB || sizes.some((size) => size > 10 * MIB);
      return isTooMuch ? ['files'] : undefined;
    },
  },
];

/** The first response to an interaction. */
interface SentResponse {
  readonly kind: InteractionType;
  /** Whether the interaction came from a message: from a component, or from a modal that a component opened. */
  readonly hasSource: boolean;
  readonly body: {
    readonly type?: InteractionResponseType;
    readonly data?: { readonly flags?: number } | null;
  };
}

/** The response types that are always allowed (Discord docs: Receiving and Responding, Interaction Callback Type). */
const ANY_TIME = [
  InteractionResponseType.ChannelMessageWithSource,
  InteractionResponseType.DeferredChannelMessageWithSource,
];
const WITH_SOURCE = [InteractionResponseType.DeferredMessageUpdate, InteractionResponseType.UpdateMessage];

function allowedTypes({ kind, hasSource }: SentResponse): readonly InteractionResponseType[] {
  if (kind === InteractionType.ApplicationCommandAutocomplete)
    return [InteractionResponseType.ApplicationCommandAutocompleteResult];
  const types = hasSource ? [...ANY_TIME, ...WITH_SOURCE] : ANY_TIME;
  return kind === InteractionType.ModalSubmit ? types : [...types, InteractionResponseType.Modal];
}

export const RESPONSE_RULES: readonly Rule<SentResponse>[] = [
  {
    title: 'An interaction accepts this type of response',
    check(sent) {
      const { type } = sent.body;
      return type !== undefined && allowedTypes(sent).includes(type) ? undefined : ['type'];
    },
  },
  {
    title: 'A deferred response only sets whether it is private',
    check({ body: { type, data } }) {
      if (type !== InteractionResponseType.DeferredChannelMessageWithSource) return undefined;
      return [0, MessageFlags.Ephemeral].includes(data?.flags ?? 0) ? undefined : ['data', 'flags'];
    },
  },
];

interface SentChoices {
  readonly choices?: readonly { readonly name: string; readonly value: unknown }[] | null;
}

export const CHOICE_RULES: readonly Rule<SentChoices>[] = [
  {
    // The published schema allows 6,000 characters, but the documentation allows only 100.
    title: 'The value of a choice is a string of 1 to 100 characters',
    check: ({ choices }) =>
      firstWrong(choices, ['choices'], ({ value }) => typeof value !== 'string' || !isShortText(value)),
  },
  {
    title: 'Names of choices are unique',
    check: ({ choices }) => (repeats((choices ?? []).map(({ name }) => name)) ? ['choices'] : undefined),
  },
];

interface SentModal {
  readonly components: readonly Component[];
}

export const MODAL_RULES: readonly Rule<SentModal>[] = [
  {
    // The published schema allows 40 components, but the documentation allows only five (Discord docs: Receiving and
    // Responding, Modal).
    title: 'A modal has one to five parts',
    check: ({ components }) => (components.length > 5 ? ['components'] : undefined),
  },
  {
    title: 'A text input does not have its own label, and its minimum length does not exceed its maximum',
    check: (modal) =>
      firstComponent(modal, ({ type, label, min_length, max_length }) => {
        const isRight = !label && (min_length ?? 0) <= (max_length ?? 4_000);
        return type === ComponentType.TextInput && !isRight;
      }),
  },
  {
    title: 'A select offers at least as many different options as can be chosen',
    check: (modal) => firstComponent(modal, offersTooLittle),
  },
  {
    // See Discord docs: Component Reference, String Select and File Upload.
    title: 'A field of a modal is enabled, and needs a choice if it is required',
    check: (modal) =>
      firstComponent(
        modal,
        ({ disabled, min_values, required }) => disabled === true || (min_values === 0 && required !== false),
      ),
  },
  {
    // See Discord docs: Reference, File Type Filtering.
    title: 'File types are groups or extensions',
    check: (modal) =>
      firstComponent(modal, ({ file_types }) =>
        (file_types ?? []).some((type) => !/^(?:image|video|audio|\.\w+)$/.test(type)),
      ),
  },
  {
    title: 'Custom ids are unique',
    check: repeatedId,
  },
];

type Localizations = Readonly<Record<string, string | null>> | null;

interface NamedItem {
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly description?: string | null;
  readonly description_localizations?: Localizations;
}

interface Option extends NamedItem {
  readonly required?: boolean | null;
  readonly autocomplete?: boolean | null;
  readonly choices?: readonly Choice[] | null;
}

interface Choice extends NamedItem {
  readonly value: string | number;
}

interface SentCommand extends NamedItem {
  readonly type?: ApplicationCommandType | null;
  readonly options?: readonly Option[] | null;
}

/**
 * The names that Discord allows for commands and options (Discord docs: Application Commands, Application Command Naming).
 */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES: readonly string[] = Object.values(Locale);

/**
 * The maximum size of a command. For localised text, only the longest translation counts (Discord docs: Application
 * Commands, Localization).
 */
const COMMAND_SIZE = 8_000;

const longestOf = (text: string, localizations: Localizations | undefined): number =>
  Math.max(...inAllLanguages(text, localizations ?? null).map(lengthOf));

const textSize = (named: NamedItem): number =>
  longestOf(named.name, named.name_localizations) +
  longestOf(named.description ?? '', named.description_localizations);

function sizeOf(command: SentCommand): number {
  const options = command.options ?? [];
  const choices = options.flatMap((option) => option.choices ?? []);
  const values = choices.map(({ value }) => lengthOf(String(value)));
  return [...[command, ...options, ...choices].map(textSize), ...values].reduce((sum, size) => sum + size, 0);
}

export const COMMAND_RULES: readonly Rule<SentCommand>[] = [
  {
    title: 'A command has at most 8,000 characters',
    check: (command) => (sizeOf(command) > COMMAND_SIZE ? [] : undefined),
  },
  {
    title: 'Names are in lower case, without spaces, in every language',
    check: (command) =>
      firstNamed(command, ({ name, name_localizations }) =>
        inAllLanguages(name, name_localizations).some(
          (text) => !NAME.test(text) || text !== text.toLowerCase(),
        ),
      ),
  },
  {
    title: 'Only slash commands have descriptions, of 1 to 100 characters in every language',
    check(command) {
      if (!isSlash(command)) return command.description ? ['description'] : undefined;
      return firstNamed(command, ({ description, description_localizations }) =>
        inAllLanguages(description ?? '', description_localizations).some((text) => !isShortText(text)),
      );
    },
  },
  {
    title: 'Every language is one that Discord supports',
    check: (command) =>
      firstNamed(command, ({ name_localizations, description_localizations }) =>
        Object.keys({ ...name_localizations, ...description_localizations }).some(
          (locale) => !LOCALES.includes(locale),
        ),
      ),
  },
  {
    title: 'Required options come before the others',
    check({ options }) {
      const list = options ?? [];
      const firstOptional = list.findIndex(({ required }) => required !== true);
      const late = list.findLastIndex(({ required }) => required === true);
      return firstOptional !== -1 && late > firstOptional ? ['options', late] : undefined;
    },
  },
  {
    title: 'Names of options are unique in every language',
    check({ options }) {
      const list = options ?? [];
      const locales = new Set(list.flatMap((option) => Object.keys(option.name_localizations ?? {})));
      const namesIn = (locale: string) =>
        list.map(({ name, name_localizations }) => name_localizations?.[locale] ?? name);
      return ['', ...locales].some((locale) => repeats(namesIn(locale))) ? ['options'] : undefined;
    },
  },
  {
    title: 'An option has autocomplete or choices, but not both',
    check: ({ options }) =>
      firstWrong(options, ['options'], ({ autocomplete, choices }) => !!autocomplete && !!choices?.length),
  },
];

interface SentRecipient {
  readonly recipient_id?: string | null;
  readonly access_tokens?: unknown;
  readonly nicks?: unknown;
}

const RECIPIENT_RULES: readonly Rule<SentRecipient>[] = [
  {
    // The schema's other properties are for group DMs, which bots can't open (Discord docs: User, Create DM).
    title: 'A direct message is for one recipient',
    check({ recipient_id, access_tokens, nicks }) {
      return recipient_id && !access_tokens && !nicks ? undefined : ['recipient_id'];
    },
  },
];

// Bodies are checked against Discord's published schemas first, then against the rules in this file.

/** The title of every breach of Discord's published schemas. */
export const PUBLISHED_SCHEMA = "Discord's published schema";

const invalidBody = (title: string, words: string): Denial => ({
  status: 400,
  code: 50035,
  message: `Invalid Form Body\n${words}`,
  title,
});

/** @param at the path of the checked part in the request body */
function bySchema(schema: $ZodType, body: unknown, at: Path = []): Denial | undefined {
  const flaws = schemaFlaws(schema, body, at);
  return flaws.length === 0 ? undefined : invalidBody(PUBLISHED_SCHEMA, inWords(flaws));
}

function byRules<Body>(rules: readonly Rule<Body>[], sent: Body, at: Path = []): Denial | undefined {
  for (const { title, check } of rules) {
    const path = check(sent);
    if (path !== undefined) return invalidBody(title, inWords([{ message: title, path: [...at, ...path] }]));
  }
  return undefined;
}

const MESSAGE_SCHEMAS: Readonly<Record<MessageRequest, $ZodType>> = {
  response: IncomingWebhookInteractionRequestSchema,
  update: IncomingWebhookUpdateForInteractionCallbackRequestPartialSchema,
  edit: IncomingWebhookUpdateRequestPartialSchema,
  'follow-up': IncomingWebhookRequestPartialSchema,
  // Channel posts are checked against the webhook schema. Their own schema only adds the nonce, and limits that bots don't
  // get, such as 4,000 characters of content.
  post: IncomingWebhookRequestPartialSchema,
};

export const checkMessage = (sent: SentMessage, at?: Path): Denial | undefined =>
  bySchema(MESSAGE_SCHEMAS[sent.request], sent.body, at) ?? byRules(MESSAGE_RULES, sent, at);

export const checkResponse = (sent: SentResponse): Denial | undefined => byRules(RESPONSE_RULES, sent);

export const checkChoices = (data: unknown): Denial | undefined =>
  bySchema(InteractionApplicationCommandAutocompleteCallbackStringDataSchema, data, ['data']) ??
  byRules(CHOICE_RULES, Object(data), ['data']);

export const checkModal = (data: unknown): Denial | undefined =>
  bySchema(ModalInteractionCallbackRequestDataSchema, data, ['data']) ??
  byRules(MODAL_RULES, Object(data), ['data']);

export const checkRecipient = (body: unknown): Denial | undefined =>
  bySchema(CreatePrivateChannelRequestSchema, body) ?? byRules(RECIPIENT_RULES, Object(body));

/** Checks the body of a PUT request, which replaces all commands. */
export function checkCommands(body: unknown): Denial | undefined {
  if (!Array.isArray(body)) return invalidBody(PUBLISHED_SCHEMA, 'expected a list of commands');
  for (const [index, command] of body.entries()) {
    const isEntryPoint = Object(command).type === ApplicationCommandType.PrimaryEntryPoint;
    const denial =
      bySchema(ApplicationCommandUpdateRequestSchema, command, [index]) ??
      byRules<SentCommand>(isEntryPoint ? [] : COMMAND_RULES, command, [index]);
    if (denial !== undefined) return denial;
  }
  const names = body.map(({ name, type = ApplicationCommandType.ChatInput }) => `${type} ${name}`);
  return new Set(names).size < names.length
    ? invalidBody('Names of commands differ', names.join(', '))
    : undefined;
}

// Helper functions for the rules.

/** Discord counts Unicode characters, not UTF-16 code units. */
const lengthOf = (text: string): number => [...text].length;
const isBlank = (text: string): boolean => text.trim() === '';
const isShortText = (text: string): boolean => lengthOf(text) >= 1 && lengthOf(text) <= 100;
const repeats = (values: readonly unknown[]): boolean => new Set(values).size < values.length;

const textsOf = ({ title, description, footer, author, fields = [] }: APIEmbed): readonly string[] => [
  title ?? '',
  description ?? '',
  footer?.text ?? '',
  author?.name ?? '',
  ...fields.flatMap(({ name, value }) => [name, value]),
];

/** @param at the path of the items in the body */
function firstWrong<Item>(
  items: readonly Item[] | null | undefined,
  at: Path,
  isWrong: (item: Item) => boolean,
): Path | undefined {
  const index = (items ?? []).findIndex(isWrong);
  return index === -1 ? undefined : [...at, index];
}

type Holder = Pick<Component, 'components' | 'component'>;

/** Returns the path of the first component, at any depth, for which `isWrong` returns true. */
function firstComponent(
  { components, component }: Holder,
  isWrong: (component: Component) => boolean,
  at: Path = [],
): Path | undefined {
  const children = [
    ...(components ?? []).map((child, index) => ({ child, path: [...at, 'components', index] })),
    ...(component ? [{ child: component, path: [...at, 'component'] }] : []),
  ];
  for (const { child, path } of children) {
    const found = isWrong(child) ? path : firstComponent(child, isWrong, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

function offersTooLittle({ options, min_values, max_values }: Component): boolean {
  const [least, most] = [min_values ?? 1, max_values ?? 1];
  const values = options?.map(({ value }) => value);
  const chosen = options?.filter((option) => option.default) ?? [];
  const isShort = values !== undefined && (values.length < most || repeats(values));
  return least > most || isShort || chosen.length > most;
}

function repeatedId(holder: Holder): Path | undefined {
  const seen = new Set<string>();
  return firstComponent(holder, ({ custom_id }) => {
    if (!custom_id) return false;
    const isKnown = seen.has(custom_id);
    seen.add(custom_id);
    return isKnown;
  });
}

const isSlash = ({ type }: SentCommand): boolean =>
  (type ?? ApplicationCommandType.ChatInput) === ApplicationCommandType.ChatInput;

/** Returns the path of the first wrong item: a slash command itself, or one of its options. */
function firstNamed(command: SentCommand, isWrong: (named: NamedItem) => boolean): Path | undefined {
  if (!isSlash(command)) return undefined;
  return isWrong(command) ? [] : firstWrong(command.options, ['options'], isWrong);
}

const inAllLanguages = (text: string, localizations: Localizations = null): readonly string[] => [
  text,
  ...Object.values(localizations ?? {}).flatMap((each) => each ?? []),
];
