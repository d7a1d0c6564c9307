import type { APIEmbed } from 'discord.js';
import { shorten, shortenMarkup } from '../words/escape.ts';

/**
 * Discord's numbers for what a bot sends (Discord docs: Message resource, "Embed Limits"; Components; Modals). Discord
 * counts code points, discord.js's builders UTF-16 units: what fits in UTF-16 units fits for both.
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
  fieldLabel: 45,
  fieldHint: 100,
  fieldExample: 100,
  /** Of each file, and so many files: Discord documents 10 MiB each and 25 MiB together, not inclusive. */
  fileBytes: 8_000_000,
  files: 3,
} as const;

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/**
 * The choices that Discord takes: the first 25, names cut; a value is never cut, since it would mean another. Of those
 * with the same name, for which Discord refuses all, the first stays.
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
    ...(message.embeds && { embeds: message.embeds.map(fitEmbed) }),
  };
}

/** The total of 6,000 is for all embeds of a message, and we send one. What comes later in the embed gives way. */
function fitEmbed(embed: APIEmbed): APIEmbed {
  let room: number = LIMITS.embedTotal;
  const take = (text: string, most: number, shortened = shortenMarkup): string => {
    const taken = shortened(text, Math.min(most, Math.max(room, 1)));
    room -= taken.length;
    return taken;
  };
  const { title, footer, description } = embed;
  return {
    ...embed,
    ...(title !== undefined && { title: take(title, LIMITS.embedTitle) }),
    ...(footer && { footer: { ...footer, text: take(footer.text, LIMITS.embedFooter, shorten) } }),
    ...(description !== undefined && { description: take(description, LIMITS.embedDescription) }),
  };
}
