/** The parts of a message that its readers see, each with whatever is inside of it (Discord docs: Message Object). */
const VISIBLE_PARTS = ['content', 'embeds', 'components', 'poll', 'message_snapshots'];
/** The texts of these parts, by their names: of embeds, of components with their labels, of a poll's answers. */
const TEXTS = ['content', 'title', 'description', 'name', 'value', 'text', 'label', 'placeholder'];

/**
 * All text of a message that its readers see, a part on each line: what was written, embeds, components, a poll, and the
 * same of a message that was forwarded. It comes with the interaction, so no intent to read messages is needed.
 * @param message as Discord sends it. Read by the names of its fields and not by types, so that a kind of message or
 * component that is newer than this bot is read too.
 */
export function messageText(message: unknown): string {
  const fields: Readonly<Record<string, unknown>> = Object(message);
  return VISIBLE_PARTS.flatMap((part) => texts(part, fields[part])).join('\n');
}

function texts(name: string, value: unknown): readonly string[] {
  if (typeof value === 'string') return value !== '' && TEXTS.includes(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((each) => texts(name, each));
  if (name === 'message') return [messageText(value)];
  return Object.entries(Object(value)).flatMap(([inner, each]) => texts(inner, each));
}
