import {
  buttonFlaws,
  emojiFlaws,
  isSelect,
  type Placed,
  placed,
  selectFlaws,
  uniqueIdFlaws,
} from './components.ts';
import { type Flaw, lengthOf, type Path, type Refusal, tooLong, urlFlaws } from './flaws.ts';
import { type ComponentBody, componentType } from './message-body.ts';

const { actionRow, button, textDisplay } = componentType;
const MAX_ROWS = 5;
/** Discord changelog 2025-04-29: components of a V2 message, nested ones included. */
const MAX_COMPONENTS = 40;
const MAX_TEXT = 4000;
/** Observed (discord-api-docs#8554): above it Discord answers 500. Each text display costs 12 bytes more. */
const MAX_TEXT_BYTES = 10_170;

export interface Placement {
  readonly v2: boolean;
  readonly fileNames: readonly string[];
  readonly at: Path;
}

/** Rules 34–36 for the components of a message. */
export function componentFlaws(components: readonly ComponentBody[], place: Placement): Flaw[] {
  const all = placed(components, place.at);
  return [
    ...(place.v2 ? v2Flaws(all, place) : legacyFlaws(components, place.at)),
    ...all.flatMap(({ component, path }) => oneFlaws(component, path)),
    ...uniqueIdFlaws(all),
  ];
}

/** Rule 36, the part that Discord answers with 500. */
export function checkTextBytes(components: readonly ComponentBody[]): Refusal | undefined {
  const texts = textsOf(placed(components, []));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 12, 0);
  return bytes > MAX_TEXT_BYTES
    ? { rule: 36, status: 500, code: 0, message: '500: Internal Server Error' }
    : undefined;
}

const textsOf = (all: readonly Placed[]): string[] =>
  all.flatMap(({ component }) => (component.type === textDisplay ? [component.content ?? ''] : []));

/** Without the V2 flag there are only action rows, at most five. */
function legacyFlaws(components: readonly ComponentBody[], at: Path): Flaw[] {
  const flaws: Flaw[] = components.flatMap(({ type }, index) =>
    type === actionRow
      ? []
      : [
          {
            rule: 36,
            path: [...at, index],
            code: 'UNION_TYPE_CHOICES',
            message: 'Value of field "type" must be one of (1,).',
          },
        ],
  );
  return components.length > MAX_ROWS ? [tooLong(34, at, MAX_ROWS), ...flaws] : flaws;
}

function v2Flaws(all: readonly Placed[], { at, fileNames }: Placement): Flaw[] {
  const flaws = all.flatMap(({ component, path }) => mediaFlaws(component, path, fileNames));
  const text = textsOf(all).reduce((sum, each) => sum + lengthOf(each), 0);
  if (all.length > MAX_COMPONENTS)
    flaws.push({
      rule: 36,
      path: at,
      code: 'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
      message: `The total number of components exceeds the maximum (${MAX_COMPONENTS})`,
    });
  if (text > MAX_TEXT)
    flaws.push({
      rule: 36,
      path: at,
      code: 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
      message: `Component displayable text size exceeds maximum size of ${MAX_TEXT}`,
    });
  return flaws;
}

function oneFlaws(component: ComponentBody, path: Path): Flaw[] {
  if (component.type === button)
    return [...buttonFlaws(component, path), ...emojiFlaws(component.emoji, path, 34)];
  if (isSelect(component)) return selectFlaws(component, path, 34);
  return component.type === actionRow ? rowFlaws(component.components ?? [], [...path, 'components']) : [];
}

/** A select is as wide as five buttons: what stands beside one does not fit into the row. */
function rowFlaws(children: readonly ComponentBody[], at: Path): Flaw[] {
  if (!children.some(isSelect)) return [];
  return children.slice(1).map((_, index) => ({
    rule: 34,
    path: [...at, index + 1],
    code: 'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
    message: 'The specified component exceeds the maximum width',
  }));
}

/** What a component shows must be an address, or a file that the message has. */
function mediaFlaws(component: ComponentBody, at: Path, names: readonly string[]): Flaw[] {
  const items = (component.items ?? []).map(({ media }, index) => ({
    url: media.url,
    path: [...at, 'items', index, 'media', 'url'],
  }));
  const { media, file } = component;
  if (media) items.push({ url: media.url, path: [...at, 'media', 'url'] });
  return [
    ...items.flatMap(({ url, path }) => urlFlaws(url, path, 36, ['http', 'https', 'attachment'])),
    ...(file ? urlFlaws(file.url, [...at, 'file', 'url'], 36, ['attachment']) : []),
    ...[...items, ...(file ? [{ url: file.url, path: [...at, 'file', 'url'] }] : [])]
      .filter(
        ({ url }) => url.startsWith('attachment://') && !isAmong(names, url.slice('attachment://'.length)),
      )
      .map(({ url, path }) => ({
        rule: 36,
        path,
        code: 'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND',
        message: `The referenced attachment ("${url}") was not found`,
      })),
  ];
}

/** Discord cleans names of files and of references alike, so `my file.png` finds `my_file.png`. */
const isAmong = (names: readonly string[], name: string): boolean =>
  names.map(cleaned).includes(cleaned(name));

const cleaned = (name: string): string => name.replaceAll(/[^\w.-]+/g, '_').replace(/^[._]+/, '');
