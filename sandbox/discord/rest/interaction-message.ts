import type { APIMessage } from 'discord.js';
import type { Interaction } from '../world/interactions.ts';
import { EPHEMERAL } from '../world/messages.ts';
import { userObject } from '../world/users.ts';
import type { World } from '../world/world.ts';
import type { MessageFrame } from './message-form.ts';

/** Types of message (Discord docs: Message, Message Types). */
const DEFAULT = 0;
const REPLY = 19;
const CHAT_INPUT_COMMAND = 20;
const CONTEXT_MENU_COMMAND = 23;

/**
 * Rule 42: what a message that answers an interaction says about its origin. The answer to a component is a reply to
 * the message with the component, and a follow-up one to the first answer.
 */
export function interactionFrame(
  world: World,
  interaction: Interaction,
): Omit<MessageFrame, 'id' | 'author' | 'timestamp'> {
  const { channelId, guildId, source, original, commandType, commandName, userId, userName } = interaction;
  const repliesTo = (original ?? source)?.current;
  const user = userObject({ id: userId, name: userName });
  return {
    channel_id: channelId,
    type:
      repliesTo !== undefined
        ? REPLY
        : commandType === undefined
          ? DEFAULT
          : commandType === 1
            ? CHAT_INPUT_COMMAND
            : CONTEXT_MENU_COMMAND,
    application_id: world.applicationId,
    webhook_id: world.applicationId,
    interaction_metadata: {
      ...metadata(interaction),
      ...(original !== undefined && { original_response_message_id: original.id }),
    } as NonNullable<MessageFrame['interaction_metadata']>,
    // Deprecated, and still sent with the answer to a command.
    ...(original === undefined &&
      commandName !== undefined && { interaction: { id: interaction.id, type: 2, name: commandName, user } }),
    ...(repliesTo !== undefined && reference(repliesTo, guildId)),
  };
}

/** Discord docs: Message Interaction Metadata Object. */
function metadata(interaction: Interaction): object {
  const { id, kind, userId, userName, guildId, source, openedBy, target, userInstallOnly } = interaction;
  const user = userObject({ id: userId, name: userName });
  return {
    id,
    type: kind,
    user,
    authorizing_integration_owners: userInstallOnly ? { 1: userId } : { 0: guildId ?? '0' },
    ...target,
    ...(kind === 3 && source !== undefined && { interacted_message_id: source.id }),
    ...(openedBy !== undefined && { triggering_interaction_metadata: metadata(openedBy) }),
  };
}

/** Discord docs: Message Reference Object. A message that only one member sees is not repeated in the reply. */
function reference(message: APIMessage, guildId: string | undefined) {
  const { referenced_message, ...referenced } = message;
  return {
    message_reference: {
      type: 0,
      channel_id: message.channel_id,
      message_id: message.id,
      ...(guildId !== undefined && { guild_id: guildId }),
    },
    ...(((message.flags ?? 0) & EPHEMERAL) === 0 && { referenced_message: referenced as APIMessage }),
  };
}
