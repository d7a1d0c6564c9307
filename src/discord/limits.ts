import { escapeMarkdown } from 'discord.js';
import type { Choice, Reply } from './command.ts';

/** Discord's numbers for what a bot sends (Discord docs: Message resource, "Embed Limits"; Components). */
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
} as const;

const ELLIPSIS = '…';

/** The text cut to `max` code points, with an ellipsis where something was cut. */
export function shorten(text: string, max: number): string {
  // A string never has more code points than UTF-16 units, so most texts need no counting.
  if (text.length <= max) return text;
  const points = [...text];
  if (points.length <= max) return text;
  return points.slice(0, max - ELLIPSIS.length).join('') + ELLIPSIS;
}

/**
 * Someone else's text as it stands, on one line, with nothing in it that Discord would format, link or show
 * as a mention. Discord drops the backslash before any punctuation character.
 */
export function harmless(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return escapeMarkdown(line, { heading: true, bulletedList: true, numberedList: true, maskedLink: true })
    .replace(/[<@]/g, '\\$&')
    .replace(/^>/, '\\>')
    .replace(/:\/\//g, '\\://');
}

/** The choices that Discord takes: the first 25, names cut; a value is never cut, since it would mean another. */
export function fitChoices(choices: readonly Choice[]): Choice[] {
  return choices
    .filter(({ value }) => value !== '' && [...value].length <= LIMITS.choiceValue)
    .slice(0, LIMITS.choices)
    .map(({ name, value }) => ({ name: shorten(name, LIMITS.choiceName), value }));
}

/** The reply with every text cut to what Discord takes. */
export function fitReply(reply: Reply): Reply {
  return {
    ...reply,
    ...(reply.content !== undefined && { content: shorten(reply.content, LIMITS.content) }),
    ...(reply.embeds && { embeds: reply.embeds.map(fitEmbed) }),
  };
}

type Embed = NonNullable<Reply['embeds']>[number];

function fitEmbed(embed: Embed): Embed {
  const title = embed.title === undefined ? undefined : shorten(embed.title, LIMITS.embedTitle);
  const footer = embed.footer && { ...embed.footer, text: shorten(embed.footer.text, LIMITS.embedFooter) };
  const fields = (embed.fields ?? []).reduce((sum, field) => sum + field.name.length + field.value.length, 0);
  const taken = (title?.length ?? 0) + (footer?.text.length ?? 0) + fields;
  const room = Math.max(1, Math.min(LIMITS.embedDescription, LIMITS.embedTotal - taken));
  return {
    ...embed,
    ...(title !== undefined && { title }),
    ...(footer && { footer }),
    ...(embed.description !== undefined && { description: shorten(embed.description, room) }),
  };
}
