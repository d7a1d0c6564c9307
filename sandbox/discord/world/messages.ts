import { type APIMessage, MessageFlags } from 'discord.js';
import { createLatest } from './latest.ts';

export interface StoredFile {
  readonly filename: string;
  readonly bytes: Buffer;
}
/** Files by attachment id. */
type StoredFiles = ReadonlyMap<string, StoredFile>;

/** A change of a message. Only the user `onlyFor` can see it; `undefined` for everyone in its channel. */
export interface MessageEvent {
  readonly kind: 'message';
  readonly change: 'created' | 'edited';
  readonly message: SeenMessage;
  readonly onlyFor: string | undefined;
}

/** A message in a channel, kept up to date: an edit replaces `current`. */
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
    /** Deletes a message, as a permitted user would. */
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
    /** The original content. */
    first,
    /** The only user who can see it; `undefined` for a public message. */
    onlyFor,
    ephemeral: onlyFor !== undefined,
    /** The present content, as Discord would return it. */
    get current() {
      return current;
    },
    get files() {
      return files;
    },
    /** Whether it shows "thinking…": deferred and not yet edited. */
    get loading() {
      return ((current.flags ?? 0) & MessageFlags.Loading) !== 0;
    },
    /** Resolves at the next change of the message. */
    changed: () => change.promise,
    /** Returns the bytes of an attachment by its file name. */
    file: (name: string) => [...files.values()].find(({ filename }) => filename === name)?.bytes,
    replace(next: APIMessage, nextFiles: StoredFiles): void {
      current = next;
      files = nextFiles;
      change.resolve();
      change = Promise.withResolvers();
    },
  };
}
