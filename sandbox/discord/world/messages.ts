import { type APIMessage, MessageFlags } from 'discord.js';
import { createLatest } from './latest.ts';

export interface StoredFile {
  readonly filename: string;
  readonly bytes: Buffer;
}
/** By attachment id. */
type StoredFiles = ReadonlyMap<string, StoredFile>;

/** What happened to a message. Only `onlyFor` sees it; `undefined`: everybody in its channel does. */
export interface MessageEvent {
  readonly kind: 'message';
  readonly change: 'created' | 'edited';
  readonly message: SeenMessage;
  readonly onlyFor: string | undefined;
}

/** A message in a channel. It is live: an edit replaces `current`. */
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
    /** Somebody who may has deleted it. */
    delete: ({ id }: Pick<SeenMessage, 'id'>): void => latest.delete(id),
    /** Replaces what the message says, and its files. */
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
    /** As it came. */
    first,
    /** Who alone can see it; `undefined` for a public one. */
    onlyFor,
    ephemeral: onlyFor !== undefined,
    /** The latest state, as Discord would return it. */
    get current() {
      return current;
    },
    get files() {
      return files;
    },
    /** Still "thinking…": deferred and not yet edited. */
    get loading() {
      return ((current.flags ?? 0) & MessageFlags.Loading) !== 0;
    },
    /** Resolves at the next change of the message. */
    changed: () => change.promise,
    /** The bytes of an attachment, by its file name. */
    file: (name: string) => [...files.values()].find(({ filename }) => filename === name)?.bytes,
    replace(next: APIMessage, nextFiles: StoredFiles): void {
      current = next;
      files = nextFiles;
      change.resolve();
      change = Promise.withResolvers();
    },
  };
}
