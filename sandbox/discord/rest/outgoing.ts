import type { APIMessage } from 'discord.js';
import { EPHEMERAL, LOADING, type StoredMessage } from '../world/messages.ts';
import { timestamp, userObject } from '../world/users.ts';
import type { World } from '../world/world.ts';
import type { UploadedFile } from './body.ts';
import {
  type Attached,
  edited,
  type Mentioned,
  type MessageBody,
  type MessageFrame,
  newMessage,
} from './message-form.ts';
import { pingedRoles, pingingText, type RolesThere, resolveMentions } from './rules/mentions.ts';
import type { MessageBody as CheckedBody } from './rules/message-body.ts';

type Uploads = ReadonlyMap<number, UploadedFile>;

/** Puts into channels what the bot sends, once the rules have accepted it. */
export interface Outgoing {
  send(
    frame: Omit<MessageFrame, 'id' | 'author' | 'timestamp'>,
    body: MessageBody,
    options: {
      readonly files: Uploads;
      readonly flags: number;
      readonly onlyFor: string | undefined;
      /** Whom it may ping when the body does not say (rule 44). */
      readonly pings?: readonly string[];
      /** The roles of the channel's guild, where it is a message that answers nothing (rule 44). */
      readonly roles?: RolesThere;
    },
  ): StoredMessage;
  edit(message: StoredMessage, body: MessageBody, files: Uploads): void;
  /** A message of a person; returns its id. */
  say(
    person: { readonly userId: string; readonly name: string; readonly channelId: string },
    content: string,
  ): string;
}

/** The files of a request as the rules want to see them. */
export const filesOf = (files: Uploads) =>
  [...files].map(([id, { filename, bytes }]) => ({ id, filename, size: bytes.byteLength }));

export function createOutgoing(world: World): Outgoing {
  const { messages, clock, snowflakes, bot, guilds } = world;

  function pings(body: MessageBody, unlessSaid?: readonly string[], there?: RolesThere): Mentioned {
    const found = resolveMentions(pingingText(body as CheckedBody), body.allowed_mentions, unlessSaid);
    const roles = there ? pingedRoles(found.roles, body.allowed_mentions, there) : found.roles;
    return { ...found, roles, users: found.users.map((id) => ({ id, name: guilds.nameOf(id) ?? id })) };
  }

  return {
    send(frame, body, { files, flags, onlyFor, pings: unlessSaid, roles }) {
      const attached = attach(world, body, {
        uploads: files,
        before: undefined,
        channelId: frame.channel_id,
        ephemeral: onlyFor !== undefined,
      });
      const message: APIMessage = newMessage(
        {
          ...frame,
          id: snowflakes.next(),
          author: bot,
          timestamp: timestamp(clock.now()),
        },
        body,
        { attached, flags, mentions: pings(body, unlessSaid, roles) },
      );
      return messages.add(message, { onlyFor, files: attached.files });
    },
    say({ userId, name, channelId }, content) {
      const id = snowflakes.next();
      const author = userObject({ id: userId, name });
      const frame = {
        id,
        channel_id: channelId,
        type: 0,
        author,
        timestamp: timestamp(clock.now()),
      };
      const attached = { attachments: [], files: new Map() };
      messages.add(
        newMessage(
          frame,
          { content },
          { attached, flags: 0, mentions: { users: [], roles: [], everyone: false } },
        ),
        {},
      );
      return id;
    },
    edit(message, body, files) {
      if (message.current === undefined) return;
      const before = message.current.flags ?? 0;
      const attached = attach(world, body, {
        uploads: files,
        before: message,
        channelId: message.channelId,
        ephemeral: message.onlyFor !== undefined,
      });
      // Rule 42: an edit ends the loading. Rule 41: whether it is ephemeral stays as it was.
      const flags = ((body.flags ?? before) & ~(LOADING | EPHEMERAL)) | (before & EPHEMERAL);
      const at = clock.now();
      messages.change(
        message,
        edited(message.current, body, { attached, flags, mentions: pings(body), at }),
        attached.files,
      );
    },
  };
}

/** The attachments after a request: those kept, then the new ones in the order of their numbers. */
function attach(
  { files: cdn, applicationId }: World,
  body: MessageBody,
  about: {
    readonly uploads: Uploads;
    readonly before: StoredMessage | undefined;
    readonly channelId: string;
    readonly ephemeral: boolean;
  },
): Attached {
  const { uploads, before, channelId, ephemeral } = about;
  const listed = body.attachments?.map(({ id }) => String(id));
  const kept = (before?.current?.attachments ?? []).filter(
    ({ id }) => listed === undefined || listed.includes(id),
  );
  const added = [...uploads]
    .sort(([a], [b]) => a - b)
    .map(([n, { filename, contentType, bytes }]) => {
      const description = body.attachments?.find(({ id }) => String(id) === String(n))?.description;
      const attachment = cdn.keep({
        filename,
        bytes,
        contentType,
        ephemeral,
        owner: ephemeral ? applicationId : channelId,
        ...(description !== null && { description }),
      });
      return { attachment, file: { filename, bytes } };
    });
  const files = new Map([
    ...[...(before?.files ?? [])].filter(([id]) => kept.some((attachment) => attachment.id === id)),
    ...added.map(({ attachment, file }) => [attachment.id, file] as const),
  ]);
  return { attachments: [...kept, ...added.map(({ attachment }) => attachment)], files };
}
