import { type Flaw, isAt, lengthOf, type Path, required, urlFlaws } from './flaws.ts';
import type { EmbedBody } from './message-body.ts';

/** Discord docs: Message, Embed Limits: the sum over all embeds of a message. */
const MAX_TOTAL = 6000;

/** The texts of an embed that Discord trims before it measures them. */
export const isTrimmedText = (path: Path): boolean =>
  path[0] === 'embeds' &&
  (isAt(path.slice(2), 'title') ||
    isAt(path.slice(2), 'description') ||
    isAt(path.slice(2), 'footer', 'text') ||
    isAt(path.slice(2), 'author', 'name') ||
    isAt(path.slice(2), 'fields', '#', 'name') ||
    isAt(path.slice(2), 'fields', '#', 'value'));

/** Rule 33. The length of each text and the number of embeds and fields are in Discord's schema. */
export function embedFlaws(embeds: readonly EmbedBody[], at: Path): Flaw[] {
  const flaws = embeds.flatMap((embed, index) => [
    ...missingTexts(embed, [...at, index]),
    ...addresses(embed, [...at, index]),
  ]);
  const total = embeds.flatMap(textsOf).reduce((sum, text) => sum + lengthOf(text.trim()), 0);
  if (total > MAX_TOTAL)
    flaws.push({
      rule: 33,
      path: at,
      code: 'MAX_EMBED_SIZE_EXCEEDED',
      message: `Embed size exceeds maximum size of ${MAX_TOTAL}`,
    });
  return flaws;
}

/** Whether anything of an embed would be seen; Discord drops one of which nothing would. */
export const isVisible = (embed: EmbedBody): boolean =>
  textsOf(embed).some((text) => text.trim() !== '') ||
  Boolean(embed.image?.url ?? embed.thumbnail?.url ?? embed.timestamp);

const textsOf = ({ title, description, footer, author, fields }: EmbedBody): string[] => [
  title ?? '',
  description ?? '',
  footer?.text ?? '',
  author?.name ?? '',
  ...(fields ?? []).flatMap(({ name, value }) => [name, value]),
];

function missingTexts({ author, footer, fields }: EmbedBody, at: Path): Flaw[] {
  const need = (text: string | null | undefined, ...path: Path): Flaw[] =>
    text?.trim() ? [] : [required(33, [...at, ...path])];
  return [
    ...(author ? need(author.name, 'author', 'name') : []),
    ...(footer ? need(footer.text, 'footer', 'text') : []),
    ...(fields ?? []).flatMap(({ name, value }, index) => [
      ...need(name, 'fields', index, 'name'),
      ...need(value, 'fields', index, 'value'),
    ]),
  ];
}

function addresses({ url, author, footer, image, thumbnail }: EmbedBody, at: Path): Flaw[] {
  const web = ['http', 'https'];
  const media = [...web, 'attachment'];
  return [
    ...urlFlaws(url, [...at, 'url'], 33, web),
    ...urlFlaws(author?.url, [...at, 'author', 'url'], 33, web),
    ...urlFlaws(author?.icon_url, [...at, 'author', 'icon_url'], 33, media),
    ...urlFlaws(footer?.icon_url, [...at, 'footer', 'icon_url'], 33, media),
    ...urlFlaws(image?.url, [...at, 'image', 'url'], 33, media),
    ...urlFlaws(thumbnail?.url, [...at, 'thumbnail', 'url'], 33, media),
  ];
}
