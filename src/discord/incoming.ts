import {
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChannelSelectMenuInteraction,
  type ChatInputCommandInteraction,
  DefaultUserAgent,
  type Interaction,
  type MessageContextMenuCommandInteraction,
  type ModalSubmitInteraction,
  PermissionsBitField,
  type RoleSelectMenuInteraction,
  type StringSelectMenuInteraction,
} from 'discord.js';
import { request } from 'undici';
import { createHttpAgent } from '../http-agent.ts';
import type { Logger } from '../logger.ts';
import type { ListingPages } from '../words/listing-pages.ts';
import type { WordsFor } from '../words/words.ts';
import { type ChosenChannel, type Context, isAllowed } from './command.ts';
import type { InteractionType } from './traces.ts';

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

export function typeOf(interaction: Interaction): InteractionType {
  if (interaction.isCommand()) return 'command';
  if (interaction.isAutocomplete()) return 'autocomplete';
  if (interaction.isMessageComponent()) return 'component';
  return interaction.isModalSubmit() ? 'modal' : 'other';
}

/** What every answer is made with, whoever reads it. */
export interface Wording {
  readonly wordsFor: WordsFor;
  readonly mention: Context['mention'];
  readonly pages: ListingPages;
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
    isAdmin: isAllowed({ permissions }, 'manage-guild'),
    locale: interaction.locale,
    guildLocale: interaction.guildLocale ?? interaction.locale,
    t: wordsFor(interaction.locale),
    guildT: wordsFor(interaction.guildLocale ?? interaction.locale),
    mention,
    pages,
  };
}

/** A handler by the action in a custom id, which is anyone's text: `constructor` must find nothing. */
export function handlerOf<Value>(
  handlers: Readonly<Record<string, Value>> | undefined,
  action: string,
): Value | undefined {
  return handlers && Object.hasOwn(handlers, action) ? handlers[action] : undefined;
}

/** What a member calls the thing they used. */
export function controlOf(
  interaction: ComponentInteraction | ModalSubmitInteraction,
): 'button' | 'menu' | 'form' {
  if (interaction.isModalSubmit()) return 'form';
  return interaction.isButton() ? 'button' : 'menu';
}

/**
 * What was chosen in a select; nothing for a button. Of channels and roles only those that Discord says are some: it
 * knows which of the ids that a client has sent are channels of this server that the member sees, or roles of it.
 */
export function choiceOf(interaction: ComponentInteraction): {
  values: readonly string[];
  channels: readonly ChosenChannel[];
  roles: readonly string[];
} {
  const nothing = { values: [], channels: [], roles: [] };
  if (interaction.isButton()) return nothing;
  if (interaction.isStringSelectMenu()) return { ...nothing, values: interaction.values };
  if (interaction.isRoleSelectMenu()) {
    const roles = interaction.values.filter((id) => interaction.roles.has(id));
    return { values: roles, channels: [], roles };
  }
  const channels = interaction.values
    .filter((id) => interaction.channels.has(id))
    .map((id) => ({ id, botPermissions: botPermissions(interaction, id) }));
  return { values: channels.map(({ id }) => id), channels, roles: [] };
}

/**
 * What Discord says the bot may do in a chosen channel (Discord docs: Interactions, Resolved Data). No channel is in a
 * cache, and depending on what discord.js knows of the guild it passes on the channel raw or as an object of its own.
 */
function botPermissions(
  { channels }: ChannelSelectMenuInteraction,
  id: string,
): ChosenChannel['botPermissions'] {
  const channel = Object(channels.get(id));
  if (channel.appPermissions instanceof PermissionsBitField) return channel.appPermissions;
  const bits: unknown = channel.app_permissions;
  return typeof bits === 'string' && /^\d+$/.test(bits) ? new PermissionsBitField(BigInt(bits)) : undefined;
}

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

/** The texts of a modal as they can be kept. */
export const fieldsToKeep = ({ fields }: ModalSubmitInteraction): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...fields.fields.values()].flatMap((field) =>
      'value' in field && typeof field.value === 'string' ? [[field.customId, field.value]] : [],
    ),
  );

export interface AttachmentsDeps {
  /** The hosts that files are read from, `host` or `host:port`; without a port it is the scheme's own. */
  readonly hosts: readonly string[];
  /** The most bytes of a file. */
  readonly maxBytes: number;
  readonly logger: Logger;
  /** Milliseconds for the whole file; 10 seconds. */
  readonly timeoutMs?: number;
}

export type AttachmentResult =
  | { readonly ok: true; readonly bytes: Buffer }
  /**
   * `foreign`: an address that Discord would not give out, nothing was asked of it. `unavailable`: there is no such
   * file (any more), or it did not come in time.
   */
  | { readonly ok: false; readonly problem: 'foreign' | 'too-large' | 'unavailable' };

export interface Attachments {
  /** Reads an uploaded file. Failing to get it is a result, not an exception. */
  read(url: string): Promise<AttachmentResult>;
  close(): Promise<void>;
}

/**
 * Reads what members upload. Size and type of an attachment are what the uploader's Discord claims, so neither is
 * looked at: bytes are counted as they come. Redirects are not followed.
 */
export function createAttachments(deps: AttachmentsDeps): Attachments {
  const { hosts, maxBytes, logger, timeoutMs = 10_000 } = deps;
  const agent = createHttpAgent({ connect: { timeout: timeoutMs } });

  async function download(url: URL): Promise<AttachmentResult> {
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      headers: { 'accept-encoding': 'identity', 'user-agent': DefaultUserAgent },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (statusCode !== 200) {
      body.on('error', () => undefined).destroy();
      logger.warn({ host: url.host, statusCode }, 'an attachment could not be read');
      return { ok: false, problem: 'unavailable' };
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      // Leaving the loop ends the download.
      if (size > maxBytes) return { ok: false, problem: 'too-large' };
      chunks.push(chunk);
    }
    return { ok: true, bytes: Buffer.concat(chunks) };
  }

  return {
    async read(text) {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (!url || !isUploadUrl(url, hosts)) {
        logger.warn({ host: url?.host }, 'an attachment is on a host that is not in ATTACHMENT_HOSTS');
        return { ok: false, problem: 'foreign' };
      }
      try {
        return await download(url);
      } catch (error) {
        // The address carries a signature, so only the host is logged.
        logger.warn({ host: url.host, err: error }, 'an attachment could not be read');
        return { ok: false, problem: 'unavailable' };
      }
    },
    close: () => agent.destroy(),
  };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function isUploadUrl(url: URL, hosts: readonly string[]): boolean {
  const { protocol, hostname, host, username, password } = url;
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  return (
    isSafe &&
    username === '' &&
    password === '' &&
    hosts.some((one) => new URL(`${protocol}//${one}`).host === host)
  );
}
