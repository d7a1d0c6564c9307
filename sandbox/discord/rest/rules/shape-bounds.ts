import type { $ZodCheck, $ZodChecks, $ZodType, $ZodTypes } from 'zod/v4/core';
import type { Path } from './refusal.ts';

export interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/**
 * Both length bounds of what the schema has at a path. zod reports only the bound that was broken, but Discord
 * words the error by whether there are two ("Must be between 1 and 32 in length.").
 */
export function boundsAt(schema: $ZodType, path: Path, value: unknown): Bounds {
  const def = (schema as $ZodTypes)._zod.def;
  switch (def.type) {
    case 'optional':
    case 'nullable':
      return boundsAt(def.innerType, path, value);
    case 'lazy':
      return boundsAt(def.getter(), path, value);
    case 'union': {
      const branch = def.options.find((option) => accepts(option, value));
      return branch === undefined ? {} : boundsAt(branch, path, value);
    }
  }
  const [key, ...rest] = path;
  if (key === undefined) return Object.assign({}, ...(def.checks ?? []).map(boundOf));
  const next: unknown = Reflect.get(Object(value), key);
  if (def.type === 'object') {
    const field = def.shape[key];
    return field === undefined ? {} : boundsAt(field, rest, next);
  }
  if (def.type === 'array') return boundsAt(def.element, rest, next);
  if (def.type === 'record') return boundsAt(def.valueType, rest, next);
  return {};
}

function boundOf(check: $ZodCheck<never>): Bounds {
  const def = (check as $ZodChecks)._zod.def;
  if (def.check === 'min_length') return { minimum: def.minimum };
  return def.check === 'max_length' ? { maximum: def.maximum } : {};
}

/** Whether a branch of a union is the one for this value: by its `type` field, or by being a list. */
function accepts(schema: $ZodType, value: unknown): boolean {
  const def = (schema as $ZodTypes)._zod.def;
  if (def.type === 'lazy') return accepts(def.getter(), value);
  if (def.type === 'array') return Array.isArray(value);
  if (def.type !== 'object') return false;
  const type = (def.shape.type as $ZodTypes | undefined)?._zod.def;
  return type?.type === 'literal' && type.values.includes(Reflect.get(Object(value), 'type'));
}
