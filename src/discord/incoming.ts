import {
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChannelSelectMenuInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  type MessageContextMenuCommandInteraction,
  type ModalSubmitInteraction,
  PermissionsBitField,
  type RoleSelectMenuInteraction,
  type StringSelectMenuInteraction,
} from 'discord.js';
import type { ListingPages, WordsFor } from '../words/words.ts';
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
