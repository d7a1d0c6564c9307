import type { MessageType } from 'discord.js';
import type { Interaction } from '../world/interactions.ts';
import type { World } from '../world/world.ts';
import type { MessageFrame } from './message-form.ts';

/** Types of message (Discord docs: Message, Message Types). */
const DEFAULT = 0;
const CHAT_INPUT_COMMAND = 20;
const CONTEXT_MENU_COMMAND = 23;

/** Rule 42: what a message that answers an interaction says about its origin. */
export function interactionFrame(
  world: World,
  interaction: Interaction,
): Omit<MessageFrame, 'id' | 'author' | 'timestamp'> {
  const { id, kind, userId, userName, channelId, guildId, source, original, commandType } = interaction;
  const first = original === undefined;
  const type: MessageType =
    !first || commandType === undefined
      ? DEFAULT
      : commandType === 1
        ? CHAT_INPUT_COMMAND
        : CONTEXT_MENU_COMMAND;
  const metadata = {
    id,
    type: kind,
    user: { id: userId, username: userName, discriminator: '0', global_name: userName, avatar: null },
    authorizing_integration_owners: interaction.userInstallOnly ? { 1: userId } : { 0: guildId ?? '0' },
    ...(original !== undefined && { original_response_message_id: original.id }),
    ...(kind === 3 && source !== undefined && { interacted_message_id: source.id }),
  };
  return {
    channel_id: channelId,
    type,
    application_id: world.applicationId,
    webhook_id: world.applicationId,
    interaction_metadata: metadata as NonNullable<MessageFrame['interaction_metadata']>,
  };
}
