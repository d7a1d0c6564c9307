import { repeats } from './flaws.ts';
import type { ComponentBody } from './message-body.ts';
import type { Flaw, Path } from './refusal.ts';

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
