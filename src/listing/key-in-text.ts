import type { Secret } from '../secret.ts';
import type { AddOutcome, GamesOutcome } from './contract.ts';

/** Shorter ones are ordinary letters of any sentence; taking those out would only spoil the service's words. */
const SHORTEST = 8;

/**
 * The outcome without the key in its text, should the service have echoed it in a message or an address.
 * What is known of the error was read before, from the text as it came.
 */
export function withoutKey<Outcome extends AddOutcome | GamesOutcome>(
  outcome: Outcome,
  key: Secret,
): Outcome {
  if ('detail' in outcome) return { ...outcome, detail: strip(outcome.detail, key.reveal()) };
  if ('message' in outcome && !('known' in outcome)) {
    return { ...outcome, message: strip(outcome.message, key.reveal()) };
  }
  return outcome;
}

function strip(text: string, key: string): string {
  if (key.length < SHORTEST) return text;
  const inForm = new URLSearchParams({ key }).toString().slice('key='.length);
  return [key, encodeURIComponent(key.toWellFormed()), inForm, encodeURI(key.toWellFormed())].reduce(
    (left, form) => left.replaceAll(form, '[redacted]'),
    text,
  );
}
