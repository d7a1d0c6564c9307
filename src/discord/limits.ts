import type { APIEmbed } from 'discord.js';
import { shorten, shortenMarkup } from '../words/escape.ts';

/**
 * Discord's limits of what a bot sends (Discord docs: Message resource, "Embed Limits"; Components; Modals). Discord counts
 * code points, discord.js's builders UTF-16 units: what fits in UTF-16 units fits both.
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
  customId: 100,
  buttonLabel: 80,
  selectPlaceholder: 150,
  modalTitle: 45,
  /** Of a text above the fields. */
  modalText: 4000,
  fieldLabel: 45,
  fieldHint: 100,
  fieldExample: 100,
  /** Bytes of a file, and files of a message: Discord takes less than 10 MiB each and 25 MiB together. */
  fileBytes: 8_000_000,
  files: 3,
} as const;

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/**
 * Fits choices into Discord's limits: the first 25, names cut. A value is never cut, since it would mean something else. Of
 * choices with the same name only the first stays, since Discord would refuse all choices.
 */
export function fitChoices(choices: readonly NamedValue[]): NamedValue[] {
  const byName = new Map<string, NamedValue>();
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

/** A message with every text cut to what Discord takes. */
export function fitTexts<Said extends MessageTexts>(message: Said): Said {
  return {
    ...message,
    ...(message.content !== undefined && { content: shortenMarkup(message.content, LIMITS.content) }),
    ...(message.embeds && { embeds: fitEmbeds(message.embeds) }),
  };
}

/** Cuts embeds to 6,000 in total, which all embeds of a message share, from their end. */
function fitEmbeds(embeds: readonly APIEmbed[]): APIEmbed[] {
  let capacity: number = LIMITS.embedTotal;
  const take = (text: string, most: number, shortened = shortenMarkup): string => {
    const taken = shortened(text, Math.min(most, capacity));
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
