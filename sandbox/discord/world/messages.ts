import type { APIMessage } from 'discord.js';
import { type Bounds, createLatest } from './latest.ts';

/** Message flags (Discord docs: Message, Message Flags). */
export const SUPPRESS_EMBEDS = 1 << 2;
export const EPHEMERAL = 1 << 6;
export const LOADING = 1 << 7;
export const COMPONENTS_V2 = 1 << 15;

/** A message as one member sees it. It is live: an edit replaces `current`. */
export interface SeenMessage {
  readonly id: string;
  readonly channelId: string;
  /** The latest state, as Discord would return it; `undefined` once deleted. */
  readonly current: APIMessage | undefined;
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

/** A message in a channel, with the bytes of its attachments by attachment id. */
export interface StoredMessage {
  readonly id: string;
  readonly channelId: string;
  /** Who alone can see it; `undefined` for a public one. */
  readonly onlyFor: string | undefined;
  /** The latest state; `undefined` once deleted. */
  readonly current: APIMessage | undefined;
  readonly files: ReadonlyMap<string, StoredFile>;
  /** What members hold of it. */
  readonly seen: SeenMessage;
}

/** What happened to a message. Only `onlyFor` sees it; `undefined`: everybody in its channel does. */
export interface MessageEvent {
  readonly kind: 'message';
  readonly change: 'created' | 'edited' | 'deleted';
  readonly message: SeenMessage;
  readonly onlyFor: string | undefined;
}

export interface Messages {
  get(id: string): StoredMessage | undefined;
  all(): readonly StoredMessage[];
  /** The id of the last message of a channel that everybody sees. */
  lastIn(channelId: string): string | undefined;
  add(
    message: APIMessage,
    options: { readonly onlyFor?: string | undefined; readonly files?: ReadonlyMap<string, StoredFile> },
  ): StoredMessage;
  /** Replaces what the message says, and its files; `undefined` deletes it. */
  change(message: StoredMessage, next: APIMessage | undefined, files?: ReadonlyMap<string, StoredFile>): void;
}

export function createMessages(deps: {
  readonly bounds: Bounds;
  readonly onEvent: (event: MessageEvent) => void;
}): Messages {
  const { bounds, onEvent } = deps;
  // An interaction may hold its message for longer, but not the files.
  const latest = createLatest<Kept>(bounds, (message) => message.change(message.current, new Map()));
  const put = (message: Kept) => {
    const bytes = [...message.files.values()].reduce((sum, file) => sum + file.bytes.length, 0);
    latest.set(message.id, message, bytes);
  };

  const tell = (change: MessageEvent['change'], { seen, onlyFor }: StoredMessage) =>
    onEvent({ kind: 'message', change, message: seen, onlyFor });

  const lastIn = new Map<string, string>();
  return {
    get: (id) => latest.get(id),
    lastIn: (channelId) => lastIn.get(channelId),
    all: () => latest.all(),
    add(message, { onlyFor, files = new Map() }) {
      const added = keep(message, onlyFor, files);
      put(added);
      if (onlyFor === undefined) lastIn.set(message.channel_id, message.id);
      tell('created', added);
      return added;
    },
    change(message, next, files = message.files) {
      const kept = latest.get(message.id);
      if (kept === undefined) return;
      kept.change(next, files);
      put(kept);
      tell(next === undefined ? 'deleted' : 'edited', kept);
    },
  };
}

interface Kept extends StoredMessage {
  change(next: APIMessage | undefined, files: ReadonlyMap<string, StoredFile>): void;
}

function keep(
  first: APIMessage,
  onlyFor: string | undefined,
  firstFiles: ReadonlyMap<string, StoredFile>,
): Kept {
  let current: APIMessage | undefined = first;
  let files = firstFiles;
  let next = Promise.withResolvers<void>();

  const seen: SeenMessage = {
    id: first.id,
    channelId: first.channel_id,
    get current() {
      return current;
    },
    ephemeral: onlyFor !== undefined,
    get loading() {
      return ((current?.flags ?? 0) & LOADING) !== 0;
    },
    changed: () => next.promise,
    file: (name) => [...files.values()].find(({ filename }) => filename === name)?.bytes,
  };

  return {
    id: first.id,
    channelId: first.channel_id,
    onlyFor,
    get current() {
      return current;
    },
    get files() {
      return files;
    },
    seen,
    change(state, nextFiles) {
      current = state;
      files = nextFiles;
      const { resolve } = next;
      next = Promise.withResolvers<void>();
      resolve();
    },
  };
}
