import { randomBytes } from 'node:crypto';
import type { World } from '../world/world.ts';
import { type Denial, invalidForm, threadMissing, unknownWebhook } from './denial.ts';
import { personsMessage } from './outgoing.ts';
import { type Call, ok, type Reply } from './route.ts';

export type OperatorWebhook = ReturnType<typeof createOperatorWebhook>;

/** The maximum length of a message, in UTF-16 code units. */
const LONGEST = 2_000;

/** The webhook's channel. Discord doesn't save messages in a `full` channel. Requests to a `deleted` webhook fail with 404. */
type WebhookChannel = 'text' | 'forum' | 'full' | 'deleted';

/** Creates an incoming webhook. Anyone who knows its URL can post to it, so the bot doesn't need access to the channel. */
export function createOperatorWebhook({ snowflakes, guilds, clock }: World) {
  const id = snowflakes.next();
  const token = randomBytes(51).toString('base64url');
  const posts: string[] = [];
  const threads: string[] = [];
  let channel: WebhookChannel = 'text';
  const isOurs = ({ params }: Call) => channel !== 'deleted' && params.app === id && params.token === token;
  const channelId = guilds.all()[0]?.channelId ?? '';

  /** Without `wait`, Discord doesn't return the message or say if it wasn't saved (Discord docs: Execute Webhook). */
  function post({ json, query }: Call): Reply | Denial {
    const { content, allowed_mentions: mentions, thread_name: thread } = Object(json);
    if (typeof content !== 'string' || content === '' || content.length > LONGEST) {
      return invalidForm('content', `Must be between 1 and ${LONGEST} in length.`);
    }
    if (mentions?.parse?.length !== 0)
      return invalidForm('allowed_mentions', 'The message must not ping anyone.');
    if (channel === 'forum') {
      if (typeof thread !== 'string' && !query.has('thread_id')) return threadMissing;
      if (typeof thread === 'string') threads.push(thread);
    }
    const isShown = query.get('wait') === 'true';
    if (channel === 'full')
      return isShown ? invalidForm('content', 'The message was not saved.') : { status: 204 };
    posts.push(content);
    const author = { id, name: 'Alarms' };
    const message = personsMessage({ id: snowflakes.next(), channelId, author, at: clock.now() }, content);
    return isShown ? ok({ ...message, flags: 0, webhook_id: id }) : { status: 204 };
  }

  return {
    path: `/webhooks/${id}/${token}`,
    /** All messages that were posted to the webhook, in order. */
    posts: posts as readonly string[],
    /** The names of the posts that the webhook created in its forum channel. */
    threads: threads as readonly string[],
    /** Moves the webhook to another kind of channel, or deletes it. */
    moveTo(kind: WebhookChannel): void {
      channel = kind;
    },
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
            channel_id: channelId,
            guild_id: guilds.all()[0]?.id,
            application_id: null,
            url: `https://discord.com/api/webhooks/${id}/${token}`,
          })
        : unknownWebhook,
  };
}
