import {
  type APIInteractionResponse,
  type Client,
  Events,
  GatewayDispatchEvents,
  type Interaction,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
} from 'discord.js';
import type { Logger } from '../logger.ts';
import type { WordsFor } from '../words/words.ts';
import { LostInteraction, respondFirst } from './answers.ts';

/** An event of the gateway (Discord docs: Gateway, Payload Structure). */
interface Packet {
  readonly t: string;
  d: unknown;
}

/** The function of discord.js through which every event goes, and which its types keep to themselves. */
interface PacketHandler {
  handlePacket(packet?: Packet, shard?: unknown): boolean;
}

export interface PacketsDeps {
  readonly client: Client;
  readonly onInteraction: (interaction: Interaction) => void;
  readonly wordsFor: WordsFor;
  readonly logger: Logger;
}

/**
 * Hands every interaction on, and answers those of which discord.js makes none. What it cannot build it throws on (a
 * poll in a message on which a command was used: it looks for the channel in a cache), before any event and where
 * nobody can catch it; a kind it does not know it passes over in silence. The member would read "The application did
 * not respond", so the one function that all events go through is wrapped. `Events.Raw` comes earlier and cannot tell
 * what becomes of the event.
 */
export function receiveInteractions({ client, onInteraction, wordsFor, logger }: PacketsDeps): void {
  const told = new Set<string>();
  let built = false;
  client.on(Events.InteractionCreate, (interaction) => {
    built = true;
    onInteraction(interaction);
  });

  const gateway = client.ws as unknown as PacketHandler;
  const handle = gateway.handlePacket.bind(gateway);
  gateway.handlePacket = (packet, shard) => {
    const isInteraction = packet?.t === GatewayDispatchEvents.InteractionCreate;
    built = false;
    try {
      if (isInteraction) packet.d = withoutUnused(packet.d);
      // discord.js would keep 6 KiB for each guild (measured), which without the Guilds intent nothing ever uses.
      if (packet?.t === GatewayDispatchEvents.Ready) packet.d = { ...Object(packet.d), guilds: [] };
      const handled = handle(packet, shard);
      // What comes before the client is ready is put by, and comes through here again.
      if (isInteraction && handled && !built) notBuilt(packet, undefined);
      return handled;
    } catch (error) {
      notBuilt(packet, error);
      return true;
    }
  };

  function notBuilt(packet: Packet | undefined, error: unknown): void {
    const { id, token, type, locale, data } = Object(packet?.d);
    const kind = [type, Object(data).type, Object(data).component_type].filter(Number.isInteger).join('/');
    logOnce({ event: String(packet?.t), kind, ...whereFrom(error) });
    if (packet?.t !== GatewayDispatchEvents.InteractionCreate || built) return;
    if (typeof id !== 'string' || typeof token !== 'string') return;
    const content = wordsFor(String(locale))('dispatch.unreadable');
    const body: APIInteractionResponse =
      type === InteractionType.ApplicationCommandAutocomplete
        ? { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices: [] } }
        : {
            type: InteractionResponseType.ChannelMessageWithSource,
            data: { content, flags: MessageFlags.Ephemeral, allowed_mentions: { parse: [] } },
          };
    respondFirst({ id, token, client }, body).catch((err: unknown) => {
      if (!(err instanceof LostInteraction)) logger.error({ err }, 'an answer could not be delivered');
    });
  }

  /** The same again and again says nothing new, however many members meet it. */
  function logOnce(about: { readonly event: string; readonly kind: string; readonly at?: string }): void {
    const key = JSON.stringify(about);
    if (told.has(key)) return;
    told.add(key);
    logger.warn(about, 'discord.js could not read an event; said once for each kind');
  }
}

/** What an error is and where it was thrown. Its message may quote what a member wrote. */
function whereFrom(error: unknown): { readonly error?: string; readonly at?: string } {
  if (!(error instanceof Error)) return {};
  const at = /^ {4}at .*/m.exec(error.stack ?? '')?.[0].trim();
  return { error: error.name, ...(at !== undefined && { at }) };
}

/**
 * An interaction with no more of a message than this bot uses: of one that a command was used on its text, as
 * `content`; of one that a component is on its flags, its files and whom it answers. What is left, discord.js can build, whatever the message is.
 */
function withoutUnused(interaction: unknown): unknown {
  const { data, message, channel_id, ...rest } = Object(interaction);
  // discord.js takes these as they are, and everything after it takes them for text.
  const texts = [rest.locale, rest.guild_id ?? '', rest.guild_locale ?? ''];
  if (!texts.every((value) => typeof value === 'string')) throw new TypeError('a locale or an id is no text');
  const messages = Object(data).resolved?.messages;
  return {
    ...rest,
    channel_id,
    entitlements: [],
    data: messages
      ? { ...data, resolved: { ...data.resolved, messages: textsOf(messages, channel_id) } }
      : data,
    ...(message && {
      message: { ...madeFor(message), id: message.id, channel_id, flags: message.flags, ...filesOf(message) },
    }),
  };
}

/** The files of a message by their ids and names, to be kept when it is changed. */
function filesOf({ attachments }: { readonly attachments?: unknown }): object {
  const files = Array.isArray(attachments) ? attachments : [];
  return {
    attachments: files.map((file) => {
      const { id, filename } = Object(file);
      return { id: String(id), filename: String(filename), size: 0, url: '', proxy_url: '' };
    }),
  };
}

/** The interaction that a message is the answer to; of its fields, those that discord.js cannot do without. */
function madeFor({ interaction_metadata }: { readonly interaction_metadata?: unknown }): object {
  const { id, type, user } = Object(interaction_metadata);
  if (typeof id !== 'string' || typeof Object(user).id !== 'string') return {};
  return { interaction_metadata: { id, type, user, authorizing_integration_owners: {} } };
}

function textsOf(messages: object, channel_id: unknown): object {
  return Object.fromEntries(
    Object.entries(messages).map(([id, message]) => [id, { id, channel_id, content: messageText(message) }]),
  );
}

/**
 * All text of a message that its readers see, a part on each line: what was written, embeds, components with their
 * labels, a poll, and the same of a message that was forwarded. It comes with the interaction, so no intent to read
 * messages is needed.
 * @param message as Discord sends it (Discord docs: Message Object). Read by the names of its fields and not by types,
 * so that a kind of message or component that is newer than this bot is read too.
 */
export function messageText(message: unknown): string {
  return messageParts(message)
    .filter((part) => part !== '')
    .join('\n');
}

function messageParts(message: unknown): string[] {
  const { content, embeds, components, poll, message_snapshots } = fieldsOf(message);
  return [
    ...text(content),
    ...list(embeds).flatMap(embedParts),
    ...list(components).flatMap(componentParts),
    ...pollParts(poll),
    ...list(message_snapshots).flatMap((snapshot) => messageParts(fieldsOf(snapshot).message)),
  ];
}

function embedParts(embed: unknown): string[] {
  const { author, title, description, fields, footer } = fieldsOf(embed);
  return [
    ...text(fieldsOf(author).name),
    ...text(title),
    ...text(description),
    ...list(fields)
      .map(fieldsOf)
      .flatMap(({ name, value }) => [...text(name), ...text(value)]),
    ...text(fieldsOf(footer).text),
  ];
}

/** Text displays, buttons, selects with their options, pictures with their descriptions, and whatever holds these. */
function componentParts(component: unknown): string[] {
  const { content, label, placeholder, description, ...inner } = fieldsOf(component);
  const { components, component: only, accessory, options, items } = inner;
  const children = [...list(components), only, accessory, ...list(options), ...list(items)];
  return [
    ...[content, label, placeholder, description].flatMap(text),
    ...children.filter((child) => child instanceof Object).flatMap(componentParts),
  ];
}

function pollParts(poll: unknown): string[] {
  const { question, answers } = fieldsOf(poll);
  return [
    ...text(fieldsOf(question).text),
    ...list(answers).flatMap((answer) => text(fieldsOf(fieldsOf(answer).poll_media).text)),
  ];
}

const text = (value: unknown): string[] => (typeof value === 'string' ? [value] : []);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value);
