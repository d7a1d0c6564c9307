import { randomBytes } from 'node:crypto';
import type { World } from '../world/world.ts';
import { type Denial, invalidForm, unknownWebhook } from './denial.ts';
import { type Call, ok, type Reply } from './route.ts';

export type OperatorWebhook = ReturnType<typeof createOperatorWebhook>;

/** The maximum length of a message, in UTF-16 code units. */
const LONGEST = 2_000;

/** Creates an incoming webhook. Anyone who knows its URL can post to it, so the bot doesn't need access to the channel. */
export function createOperatorWebhook({ snowflakes, guilds }: World) {
  const id = snowflakes.next();
  const token = randomBytes(51).toString('base64url');
  const posts: string[] = [];
  const isOurs = ({ params }: Call) => params.app === id && params.token === token;

  function post({ json }: Call): Reply | Denial {
    const { content, allowed_mentions: mentions } = Object(json);
    if (typeof content !== 'string' || content === '' || content.length > LONGEST) {
      return invalidForm('content', `Must be between 1 and ${LONGEST} in length.`);
    }
    if (mentions?.parse?.length !== 0)
      return invalidForm('allowed_mentions', 'The message must not ping anyone.');
    posts.push(content);
    return { status: 204 };
  }

  return {
    path: `/webhooks/${id}/${token}`,
    /** All messages that were posted to the webhook, in order. */
    posts: posts as readonly string[],
    postOr: (other: (call: Call) => Reply | Denial) => (call: Call) =>
      isOurs(call) ? post(call) : other(call),
    read: (call: Call): Reply | Denial =>
      isOurs(call)
        ? ok({
            id,
            token,
            type: 1,
            name: 'Alarms',
            avatar: null,
            channel_id: guilds.all()[0]?.channelId,
            guild_id: guilds.all()[0]?.id,
            application_id: null,
            url: `https://discord.com/api/webhooks/${id}/${token}`,
          })
        : unknownWebhook,
  };
}
