import { required } from './flaws.ts';
import type { ComponentBody } from './message-body.ts';
import type { Flaw, Path } from './refusal.ts';
import { urlFlaws } from './urls.ts';

const LINK = 5;
const PREMIUM = 6;

/** U+20E3 ends the keycaps: 1️⃣. */
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\u20e3/u;

/** Rule 34: which fields a button of each style must and must not have (Discord docs: Components, Button). */
export function buttonFlaws(button: ComponentBody, at: Path): Flaw[] {
  const { style, custom_id, url, sku_id, label, emoji } = button;
  const has = (value: unknown) => value !== undefined && value !== null;
  const flaw = (code: string, message: string, field?: string): Flaw => ({
    rule: 34,
    path: field === undefined ? at : [...at, field],
    code,
    message,
  });
  if (style === PREMIUM) {
    if (!has(sku_id)) return [required(34, [...at, 'sku_id'])];
    return has(custom_id) || has(url) || has(label) || has(emoji)
      ? [flaw('BUTTON_COMPONENT_PREMIUM_FIELDS', 'A premium button can only have a sku id')]
      : [];
  }
  const flaws: Flaw[] = [];
  if (has(custom_id) && has(url))
    flaws.push(
      flaw(
        'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
        'A custom id and url cannot both be specified',
      ),
    );
  else if (style === LINK) {
    if (!has(url)) flaws.push(flaw('BUTTON_COMPONENT_URL_REQUIRED', 'A url is required', 'url'));
    if (has(custom_id))
      flaws.push(flaw('BUTTON_COMPONENT_INVALID_CUSTOM_ID', 'A link button cannot have a custom id'));
  } else {
    if (!has(custom_id))
      flaws.push(flaw('BUTTON_COMPONENT_CUSTOM_ID_REQUIRED', 'A custom id is required', 'custom_id'));
    if (has(url)) flaws.push(flaw('BUTTON_COMPONENT_INVALID_URL', 'Only link buttons can have a url', 'url'));
  }
  if (has(sku_id))
    flaws.push(flaw('BUTTON_COMPONENT_INVALID_SKU', 'Only premium buttons can have a sku id', 'sku_id'));
  if (!label && !has(emoji))
    flaws.push(flaw('BUTTON_COMPONENT_INVALID', 'A button must have a label or an emoji'));
  return [...flaws, ...urlFlaws(url, [...at, 'url'], 34, ['http', 'https', 'discord'])];
}

/** A standard emoji is named by the character itself, one of a guild by its id. */
export function emojiFlaws(emoji: ComponentBody['emoji'], at: Path, rule: number): Flaw[] {
  if (!emoji || emoji.id || EMOJI.test(emoji.name ?? '')) return [];
  return [
    { rule, path: [...at, 'emoji', 'name'], code: 'COMPONENT_INVALID_EMOJI', message: 'Invalid emoji' },
  ];
}
