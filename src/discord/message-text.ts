/**
 * All text of a message that its readers see, a part on each line: what was written, embeds, components with their
 * labels, a poll, and the same of a message that was forwarded. It comes with the interaction, so no intent to read
 * messages is needed.
 * @param message as Discord sends it (Discord docs: Message Object). Read by the names of its fields and not by types,
 * so that a kind of message or component that is newer than this bot is read too.
 */
export function messageText(message: unknown): string {
  return messageParts(message)
    .filter((part) => part !== '')
    .join('\n');
}

function messageParts(message: unknown): string[] {
  const { content, embeds, components, poll, message_snapshots } = fieldsOf(message);
  return [
    ...text(content),
    ...list(embeds).flatMap(embedParts),
    ...list(components).flatMap(componentParts),
    ...pollParts(poll),
    ...list(message_snapshots).flatMap((snapshot) => messageParts(fieldsOf(snapshot).message)),
  ];
}

function embedParts(embed: unknown): string[] {
  const { author, title, description, fields, footer } = fieldsOf(embed);
  return [
    ...text(fieldsOf(author).name),
    ...text(title),
    ...text(description),
    ...list(fields)
      .map(fieldsOf)
      .flatMap(({ name, value }) => [...text(name), ...text(value)]),
    ...text(fieldsOf(footer).text),
  ];
}

/** Text displays, buttons, selects with their options, pictures with their descriptions, and whatever holds these. */
function componentParts(component: unknown): string[] {
  const { content, label, placeholder, description, ...inner } = fieldsOf(component);
  const { components, component: only, accessory, options, items } = inner;
  const children = [...list(components), only, accessory, ...list(options), ...list(items)];
  return [
    ...[content, label, placeholder, description].flatMap(text),
    ...children.filter((child) => child instanceof Object).flatMap(componentParts),
  ];
}

function pollParts(poll: unknown): string[] {
  const { question, answers } = fieldsOf(poll);
  return [
    ...text(fieldsOf(question).text),
    ...list(answers).flatMap((answer) => text(fieldsOf(fieldsOf(answer).poll_media).text)),
  ];
}

const text = (value: unknown): string[] => (typeof value === 'string' ? [value] : []);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value);
