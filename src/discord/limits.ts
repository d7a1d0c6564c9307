import type { APIEmbed } from 'discord.js';
import { shorten } from '../text/one-line.ts';
import { shortenMarkup } from '../words/escape.ts';

/**
 * Discord's limits for messages sent by a bot (Discord docs: Message resource, "Embed Limits"; Components; Modals). Discord
 * counts code points, and discord.js's builders count UTF-16 units. Text that fits in UTF-16 units also fits in code
 * points.
 */
export const LIMITS = {
  content: 2000,
  embedTitle: 256,
  embedDescription: 4096,
  embedFooter: 2048,
  embedTotal: 6000,
  choices: 25,
  choiceName: 100,
  choiceValue: 100,
  choiceDescription: 100,
  customId: 100,
  buttonLabel: 80,
  selectPlaceholder: 150,
  modalTitle: 45,
  /** For the text above the fields. */
  modalText: 4000,
  fieldLabel: 45,
  fieldHint: 100,
  fieldExample: 100,
  /** Maximum bytes per file. Discord allows 20 MiB, up from 10 MiB before September 2026 (discord-api-docs#8578). */
  fileBytes: 8_000_000,
} as const;

export interface Choice {
  readonly name: string;
  readonly value: string;
}

/**
 * Fits choices into Discord's limits by keeping the first 25 and shortening their names. Values are never shortened,
 * because that would change their meaning. If several choices have the same name, only the first is kept, because Discord
 * rejects duplicate names.
 */
export function fitChoices(choices: readonly Choice[]): Choice[] {
  const byName = new Map<string, Choice>();
  for (const { name, value } of choices) {
    const shown = shorten(name.trim() === '' ? value : name, LIMITS.choiceName);
    const fits = value.trim() !== '' && value.length <= LIMITS.choiceValue && !byName.has(shown);
    if (fits && byName.size < LIMITS.choices) byName.set(shown, { name: shown, value });
  }
  return [...byName.values()];
}

interface MessageTexts {
  readonly content?: string;
  readonly embeds?: readonly APIEmbed[];
}

export function fitTexts<Said extends MessageTexts>(message: Said): Said {
  return {
    ...message,
    ...(message.content !== undefined && { content: shortenMarkup(message.content, LIMITS.content) }),
    ...(message.embeds && { embeds: fitEmbeds(message.embeds) }),
  };
}

/** Shortens the last embeds first, because all embeds in a message share 6,000 characters. */
function fitEmbeds(embeds: readonly APIEmbed[]): APIEmbed[] {
  let capacity: number = LIMITS.embedTotal;
  const take = (text: string, maxLength: number, shortened = shortenMarkup): string => {
    const taken = shortened(text, Math.min(maxLength, capacity));
    capacity -= taken.length;
    return taken;
  };
  return embeds.flatMap((embed) => {
    if (capacity <= 0) return [];
    const { title, footer, description } = embed;
    return {
      ...embed,
      ...(title !== undefined && { title: take(title, LIMITS.embedTitle) }),
      ...(footer &&
        capacity > 0 && { footer: { ...footer, text: take(footer.text, LIMITS.embedFooter, shorten) } }),
      ...(description !== undefined &&
        capacity > 0 && { description: take(description, LIMITS.embedDescription) }),
    };
  });
}
