import { isDeepStrictEqual } from 'node:util';
import {
  type APIApplicationCommandOptionChoice,
  type APIModalInteractionResponseCallbackData,
  InteractionResponseType,
  MessageFlags,
} from 'discord.js';
import { GuildIncomingWebhookResponseSchema, MessageResponseSchema } from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import type { Acknowledgement, Interaction } from '../world/interactions.ts';
import type { SeenMessage } from '../world/messages.ts';
import type { World } from '../world/world.ts';
import {
  alreadyAcknowledged,
  type Denial,
  expiredToken,
  unknownInteraction,
  unknownMessage,
  unknownWebhook,
} from './denial.ts';
import type { OperatorWebhook } from './operator-webhook.ts';
import { type Outgoing, withIds } from './outgoing.ts';
import { type Call, ok, type Reply, type Route } from './route.ts';
import { checkChoices, checkMessage, checkModal, checkResponse, type MessageBody } from './rules.ts';

const { ChannelMessageWithSource, DeferredChannelMessageWithSource, DeferredMessageUpdate } =
  InteractionResponseType;
const { UpdateMessage, ApplicationCommandAutocompleteResult, Modal } = InteractionResponseType;

/** A response body that has passed all checks. */
type ResponseBody =
  | { readonly type: typeof ChannelMessageWithSource | typeof UpdateMessage; readonly data: MessageBody }
  | { readonly type: typeof DeferredChannelMessageWithSource; readonly data?: { readonly flags?: number } }
  | { readonly type: typeof DeferredMessageUpdate }
  | {
      readonly type: typeof ApplicationCommandAutocompleteResult;
      readonly data: { readonly choices: readonly APIApplicationCommandOptionChoice[] };
    }
  | { readonly type: typeof Modal; readonly data: APIModalInteractionResponseCallbackData };

/** Routes for the first response to an interaction. */
export function callbackRoutes(world: World, outgoing: Outgoing): readonly Route[] {
  const { interactions } = world;

  function denialOf(interaction: Interaction, { json, files }: Call): Denial | undefined {
    const { kind, source } = interaction;
    const { type, data } = Object(json);
    const body: MessageBody = Object(data);
    const sent = { body, files };
    const denial = checkResponse({ kind, hasSource: source !== undefined, body: Object(json) });
    if (denial !== undefined) return denial;
    if (type === ChannelMessageWithSource)
      return checkMessage({ ...sent, request: 'response', current: undefined }, ['data']);
    if (type === UpdateMessage)
      return checkMessage({ ...sent, request: 'update', current: source?.current }, ['data']);
    if (type === ApplicationCommandAutocompleteResult) return checkChoices(data);
    return type === Modal ? checkModal(data) : undefined;
  }

  function carryOut(interaction: Interaction, body: ResponseBody, files: Call['files']): Acknowledgement {
    switch (body.type) {
      case ChannelMessageWithSource:
        return { type: 'message', message: outgoing.answer(interaction, { body: body.data, files }) };
      case DeferredChannelMessageWithSource: {
        const flags = (body.data?.flags ?? 0) | MessageFlags.Loading;
        return { type: 'message', message: outgoing.answer(interaction, { body: { flags }, files }) };
      }
      case UpdateMessage: {
        const message = sourceOf(interaction);
        outgoing.edit(message, { body: body.data, files });
        return { type: 'update', message, deferred: false };
      }
      case DeferredMessageUpdate:
        return { type: 'update', message: sourceOf(interaction), deferred: true };
      case ApplicationCommandAutocompleteResult:
        return { type: 'choices', choices: body.data.choices };
      case Modal:
        return { type: 'modal', modal: { ...body.data, components: withIds(body.data.components) } };
    }
  }

  function respond(call: Call): Reply | Denial {
    const interaction = interactions.byToken(call.params.token ?? '');
    if (interaction === undefined || interaction.id !== call.params.id) return unknownInteraction;
    const previous = interaction.acknowledged?.type;
    if (previous === 'lost') return unknownInteraction;
    // The bot may repeat its first response if Discord's confirmation was lost. The stand-in can't tell, so it never treats
    // an identical response as a breach.
    if (previous !== undefined) {
      const isRepeated = isDeepStrictEqual(interaction.accepted, call.json);
      return isRepeated ? { ...alreadyAcknowledged, blameless: true } : alreadyAcknowledged;
    }
    // A rejected response doesn't count, so the bot can respond again.
    const denial = denialOf(interaction, call);
    if (denial !== undefined) return denial;
    const how = carryOut(interaction, call.json as ResponseBody, call.files);
    if (how.type === 'message' || how.type === 'update') interaction.original = how.message;
    interaction.accepted = call.json;
    interactions.acknowledge(interaction, how);
    return { status: 204 };
  }

  return [
    {
      method: 'POST',
      path: '/interactions/:id/:token/callback',
      auth: 'none',
      answers: z.never(),
      bucket: { name: 'interaction', limit: 5, windowMs: 2_000, major: 'token' },
      handle: respond,
    },
  ];
}

function sourceOf({ source }: Interaction): SeenMessage {
  if (source === undefined) throw new Error('the rules did not reject an update without a message');
  return source;
}

/** Measured on Discord: five requests per interaction in two seconds, with all methods counted together. */
const bucket = { name: 'webhook', limit: 5, windowMs: 2_000, major: 'token' };

type Handle<Of> = (of: Of, call: Call) => Reply | Denial;

/** Routes that read and edit the reply and send follow-ups. They work for 15 minutes, until the token expires. */
export function webhookRoutes(
  world: World,
  outgoing: Outgoing,
  operators: OperatorWebhook,
): readonly Route[] {
  const { interactions, applicationId } = world;

  const withInteraction = (handle: Handle<Interaction>) => (call: Call) => {
    const interaction = interactions.byToken(call.params.token ?? '');
    if (interaction === undefined || call.params.app !== applicationId) return unknownWebhook;
    if (interactions.expired(interaction)) return expiredToken;
    // Discord doesn't document follow-ups to a modal or to autocomplete choices. The stand-in rejects them, because there
    // is no message to follow up.
    return interaction.original === undefined ? unknownWebhook : handle(interaction, call);
  };

  const withMessage = (handle: Handle<SeenMessage>) =>
    withInteraction(({ original, followUps }, call) => {
      const id = call.params.message;
      const message = id === '@original' ? original : followUps.find((one) => one.id === id);
      return message === undefined ? unknownMessage : handle(message, call);
    });

  const edit = withMessage((message, { json, files }) => {
    const body: MessageBody = Object(json);
    const { current } = message;
    const denial = checkMessage({ request: 'edit', body, files, current });
    if (denial !== undefined) return denial;
    outgoing.edit(message, { body, files });
    return ok(message.current);
  });

  const followUp = withInteraction((interaction, { json, files }) => {
    const body: MessageBody = Object(json);
    const denial = checkMessage({ request: 'follow-up', body, files, current: undefined });
    if (denial !== undefined) return denial;
    const { original } = interaction;
    // The first follow-up replaces a deferred message and keeps its visibility.
    if (original?.loading) {
      outgoing.edit(original, { body: { ...body, flags: 0 }, files });
      return ok(original.current);
    }
    const message = outgoing.answer(interaction, { body, files });
    interactions.followUp(interaction, message);
    return ok(message.current);
  });

  /** Returns the reply. Errors aren't breaches, because a bot has no other way to find out what the user sees. */
  function read(call: Call): Reply | Denial {
    const answer = withMessage(({ current }) => ok(current))(call);
    return 'code' in answer ? { ...answer, blameless: true } : answer;
  }

  const common = { auth: 'none', bucket, answers: MessageResponseSchema } as const;
  const one = '/webhooks/:app/:token/messages/:message';
  return [
    { ...common, method: 'POST', path: '/webhooks/:app/:token', handle: operators.postOr(followUp) },
    {
      method: 'GET',
      path: '/webhooks/:app/:token',
      auth: 'none',
      answers: GuildIncomingWebhookResponseSchema,
      handle: operators.read,
    },
    { ...common, method: 'GET', path: one, handle: read },
    { ...common, method: 'PATCH', path: one, handle: edit },
  ];
}
