import { MessageResponseSchema } from 'discord-api-spec/zod';
import type { Interaction } from '../world/interactions.ts';
import type { SeenMessage } from '../world/messages.ts';
import type { World } from '../world/world.ts';
import { type Denial, expiredToken, unknownMessage, unknownWebhook } from './denial.ts';
import type { Outgoing } from './outgoing.ts';
import { type Call, ok, type Reply, type Route } from './route.ts';
import { checkMessage, type MessageBody } from './rules.ts';

/** Measured on Discord: five requests in two seconds for one interaction, whatever the method. */
const bucket = { name: 'webhook', limit: 5, windowMs: 2_000, major: 'token' };

type Handle<Of> = (of: Of, call: Call) => Reply | Denial;

/** Reading and changing the answer, and follow-ups, for the 15 minutes that the token lives. */
export function webhookRoutes(world: World, outgoing: Outgoing): readonly Route[] {
  const { interactions, applicationId } = world;

  const withInteraction = (handle: Handle<Interaction>) => (call: Call) => {
    const interaction = interactions.byToken(call.params.token ?? '');
    if (interaction === undefined || call.params.app !== applicationId) return unknownWebhook;
    if (interactions.expired(interaction)) return expiredToken;
    // Discord does not say what follows a modal or choices; there is no message, so nothing to follow up.
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
    // The first follow-up after a deferral is that message, as public or private as it was deferred.
    if (original?.loading) {
      outgoing.edit(original, { body: { ...body, flags: 0 }, files });
      return ok(original.current);
    }
    const message = outgoing.answer(interaction, { body, files });
    interactions.followUp(interaction, message);
    return ok(message.current);
  });

  /** To ask is the only way to know what the member sees. */
  function read(call: Call): Reply | Denial {
    const answer = withMessage(({ current }) => ok(current))(call);
    return 'code' in answer ? { ...answer, blameless: true } : answer;
  }

  const common = { auth: 'none', bucket, answers: MessageResponseSchema } as const;
  const one = '/webhooks/:app/:token/messages/:message';
  return [
    { ...common, method: 'POST', path: '/webhooks/:app/:token', handle: followUp },
    { ...common, method: 'GET', path: one, handle: read },
    { ...common, method: 'PATCH', path: one, handle: edit },
  ];
}
