import { badLength, type Flaw, type Path, repeats, required, urlFlaws } from './flaws.ts';
import { type ComponentBody, componentType } from './message-body.ts';

export interface Placed {
  readonly component: ComponentBody;
  readonly path: Path;
}

/** Every component of a message or modal with where it is, parents before children. */
export function placed(components: readonly ComponentBody[], at: Path): Placed[] {
  return components.flatMap((component, index) => placedOne(component, [...at, index]));
}

function placedOne(component: ComponentBody, path: Path): Placed[] {
  const { accessory, component: child, components } = component;
  return [
    { component, path },
    ...placed(components ?? [], [...path, 'components']),
    ...(accessory ? placedOne(accessory, [...path, 'accessory']) : []),
    ...(child ? placedOne(child, [...path, 'component']) : []),
  ];
}

/** Rule 35: `custom_id`s are unique, those of disabled components included; so are `id`s (0 is "none"). */
export function uniqueIdFlaws(all: readonly Placed[]): Flaw[] {
  const flaw = (index: number, field: string, code: string, message: string): Flaw[] => {
    const path = all[index]?.path;
    return path === undefined ? [] : [{ rule: 35, path: [...path, field], code, message }];
  };
  return [
    ...repeats(all.map(({ component }) => component.custom_id)).flatMap((index) =>
      flaw(index, 'custom_id', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated'),
    ),
    ...repeats(all.map(({ component }) => component.id || undefined)).flatMap((index) =>
      flaw(index, 'id', 'COMPONENT_ID_DUPLICATED', 'Component id cannot be duplicated'),
    ),
  ];
}

const LINK = 5;
const PREMIUM = 6;

/** U+20E3 ends the keycaps: 1️⃣. */
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\u20e3/u;

/** Rule 34: which fields a button of each style must and must not have (Discord docs: Components, Button). */
export function buttonFlaws(button: ComponentBody, at: Path): Flaw[] {
  const { style, custom_id, url, sku_id, label, emoji } = button;
  const has = (value: unknown) => value !== undefined && value !== null;
  const flaw = (code: string, message: string, field?: string): Flaw => ({
    rule: 34,
    path: field === undefined ? at : [...at, field],
    code,
    message,
  });
  if (style === PREMIUM) {
    if (!has(sku_id)) return [required(34, [...at, 'sku_id'])];
    return has(custom_id) || has(url) || has(label) || has(emoji)
      ? [flaw('BUTTON_COMPONENT_PREMIUM_FIELDS', 'A premium button can only have a sku id')]
      : [];
  }
  const flaws: Flaw[] = [];
  if (has(custom_id) && has(url))
    flaws.push(
      flaw(
        'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
        'A custom id and url cannot both be specified',
      ),
    );
  else if (style === LINK) {
    if (!has(url)) flaws.push(flaw('BUTTON_COMPONENT_URL_REQUIRED', 'A url is required', 'url'));
    if (has(custom_id))
      flaws.push(flaw('BUTTON_COMPONENT_INVALID_CUSTOM_ID', 'A link button cannot have a custom id'));
  } else {
    if (!has(custom_id))
      flaws.push(flaw('BUTTON_COMPONENT_CUSTOM_ID_REQUIRED', 'A custom id is required', 'custom_id'));
    if (has(url)) flaws.push(flaw('BUTTON_COMPONENT_INVALID_URL', 'Only link buttons can have a url', 'url'));
  }
  if (has(sku_id))
    flaws.push(flaw('BUTTON_COMPONENT_INVALID_SKU', 'Only premium buttons can have a sku id', 'sku_id'));
  if (!label && !has(emoji))
    flaws.push(flaw('BUTTON_COMPONENT_INVALID', 'A button must have a label or an emoji'));
  return [...flaws, ...urlFlaws(url, [...at, 'url'], 34, ['http', 'https', 'discord'])];
}

/** A standard emoji is named by the character itself, one of a guild by its id. */
export function emojiFlaws(emoji: ComponentBody['emoji'], at: Path, rule: number): Flaw[] {
  if (!emoji || emoji.id || EMOJI.test(emoji.name ?? '')) return [];
  return [
    { rule, path: [...at, 'emoji', 'name'], code: 'COMPONENT_INVALID_EMOJI', message: 'Invalid emoji' },
  ];
}

const { stringSelect, userSelect, roleSelect, mentionableSelect, channelSelect } = componentType;
const SELECTS: readonly number[] = [stringSelect, userSelect, roleSelect, mentionableSelect, channelSelect];

export const isSelect = ({ type }: ComponentBody): boolean => SELECTS.includes(type);

/**
 * Rules 34 and 37: what is chosen from a list, in a message or a modal. Values are unique, min ≤ max (both 1 unless
 * said), a string select has at least as many options as may be chosen, no more are preselected than may be.
 */
export function selectFlaws(select: ComponentBody, at: Path, rule: number): Flaw[] {
  const { options, default_values, type } = select;
  const min = select.min_values ?? 1;
  // A group of check boxes lets all be ticked unless it says otherwise.
  const max = select.max_values ?? (type === componentType.checkboxGroup ? (options?.length ?? 1) : 1);
  const flaws: Flaw[] = [];
  if (min > max)
    flaws.push({
      rule,
      path: [...at, 'min_values'],
      code: 'NUMBER_TYPE_MAX',
      message: `int value should be less than or equal to ${max}.`,
    });
  if (options && type !== componentType.radioGroup && options.length < max)
    flaws.push(badLength(rule, [...at, 'options'], max, type === stringSelect ? 25 : 10));
  const chosen = default_values?.length ?? options?.filter((option) => option.default).length ?? 0;
  if (chosen > max || (default_values && chosen > 0 && chosen < min))
    flaws.push({
      rule,
      path: [...at, default_values ? 'default_values' : 'options'],
      code: 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES',
      message: `Between ${min} and ${max} values may be selected by default`,
    });
  for (const index of repeats((options ?? []).map(({ value }) => value)))
    flaws.push({
      rule,
      path: [...at, 'options', index],
      code: 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
      message: 'The specified option value is already used',
    });
  return [
    ...flaws,
    ...(options ?? []).flatMap((option, index) => emojiFlaws(option.emoji, [...at, 'options', index], rule)),
  ];
}

/** Rule 34, read strictly: the documents do not say whether a channel that is gone may be preselected. */
export function unknownDefaultFlaws(
  components: readonly ComponentBody[],
  at: Path,
  channelExists: (id: string) => boolean,
): Flaw[] {
  return components.flatMap((component, index) => {
    const here = [...at, index];
    const flaws = (component.default_values ?? []).flatMap(({ id, type }, which): Flaw[] =>
      type === 'channel' && !channelExists(id)
        ? [
            {
              rule: 34,
              path: [...here, 'default_values', which],
              code: 'SELECT_COMPONENT_INVALID_DEFAULT_VALUE',
              message: 'The specified default value is invalid',
            },
          ]
        : [],
    );
    return [
      ...flaws,
      ...unknownDefaultFlaws(component.components ?? [], [...here, 'components'], channelExists),
    ];
  });
}
