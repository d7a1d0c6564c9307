import { type APIMessage, MessageFlags } from 'discord.js';
import { createLatest } from './latest.ts';

/** A message as one member sees it. It is live: an edit replaces `current`. */
export interface SeenMessage {
  readonly id: string;
  readonly channelId: string;
  /** The latest state, as Discord would return it. */
  readonly current: APIMessage;
  readonly ephemeral: boolean;
  /** Still "thinking…": deferred and not yet edited. */
  readonly loading: boolean;
  /** Resolves at the next change of the message. */
  changed(): Promise<void>;
  /** The bytes of an attachment of this message, by its file name. */
  file(name: string): Buffer | undefined;
}

export interface StoredFile {
  readonly filename: string;
  readonly bytes: Buffer;
}
type StoredFiles = ReadonlyMap<string, StoredFile>;

/** A message in a channel, with the bytes of its attachments by attachment id. */
export interface StoredMessage {
  readonly id: string;
  readonly channelId: string;
  /** Who alone can see it; `undefined` for a public one. */
  readonly onlyFor: string | undefined;
  readonly current: APIMessage;
  readonly files: StoredFiles;
  /** What members hold of it. */
  readonly seen: SeenMessage;
}

/** What happened to a message. Only `onlyFor` sees it; `undefined`: everybody in its channel does. */
export interface MessageEvent {
  readonly kind: 'message';
  readonly change: 'created' | 'edited';
  readonly message: SeenMessage;
  readonly onlyFor: string | undefined;
}

interface Kept extends StoredMessage {
  current: APIMessage;
  files: StoredFiles;
  /** Resolved at the next change. */
  next: PromiseWithResolvers<void>;
}

export type Messages = ReturnType<typeof createMessages>;

export function createMessages({ onEvent }: { readonly onEvent: (event: MessageEvent) => void }) {
  const latest = createLatest<Kept>();
  return {
    get: (id: string): StoredMessage | undefined => latest.get(id),
    all: (): readonly StoredMessage[] => latest.all(),
    add(message: APIMessage, onlyFor?: string, files: StoredFiles = new Map()): StoredMessage {
      const kept = keep(message, onlyFor, files);
      latest.set(kept.id, kept);
      onEvent({ kind: 'message', change: 'created', message: kept.seen, onlyFor });
      return kept;
    },
    /** Replaces what the message says, and its files. */
    change({ id }: StoredMessage, next: APIMessage, files: StoredFiles): void {
      const kept = latest.get(id);
      if (kept === undefined) return;
      kept.current = next;
      kept.files = files;
      const { resolve } = kept.next;
      kept.next = Promise.withResolvers();
      resolve();
      onEvent({ kind: 'message', change: 'edited', message: kept.seen, onlyFor: kept.onlyFor });
    },
  };
}

function keep(first: APIMessage, onlyFor: string | undefined, files: StoredFiles): Kept {
  const { id, channel_id: channelId } = first;
  const seen: SeenMessage = {
    id,
    channelId,
    get current() {
      return kept.current;
    },
    ephemeral: onlyFor !== undefined,
    get loading() {
      return ((kept.current.flags ?? 0) & MessageFlags.Loading) !== 0;
    },
    changed: () => kept.next.promise,
    file: (name) => [...kept.files.values()].find(({ filename }) => filename === name)?.bytes,
  };
  const kept: Kept = {
    id,
    channelId,
    onlyFor,
    current: first,
    files,
    seen,
    next: Promise.withResolvers(),
  };
  return kept;
}
