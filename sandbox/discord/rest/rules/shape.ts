import {
  type $ZodCheck,
  type $ZodChecks,
  type $ZodIssue,
  type $ZodType,
  type $ZodTypes,
  safeParse,
} from 'zod/v4/core';
import { badLength, type Flaw, lengthOf, notAChoice, type Path, required, tooLong } from './flaws.ts';

export interface Shape {
  /** One of Discord's own schemas. */
  readonly schema: $ZodType;
  /** The rule that a flaw at this path of the body (not counting `at`) breaks. */
  readonly rule: (path: Path) => number;
  /** Where the body sits in the request: `['data']` in a callback. */
  readonly at?: Path;
  /** Texts that Discord trims before it measures them. */
  readonly trims?: (path: Path) => boolean;
}

/**
 * What Discord's schema finds wrong with a body, in Discord's error codes. Unknown fields are ignored (rule 7).
 * Empty means that the body may be read as the type the schema describes.
 */
export function shapeFlaws(body: unknown, { schema, rule, at = [], trims = () => false }: Shape): Flaw[] {
  const result = safeParse(schema, body);
  if (result.success) return [];
  return result.error.issues
    .flatMap((issue) => locate(issue, [], body))
    .filter(({ issue, path }) => !isForgiven(issue, valueAt(body, path), path, trims(path)))
    .map(({ issue, path }) => {
      const flaw = translate(issue, { rule: rule(path), path, value: valueAt(body, path), schema, body });
      return { ...flaw, path: [...at, ...flaw.path] };
    });
}

export function valueAt(body: unknown, path: Path): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

export interface Located {
  readonly issue: $ZodIssue;
  readonly path: Path;
}

/** Of a union's branches, only the complaints of the one that the `type` field chose are Discord's. */
export function locate(issue: $ZodIssue, base: Path, body: unknown): Located[] {
  const path = [...base, ...(issue.path as (string | number)[])];
  if (issue.code !== 'invalid_union') return [{ issue, path }];
  const chosen = issue.errors.find((branch) => !branch.some(isAboutType));
  return chosen === undefined ? [{ issue, path }] : chosen.flatMap((inner) => locate(inner, path, body));
}

const isAboutType = (issue: $ZodIssue): boolean => issue.path.length === 1 && issue.path[0] === 'type';

/** Where the published schema is stricter than Discord. */
function isForgiven(issue: $ZodIssue, value: unknown, path: Path, trimmed: boolean): boolean {
  if (typeof value === 'string') {
    // zod counts UTF-16 units, Discord code points.
    if (issue.code === 'too_big') return lengthOf(trimmed ? value.trim() : value) <= Number(issue.maximum);
    // The documentation sends permissions as a string of digits, the schema has a number.
    if (path[0] === 'default_member_permissions') return /^\d{1,20}$/.test(value);
    // zod's ISO 8601 knows no offset and asks for seconds.
    if (issue.code === 'invalid_format' && issue.format === 'datetime')
      return /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d|$)/.test(value) && !Number.isNaN(Date.parse(value));
  }
  // The documentation's own example of an upload has `"id": 0`.
  return Number.isInteger(value) && path[0] === 'attachments' && path[2] === 'id';
}

interface Context {
  readonly rule: number;
  readonly path: Path;
  readonly value: unknown;
  readonly schema: $ZodType;
  readonly body: unknown;
}

function translate(issue: $ZodIssue, { rule, path, value, schema, body }: Context): Flaw {
  const flaw = (code: string, message: string): Flaw => ({ rule, path, code, message });
  if (value === undefined || value === null) return required(rule, path);
  const shown = typeof value === 'object' ? JSON.stringify(value) : String(value);
  switch (issue.code) {
    case 'invalid_union': {
      if (valueAt(value, ['type']) === undefined) return required(rule, [...path, 'type']);
      const types = issue.errors
        .flat()
        .flatMap((inner) =>
          inner.code === 'invalid_value' && isAboutType(inner) ? inner.values.map(Number) : [],
        )
        .sort((a, b) => a - b);
      const list = types.length === 1 ? `${types.join()},` : types.join(', ');
      return flaw('UNION_TYPE_CHOICES', `Value of field "type" must be one of (${list}).`);
    }
    case 'too_big':
    case 'too_small': {
      const tooMuch = issue.code === 'too_big';
      const bound = Number(issue.code === 'too_big' ? issue.maximum : issue.minimum);
      if (issue.origin !== 'string' && issue.origin !== 'array')
        return tooMuch
          ? flaw('NUMBER_TYPE_MAX', `int value should be less than or equal to ${bound}.`)
          : flaw('NUMBER_TYPE_MIN', `int value should be greater than or equal to ${bound}.`);
      const { minimum, maximum } = boundsAt(schema, path, body);
      if (minimum !== undefined && maximum !== undefined) return badLength(rule, path, minimum, maximum);
      return tooMuch
        ? tooLong(rule, path, bound)
        : flaw('BASE_TYPE_MIN_LENGTH', `Must be ${bound} or more in length.`);
    }
    case 'invalid_value':
      return notAChoice(rule, path, issue.values);
    case 'invalid_format':
      if (issue.format === 'url') return flaw('URL_TYPE_INVALID_URL', 'Not a well formed URL.');
      if (issue.format === 'datetime')
        return flaw('DATE_TIME_TYPE_PARSE', `Could not parse ${shown}. Should be ISO8601.`);
      // The only patterns in these schemas are snowflakes.
      return flaw('NUMBER_TYPE_COERCE', `Value "${shown}" is not snowflake.`);
    case 'invalid_type':
      return flaw(...wrongType(issue.expected, shown));
    default:
      return flaw('BASE_TYPE_INVALID', `Value "${shown}" is not valid.`);
  }
}

function wrongType(expected: string, shown: string): [code: string, message: string] {
  switch (expected) {
    case 'string':
      return ['STRING_TYPE_CONVERT', `Could not interpret "${shown}" as string.`];
    case 'array':
      return ['LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType'];
    case 'record':
      return ['DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType'];
    case 'boolean':
      return ['BOOLEAN_TYPE_CONVERT', 'Must be either true or false.'];
    case 'object':
      return ['MODEL_TYPE_CONVERT', 'Only dictionaries may be used in a ModelType'];
    default:
      return ['NUMBER_TYPE_COERCE', `Value "${shown}" is not int.`];
  }
}

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
