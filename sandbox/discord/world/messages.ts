import { type APIMessage, MessageFlags } from 'discord.js';
import { createLatest } from './latest.ts';

export interface StoredFile {
  readonly filename: string;
  readonly bytes: Buffer;
}
/** The files of a message, by attachment id. */
type StoredFiles = ReadonlyMap<string, StoredFile>;

/** A message was added or edited. If `onlyFor` is set, only that user can see the message. */
export interface MessageEvent {
  readonly kind: 'message';
  readonly change: 'created' | 'edited';
  readonly message: SeenMessage;
  readonly onlyFor: string | undefined;
}

/** A message in a channel. When the message is edited, `current` changes. */
export type SeenMessage = ReturnType<typeof createMessage>;
export function createMessages({ onEvent }: { readonly onEvent: (event: MessageEvent) => void }) {
  const latest = createLatest<SeenMessage>();
  const tell = (change: MessageEvent['change'], message: SeenMessage) =>
    onEvent({ kind: 'message', change, message, onlyFor: message.onlyFor });
  return {
    get: (id: string) => latest.get(id),
    all: () => latest.all(),
    add(first: APIMessage, onlyFor?: string, files: StoredFiles = new Map()): SeenMessage {
      const message = createMessage(first, onlyFor, files);
      latest.set(message.id, message);
      tell('created', message);
      return message;
    },
    /** Deletes a message without checking permissions. */
    delete: ({ id }: Pick<SeenMessage, 'id'>): void => latest.delete(id),
    /** Replaces a message's content and files. */
    change(message: SeenMessage, next: APIMessage, files: StoredFiles): void {
      message.replace(next, files);
      tell('edited', message);
    },
  };
}

function createMessage(first: APIMessage, onlyFor: string | undefined, firstFiles: StoredFiles) {
  let current = first;
  let files = firstFiles;
  let change = Promise.withResolvers<void>();
  return {
    id: first.id,
    channelId: first.channel_id,
    /** The message before any edits. */
    first,
    /** The only user who can see the message, or `undefined` if everyone can. */
    onlyFor,
    ephemeral: onlyFor !== undefined,
    /** The message as Discord would return it now. */
    get current() {
      return current;
    },
    get files() {
      return files;
    },
    /** Whether the message shows "thinking…", because the response was deferred and hasn't been edited yet. */
    get loading() {
      return ((current.flags ?? 0) & MessageFlags.Loading) !== 0;
    },
    /** Resolves the next time the message changes. */
    changed: () => change.promise,
    /** Returns the content of the attachment with this file name. */
    file: (name: string) => [...files.values()].find(({ filename }) => filename === name)?.bytes,
    replace(next: APIMessage, nextFiles: StoredFiles): void {
      current = next;
      files = nextFiles;
      change.resolve();
      change = Promise.withResolvers();
    },
  };
}
