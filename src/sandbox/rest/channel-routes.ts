import { MessageResponseSchema } from 'discord-api-spec/zod';
import { isMember } from '../world/guilds.ts';
import type { World } from '../world/world.ts';
import { type Denial, missingAccess, missingPermissions } from './denial.ts';
import type { MessageBody } from './message-form.ts';
import { filesOf, type Outgoing } from './outgoing.ts';
import { ok, type Route } from './route.ts';
import { PINGED_BY_CHANNEL_MESSAGES } from './rules/mentions.ts';
import { checkMessage } from './rules/messages.ts';

/** Discord docs: Permissions. */
const VIEW_CHANNEL = 1n << 10n;
const SEND_MESSAGES = 1n << 11n;
const EMBED_LINKS = 1n << 14n;

const hasEmbeds = (json: unknown): boolean => ((json as MessageBody | undefined)?.embeds ?? []).length > 0;

/** Rules 30 to 36 and 44 for messages that a bot posts in a channel of a guild it is in, without being asked. */
export function channelRoutes(world: World, outgoing: Outgoing): readonly Route[] {
  const unknownChannel: Denial = {
    blameless: true,
    rule: 1,
    status: 404,
    code: 10003,
    message: 'Unknown Channel',
  };
  return [
    {
      method: 'POST',
      path: '/channels/:channel/messages',
      auth: 'bot',
      answers: MessageResponseSchema,
      bucket: { name: 'channel messages', limit: 5, windowMs: 5_000, major: 'channel' },
      handle({ params, json, files }) {
        const channelId = params.channel ?? '';
        const guild = world.guilds.withChannel(channelId);
        if (guild === undefined) return unknownChannel;
        const may = guild.channels.get(channelId)?.botPermissions ?? 0n;
        if (!isMember(guild) || (may & VIEW_CHANNEL) === 0n) return { ...missingAccess, blameless: true };
        const needed = hasEmbeds(json) ? SEND_MESSAGES | EMBED_LINKS : SEND_MESSAGES;
        if ((may & needed) !== needed) return missingPermissions;
        const refusal = checkMessage(json, { for: 'channel', files: filesOf(files) });
        if (refusal !== undefined) return refusal;
        const body = json as MessageBody;
        const message = outgoing.send({ channel_id: channelId, type: 0 }, body, {
          files,
          flags: body.flags ?? 0,
          onlyFor: undefined,
          pings: PINGED_BY_CHANNEL_MESSAGES,
        });
        return ok(message.current);
      },
    },
  ];
}
