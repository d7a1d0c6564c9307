import { emojiFlaws } from './buttons.ts';
import { badLength, repeats } from './flaws.ts';
import { type ComponentBody, componentType } from './message-body.ts';
import type { Flaw, Path } from './refusal.ts';

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
