import type { MessageKey } from './deliver.ts';

export type UnderWay = ReturnType<typeof createUnderWay>;

/** Tracks the interactions that this process is handling. after-crash.ts replies to its other interactions. */
export function createUnderWay() {
  /** The message that each interaction will write to; `undefined` once the reply is ready. */
  const awaited = new Map<string, MessageKey | undefined>();
  return {
    begin: (interactionId: string, message: MessageKey) => void awaited.set(interactionId, message),
    has: (interactionId: string) => awaited.has(interactionId),
    /** Whether a reply is being prepared for this message. A second reply would overwrite it. */
    isAwaited: (message: MessageKey) => [...awaited.values()].includes(message),
    replyIsReady: (interactionId: string) => void awaited.set(interactionId, undefined),
    end: (interactionId: string) => void awaited.delete(interactionId),
  };
}
