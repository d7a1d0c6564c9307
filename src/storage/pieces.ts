import { setImmediate } from 'node:timers/promises';

/** Deleting 500 interactions takes 5 ms. Deleting 100,000 in one piece blocks everything for 750 ms (measured). */
export const PIECE = 500;

/**
 * Repeats a piece of work until it returns false. SQLite blocks the event loop, so other work gets a turn between pieces.
 * @throws the abort reason if `stopping` is aborted before a piece
 */
export async function inPieces(piece: () => Promise<boolean>, stopping?: AbortSignal): Promise<void> {
  stopping?.throwIfAborted();
  while (await piece()) {
    await setImmediate();
    stopping?.throwIfAborted();
  }
}
