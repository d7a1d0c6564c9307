/** The parts of a message that people can see, including everything nested in them (Discord docs: Message Object). */
const VISIBLE_PARTS = ['content', 'embeds', 'components', 'poll', 'message_snapshots'];
const TEXT_FIELDS = ['content', 'title', 'description', 'name', 'value', 'text', 'label', 'placeholder'];

/**
 * Returns all the visible text of a message, one piece per line. Discord sends this text with the interaction, so the bot
 * doesn't need the message content intent.
 * @param message a message in Discord's format. Text is found by field name rather than by type, so new types of messages
 * and components work too
 */
export function messageText(message: unknown): string {
  const fields: Readonly<Record<string, unknown>> = Object(message);
  return VISIBLE_PARTS.flatMap((part) => texts(part, fields[part])).join('\n');
}

function texts(name: string, value: unknown): readonly string[] {
  if (typeof value === 'string') return value !== '' && TEXT_FIELDS.includes(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((each) => texts(name, each));
  if (name === 'message') return [messageText(value)];
  return Object.entries(Object(value)).flatMap(([inner, each]) => texts(inner, each));
}
