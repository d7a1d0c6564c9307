import { MessageResponseSchema } from 'discord-api-spec/zod';
import type { Interaction } from '../world/interactions.ts';
import { EPHEMERAL, type StoredMessage } from '../world/messages.ts';
import type { World } from '../world/world.ts';
import { type Denial, expiredToken, tooManyFollowUps, unknownMessage, unknownWebhook } from './denial.ts';
import { interactionFrame, type MessageBody } from './message-form.ts';
import { filesOf, type Outgoing } from './outgoing.ts';
import { type Call, noContent, ok, type Reply, type Route } from './route.ts';
import { checkMessage } from './rules/messages.ts';

/** Rule 45: measured on Discord: five requests in two seconds for one interaction, whatever the method. */
const bucket = { name: 'webhook', limit: 5, windowMs: 2_000, major: 'token' };
/** Rule 43. */
const MOST_FOLLOW_UPS = 5;

/** Rules 39 to 45: editing the answer, and follow-ups, for the 15 minutes that the token lives. */
export function webhookRoutes(world: World, outgoing: Outgoing): readonly Route[] {
  const { interactions, messages, applicationId } = world;

  /** Rule 39: what the token is good for, if anything. */
  const withInteraction =
    (handle: (interaction: Interaction, call: Call) => Reply | Denial) => (call: Call) => {
      const interaction = interactions.byToken(call.params.token ?? '');
      if (interaction === undefined || call.params.app !== applicationId) return unknownWebhook;
      if (interactions.expired(interaction)) return expiredToken;
      const how = interaction.acknowledged?.type;
      // Discord does not say what follows a modal or choices; there is no message, so nothing to follow up.
      if (how !== 'message' && how !== 'update') return unknownWebhook;
      return handle(interaction, call);
    };

  const withMessage = (
    handle: (message: StoredMessage, interaction: Interaction, call: Call) => Reply | Denial,
  ) =>
    withInteraction((interaction, call) => {
      const message = messageOf(interaction, call.params.message ?? '');
      return message?.current === undefined ? unknownMessage : handle(message, interaction, call);
    });

  const { followUp, edit } = webhookCalls(world, outgoing);
  const one = '/webhooks/:app/:token/messages/:message';
  return [
    {
      method: 'POST',
      path: '/webhooks/:app/:token',
      auth: 'none',
      answers: MessageResponseSchema,
      bucket,
      handle: withInteraction(followUp),
    },
    {
      method: 'GET',
      path: one,
      auth: 'none',
      answers: MessageResponseSchema,
      bucket,
      handle: withMessage(({ current }) => ok(current)),
    },
    {
      method: 'PATCH',
      path: one,
      auth: 'none',
      answers: MessageResponseSchema,
      bucket,
      handle: withMessage((message, _interaction, call) => edit(message, call)),
    },
    {
      method: 'DELETE',
      path: one,
      auth: 'none',
      answers: 'nothing',
      bucket,
      handle: withMessage((message) => {
        messages.change(message, undefined);
        return noContent;
      }),
    },
  ];
}

/** What a token is used for, once it is found good. */
function webhookCalls(world: World, outgoing: Outgoing) {
  const { interactions, channelExists } = world;

  function followUp(interaction: Interaction, { json, files }: Call): Reply | Denial {
    const refusal = checkMessage(json, { for: 'followup', files: filesOf(files), channelExists });
    if (refusal !== undefined) return refusal;
    const body = json as MessageBody;
    const { original } = interaction;
    // Rule 40: the first one after a deferral is that message, as public or private as it was deferred.
    if (original?.current !== undefined && original.seen.loading) {
      outgoing.edit(original, body, files);
      return ok(original.current);
    }
    if (interaction.userInstallOnly && interaction.followUps.length >= MOST_FOLLOW_UPS)
      return tooManyFollowUps;
    const flags = body.flags ?? 0;
    const onlyFor = (flags & EPHEMERAL) === 0 ? undefined : interaction.userId;
    const message = outgoing.send(interactionFrame(world, interaction), body, { files, flags, onlyFor });
    interactions.followUp(interaction, message);
    return ok(message.current);
  }

  function edit(message: StoredMessage, { json, files }: Call): Reply | Denial {
    const refusal = checkMessage(json, {
      for: 'edit',
      current: message.current,
      files: filesOf(files),
      channelExists,
    });
    if (refusal !== undefined) return refusal;
    outgoing.edit(message, json as MessageBody, files);
    return ok(message.current);
  }

  return { followUp, edit };
}

/** Rule 8: `@original`, or a message that this very interaction made. */
function messageOf({ original, followUps }: Interaction, id: string): StoredMessage | undefined {
  if (id === '@original') return original;
  return [original, ...followUps].find((message) => message?.id === id);
}
