import type { Message } from 'discord.js';

/** The parts of a message that people read, as discord.js has them. */
export type ReadableMessage = Pick<Message, 'content' | 'embeds' | 'components' | 'messageSnapshots'>;

/** A component as Discord's API has it; only a text display has content of its own. */
interface Shown {
  readonly content?: string;
  readonly components?: readonly Shown[];
}

/**
 * All text of a message, a part on each line: what was written, embeds, text in components, and the same of a
 * message that was forwarded. It comes with the interaction, so no intent to read messages is needed.
 */
export function messageText(message: ReadableMessage): string {
  return partsOf(message)
    .filter((part) => part !== '')
    .join('\n');
}

function partsOf({ content, embeds, components, messageSnapshots }: ReadableMessage): string[] {
  return [
    content ?? '',
    ...embeds.flatMap(({ author, title, description, fields, footer }) => [
      author?.name ?? '',
      title ?? '',
      description ?? '',
      ...fields.flatMap(({ name, value }) => [name, value]),
      footer?.text ?? '',
    ]),
    ...components.flatMap((component) => textsIn(component.toJSON() as Shown)),
    ...[...messageSnapshots.values()].flatMap((snapshot) => partsOf(snapshot as ReadableMessage)),
  ];
}

const textsIn = ({ content = '', components = [] }: Shown): string[] => [
  content,
  ...components.flatMap(textsIn),
];
