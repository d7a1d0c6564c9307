import type { Choice, Reply } from './command.ts';

/**
 * Discord's numbers for what a bot sends (Discord docs: Message resource, "Embed Limits"; Components; Modals). Discord
 * counts code points, discord.js's builders UTF-16 units: what fits in UTF-16 units fits for both.
 */
export const LIMITS = {
  content: 2000,
  embedTitle: 256,
  embedDescription: 4096,
  embedFields: 25,
  embedFieldName: 256,
  embedFieldValue: 1024,
  embedFooter: 2048,
  embedTotal: 6000,
  choices: 25,
  choiceName: 100,
  choiceValue: 100,
  customId: 100,
  buttonLabel: 80,
  /** Discord docs: Reference, Uploading Files: of each; a server may have more. */
  fileBytes: 10 * 1024 * 1024,
  files: 10,
} as const;

const ELLIPSIS = '…';
const GRAPHEMES = new Intl.Segmenter();
/** UTF-16 units; the longest emoji there is takes 35. A longer pile of marks is cut between its code points. */
const LONGEST_GRAPHEME = 64;

/** The text cut to `max` UTF-16 units, between characters as people see them. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // Two units more tell whether what follows belongs to the last character.
  const { index = max } = GRAPHEMES.segment(text.slice(0, max + 2)).containing(max) ?? {};
  const isTorn = /[\ud800-\udbff]$/.test(text.slice(0, max));
  return text.slice(0, max - index <= LONGEST_GRAPHEME ? index : max - Number(isTorn));
}

/** The text cut to `max` UTF-16 units, with an ellipsis where something was cut. For text without markup. */
export const shorten = (text: string, max: number): string =>
  text.length <= max ? text : cut(text, max - ELLIPSIS.length) + ELLIPSIS;

/**
 * As {@link shorten}, for text of ours with markup in it: never cut within an escape, a mention or a piece of code,
 * whose contents would act without their closing backtick. Code with one backtick on each side is all we use.
 */
export function shortenMarkup(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = cut(text, max - ELLIPSIS.length);
  return kept.slice(0, openEnd(kept)) + ELLIPSIS;
}

/** Where something begins that does not end within the text; its length when all does. */
function openEnd(text: string): number {
  const whole = text.length;
  let [code, mention, backslash] = [whole, whole, whole];
  for (let i = 0; i < whole; i++) {
    const char = text[i];
    if (char === '`') code = code === whole ? i : whole;
    else if (code < whole) continue;
    else if (char === '<') mention = i;
    else if (char === '>') mention = whole;
    else if (char === '\\' && ++i === whole) backslash = i - 1;
  }
  return Math.min(code, mention, backslash);
}

/**
 * The choices that Discord takes: the first 25, names cut; a value is never cut, since it would mean another. Of those
 * with the same name, for which Discord refuses all, the first stays.
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

/** The reply with every text cut to what Discord takes. */
export function fitReply(reply: Reply): Reply {
  return {
    ...reply,
    ...(reply.content !== undefined && { content: shortenMarkup(reply.content, LIMITS.content) }),
    ...(reply.embeds && { embeds: reply.embeds.map(fitEmbed) }),
  };
}

type Embed = NonNullable<Reply['embeds']>[number];

/** The total of 6,000 is for all embeds of a message, and we send one. What comes later in the embed gives way. */
function fitEmbed(embed: Embed): Embed {
  let room: number = LIMITS.embedTotal;
  const take = (text: string, most: number, shortened = shortenMarkup): string => {
    const taken = shortened(text, Math.min(most, Math.max(room, 1)));
    room -= taken.length;
    return taken;
  };
  const { title, footer, description, fields } = embed;
  return {
    ...embed,
    ...(title !== undefined && { title: take(title, LIMITS.embedTitle) }),
    ...(footer && { footer: { ...footer, text: take(footer.text, LIMITS.embedFooter, shorten) } }),
    ...(description !== undefined && { description: take(description, LIMITS.embedDescription) }),
    ...(fields && {
      fields: fields.slice(0, LIMITS.embedFields).flatMap((field) => {
        // A field needs both of its texts.
        if (room < 2) return [];
        const name = take(field.name, Math.min(LIMITS.embedFieldName, room - 1));
        return [{ ...field, name, value: take(field.value, LIMITS.embedFieldValue) }];
      }),
    }),
  };
}
