import type { APIApplicationCommandOptionChoice, APIModalInteractionResponseCallbackData } from 'discord.js';
import { InteractionCallbackResponseSchema } from 'discord-api-spec/zod';
import type { Acknowledgement, Interaction } from '../world/interactions.ts';
import { EPHEMERAL, LOADING, type StoredMessage } from '../world/messages.ts';
import type { World } from '../world/world.ts';
import { alreadyAcknowledged, type Denial, unknownInteraction } from './denial.ts';
import { interactionFrame, type MessageBody, withIds } from './message-form.ts';
import { filesOf, type Outgoing } from './outgoing.ts';
import { type Call, noContent, ok, type Reply, type Route } from './route.ts';
import { checkCallback } from './rules/callbacks.ts';

/** A callback body, once the rules have accepted it (Discord docs: Receiving and Responding, Callback Type). */
type CallbackBody =
  | { readonly type: 4 | 7; readonly data: MessageBody }
  | { readonly type: 5; readonly data?: { readonly flags?: number } }
  | { readonly type: 6 }
  | { readonly type: 8; readonly data: { readonly choices?: readonly APIApplicationCommandOptionChoice[] } }
  | { readonly type: 9; readonly data: APIModalInteractionResponseCallbackData };

const KIND = { 2: 'command', 3: 'component', 4: 'autocomplete', 5: 'modal' } as const;

/** Rules 25 to 37: the first answer to an interaction. */
export function callbackRoutes(world: World, outgoing: Outgoing): readonly Route[] {
  const { interactions } = world;

  function callback({ params, query, json, files }: Call): Reply | Denial {
    const interaction = interactions.byToken(params.token ?? '');
    if (interaction === undefined || interaction.id !== params.id) return unknownInteraction;
    const previous = interaction.acknowledged?.type;
    if (previous === 'lost') return unknownInteraction;
    if (previous !== undefined) return alreadyAcknowledged;
    // A body that is refused does not use up the answer.
    const refusal = checkCallback(json, {
      kind: KIND[interaction.kind],
      hasSourceMessage: interaction.source !== undefined,
      current: interaction.source?.current,
      focusedOptionType: interaction.focusedOptionType,
      files: filesOf(files),
      channelExists: world.channelExists,
    });
    if (refusal !== undefined) return refusal;

    const body = json as CallbackBody;
    const how = carryOut(interaction, body, files);
    interactions.acknowledge(interaction, how);
    // Rule 28.
    if (!['true', 'True', '1'].includes(query.get('with_response') ?? '')) return noContent;
    return ok(withResponse(interaction, body.type));
  }

  function carryOut(interaction: Interaction, body: CallbackBody, files: Call['files']): Acknowledgement {
    switch (body.type) {
      case 4:
      case 5: {
        const asked = body.type === 4 ? body.data : { flags: body.data?.flags ?? 0 };
        const flags = (asked.flags ?? 0) | (body.type === 5 ? LOADING : 0);
        const onlyFor = (flags & EPHEMERAL) === 0 ? undefined : interaction.userId;
        const message = outgoing.send(interactionFrame(world, interaction), asked, { files, flags, onlyFor });
        interaction.original = message;
        return { type: 'message', message };
      }
      case 6:
      case 7: {
        const message = sourceOf(interaction);
        interaction.original = message;
        if (body.type === 7) outgoing.edit(message, body.data, files);
        return { type: 'update', message, deferred: body.type === 6 };
      }
      case 8:
        return { type: 'choices', choices: body.data.choices ?? [] };
      case 9:
        return { type: 'modal', modal: { ...body.data, components: withIds(body.data.components) } };
    }
  }

  return [
    {
      method: 'POST',
      path: '/interactions/:id/:token/callback',
      auth: 'none',
      answers: InteractionCallbackResponseSchema,
      bucket: { name: 'interaction', limit: 5, windowMs: 2_000, major: 'token' },
      handle: callback,
    },
  ];
}

function sourceOf({ source }: Interaction): StoredMessage {
  if (source === undefined) throw new Error('rule 27 lets no update pass without a message to update');
  return source;
}

/** Rule 28 (Discord docs: Interaction Callback Response). */
function withResponse(interaction: Interaction, type: number): object {
  const message = interaction.original;
  const isMessage = type === 4 || type === 7;
  return {
    interaction: {
      id: interaction.id,
      type: interaction.kind,
      channel_id: interaction.channelId,
      ...(interaction.guildId !== undefined && { guild_id: interaction.guildId }),
      ...(message !== undefined && {
        response_message_id: message.id,
        response_message_loading: message.seen.loading,
        response_message_ephemeral: message.onlyFor !== undefined,
      }),
    },
    ...(isMessage && message?.current !== undefined && { resource: { type, message: message.current } }),
  };
}
