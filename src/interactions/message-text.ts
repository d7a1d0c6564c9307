/** The parts of a message that people see, including everything inside them (Discord docs: Message Object). */
const VISIBLE_PARTS = ['content', 'embeds', 'components', 'poll', 'message_snapshots'];
/** The names of the text fields in these parts: embeds, components with their labels, and poll answers. */
const TEXTS = ['content', 'title', 'description', 'name', 'value', 'text', 'label', 'placeholder'];

/**
 * Returns all text of a message that people see, one part per line: its content, embeds, components, a poll, and the same
 * from a forwarded message. Discord sends the text with the interaction, so the bot doesn't need an intent to read
 * messages.
 * @param message in Discord's format. It is read by field names instead of types, so that types of messages or components
 * that are newer than this bot can be read too.
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
