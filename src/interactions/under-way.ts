import type { MessageKey } from './deliver.ts';

export type UnderWay = ReturnType<typeof createUnderWay>;

/** What this process is at work on. All else that is its own it tells of, as if it had been another's. */
export function createUnderWay() {
  /** By interaction, the message that it is to change, until its reply is ready. */
  const awaited = new Map<string, MessageKey | undefined>();
  return {
    /** @param message what its reply is written to */
    begin: (interactionId: string, message: MessageKey) => void awaited.set(interactionId, message),
    has: (interactionId: string) => awaited.has(interactionId),
    /** Whether a reply to this message is being made: another one would hide it. */
    isAwaited: (message: MessageKey) => [...awaited.values()].includes(message),
    /** Its reply is about to be written. */
    replyIsReady: (interactionId: string) => void awaited.set(interactionId, undefined),
    end: (interactionId: string) => void awaited.delete(interactionId),
  };
}
