import {
  type APIInteractionResponse,
  ApplicationIntegrationType,
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChannelSelectMenuInteraction,
  type ChatInputCommandInteraction,
  type Client,
  Events,
  GatewayDispatchEvents,
  type Interaction,
  InteractionResponseType,
  InteractionType,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
  PermissionsBitField,
  type RoleSelectMenuInteraction,
  type StringSelectMenuInteraction,
} from 'discord.js';
import { z } from 'zod';
import type { Logger } from '../logger.ts';
import type { WordsFor } from '../words/words.ts';
import { type Context, PERMISSION_BITS, type Permission, type Reply, type Wording } from './command.ts';
import type { Modal } from './components/controls.ts';
import { messageText } from './message-text.ts';
import { LostInteraction, respondFirst } from './rest.ts';
import type { Traced } from './traces.ts';

/** An event of the gateway (Discord docs: Gateway, Payload Structure). */
interface Packet {
  readonly t: string;
  d: unknown;
}

/** The function of discord.js through which every event goes, and which its types keep to themselves. */
interface PacketHandler {
  handlePacket(packet?: Packet, shard?: { readonly id: number }): boolean;
}

export interface PacketsDeps {
  readonly client: Client;
  readonly onInteraction: (interaction: Interaction) => void;
  /** By shard, when an event of it came, by `performance.now()`. */
  readonly heardAt: Map<number, number>;
  /** Each is told the guild of every interaction that the guild's own installation authorised, before it is handled. */
  readonly onUse: readonly ((guildId: string) => void)[];
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
export function receiveInteractions(deps: PacketsDeps): void {
  const { client, onInteraction, heardAt, onUse, wordsFor, logger } = deps;
  const told = new Set<string>();
  let built = false;
  client.on(Events.InteractionCreate, (interaction) => {
    built = true;
    onInteraction(interaction);
  });

  const gateway = client.ws as unknown as PacketHandler;
  const handle = gateway.handlePacket.bind(gateway);
  gateway.handlePacket = (packet, shard) => {
    if (shard) heardAt.set(shard.id, performance.now());
    const isInteraction = packet?.t === GatewayDispatchEvents.InteractionCreate;
    built = false;
    try {
      if (isInteraction) {
        const guildId = installedGuild(packet.d);
        if (guildId !== undefined) for (const used of onUse) used(guildId);
        packet.d = withoutUnused(packet.d);
      }
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

/** The guild whose own installation of the application, and not only a user's, authorised an interaction. */
function installedGuild(interaction: unknown): string | undefined {
  const { guild_id: guildId, authorizing_integration_owners: owners } = Object(interaction);
  return owners?.[ApplicationIntegrationType.GuildInstall] === guildId ? guildId : undefined;
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

export type ComponentInteraction =
  | ButtonInteraction
  | StringSelectMenuInteraction
  | ChannelSelectMenuInteraction
  | RoleSelectMenuInteraction;
/** The interactions that are answered with a message or a modal. */
export type Incoming =
  | ChatInputCommandInteraction
  | MessageContextMenuCommandInteraction
  | ComponentInteraction
  | ModalSubmitInteraction;

export function isIncoming(interaction: Interaction): interaction is Incoming {
  return (
    interaction.isChatInputCommand() ||
    interaction.isMessageContextMenuCommand() ||
    interaction.isButton() ||
    interaction.isStringSelectMenu() ||
    interaction.isChannelSelectMenu() ||
    interaction.isRoleSelectMenu() ||
    interaction.isModalSubmit()
  );
}

export function typeOf(interaction: Interaction): Traced['type'] {
  if (interaction.isCommand()) return 'command';
  if (interaction.isAutocomplete()) return 'autocomplete';
  if (interaction.isMessageComponent()) return 'component';
  return interaction.isModalSubmit() ? 'modal' : 'other';
}

/** What every interaction brings, taken from its payload alone; an empty guild id outside a guild. */
export function contextOf(
  interaction: Incoming | AutocompleteInteraction,
  { wordsFor, mention, pages }: Wording,
): Context {
  const permissions = interaction.memberPermissions ?? new PermissionsBitField();
  return {
    interactionId: interaction.id,
    receivedAt: Date.now(),
    guildId: interaction.guildId ?? '',
    channelId: interaction.channelId ?? '',
    user: { id: interaction.user.id, name: interaction.user.username },
    permissions,
    isAdmin: permissions.has(PERMISSION_BITS['manage-guild']),
    locale: interaction.locale,
    guildLocale: interaction.guildLocale ?? interaction.locale,
    t: wordsFor(interaction.locale),
    guildT: wordsFor(interaction.guildLocale ?? interaction.locale),
    mention,
    pages,
  };
}

/** What an interaction asks for. */
export interface Asked {
  readonly command: string;
  /** Of a button, a select or a modal. */
  readonly action?: string;
  readonly permission: Permission | undefined;
  /** To be called for those who have the permission; `undefined` is what this version of the bot does not have. */
  readonly answer: () => Answer | undefined;
}

/** What makes the answer, and how that appears: a modal, the first response itself, a new message, or a changed one. */
export type Answer =
  | { readonly shape: 'modal'; readonly open: () => Promise<Modal> }
  | { readonly shape: 'at-once'; readonly run: () => Promise<Reply> }
  | {
      readonly shape: 'reply' | 'update';
      /** Only the member sees it. */
      readonly isPrivate: boolean;
      readonly work?: Work | undefined;
      readonly run: () => Promise<Reply>;
    };

/** The options of a command as they can be kept: texts and numbers, no files. */
export function optionsToKeep(
  options: ChatInputCommandInteraction['options'],
): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    options.data.flatMap(({ name, value }) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [],
    ),
  );
}

/** What was asked for, where doing it again after a crash is right. */
export type Work = z.infer<typeof workSchema>;
export const workSchema = z.union([
  z.object({ command: z.string(), options: z.record(z.string(), z.union([z.string(), z.number()])) }),
  z.object({
    command: z.string(),
    action: z.string(),
    argument: z.string(),
    values: z.array(z.string()).readonly(),
  }),
  // A modal that was submitted, with what stood in its fields.
  z.object({
    command: z.string(),
    action: z.string(),
    argument: z.string(),
    fields: z.record(z.string(), z.string()),
  }),
]);
