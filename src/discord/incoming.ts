import {
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  type MessageContextMenuCommandInteraction,
  type ModalSubmitInteraction,
  PermissionsBitField,
  type StringSelectMenuInteraction,
} from 'discord.js';
import { wordsFor } from '../locales/words.ts';
import type { Call } from './command.ts';

export type ComponentInteraction = ButtonInteraction | StringSelectMenuInteraction;
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
    interaction.isModalSubmit()
  );
}

/** What every interaction brings, taken from its payload alone; an empty guild id outside a guild. */
export function callOf(interaction: Incoming | AutocompleteInteraction, mention: Call['mention']): Call {
  return {
    interactionId: interaction.id,
    guildId: interaction.guildId ?? '',
    channelId: interaction.channelId ?? '',
    user: { id: interaction.user.id, name: interaction.user.username },
    permissions: interaction.memberPermissions ?? new PermissionsBitField(),
    locale: interaction.locale,
    t: wordsFor(interaction.locale),
    mention,
  };
}

/** `name:action:argument` → its parts; the argument may contain colons. */
export function parseCustomId(id: string): { command: string; action: string; argument: string } {
  const [command = '', action = '', ...rest] = id.split(':');
  return { command, action, argument: rest.join(':') };
}

/** A handler by the action in a custom id, which is anyone's text: `constructor` must find nothing. */
export function handlerOf<Value>(
  handlers: Readonly<Record<string, Value>> | undefined,
  action: string,
): Value | undefined {
  return handlers && Object.hasOwn(handlers, action) ? handlers[action] : undefined;
}
