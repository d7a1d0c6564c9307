/** What Discord would answer to a request, and which of the 60 rules (`sandbox/discord/rules.ts`) it broke. */
export interface Refusal {
  readonly rule: number;
  /** HTTP status. */
  readonly status: number;
  /** Discord's JSON error code. */
  readonly code: number;
  readonly message: string;
  /** Nested as Discord nests: `{ data: { choices: { _errors: [{ code, message }] } } }`, array indexes as keys. */
  readonly errors?: ErrorTree;
}

/** A key is a field, an array index, or `_errors` for what is wrong with the value itself. */
export interface ErrorTree {
  readonly [key: string]: ErrorTree | readonly ErrorLeaf[];
}

export interface ErrorLeaf {
  readonly code: string;
  readonly message: string;
}

/** Where in the body: `['data', 'choices', 3, 'name']`. */
export type Path = readonly (string | number)[];

/** One thing that is wrong with a body. */
export interface Flaw extends ErrorLeaf {
  readonly rule: number;
  readonly path: Path;
}

/**
 * The answer 400/50035 to a body with these flaws; `undefined` when there are none.
 * The first flaw names the rule; all of them are told, as Discord does.
 */
export function invalidForm(flaws: readonly Flaw[]): Refusal | undefined {
  const first = flaws[0];
  if (first === undefined) return undefined;
  return {
    rule: first.rule,
    status: 400,
    code: 50035,
    message: 'Invalid Form Body',
    errors: errorTree(flaws),
  };
}

/** The nested `errors` object of Discord's answer (Discord docs: Reference, Error Messages). */
export function errorTree(flaws: readonly Flaw[]): ErrorTree {
  const root: MutableTree = { children: new Map(), leaves: [] };
  for (const { path, code, message } of flaws) {
    let node = root;
    for (const key of path) {
      const child = node.children.get(String(key)) ?? { children: new Map(), leaves: [] };
      node.children.set(String(key), child);
      node = child;
    }
    if (!node.leaves.some((leaf) => leaf.code === code && leaf.message === message))
      node.leaves.push({ code, message });
  }
  return plain(root);
}

interface MutableTree {
  readonly children: Map<string, MutableTree>;
  readonly leaves: ErrorLeaf[];
}

function plain({ children, leaves }: MutableTree): ErrorTree {
  const fields = [...children].map(([key, child]) => [key, plain(child)] as const);
  // fromEntries, not assignment: a field named __proto__ must stay a field.
  return Object.fromEntries(leaves.length > 0 ? [['_errors', leaves], ...fields] : fields);
}

/** Discord counts characters as Unicode code points: an emoji outside the BMP is one, not two. */
export const lengthOf = (text: string): number => [...text].length;

/** `#` in a path stands for any array index: `isAt(path, 'options', '#', 'name')`. */
export const isAt = (path: Path, ...shape: readonly string[]): boolean =>
  path.length === shape.length &&
  shape.every((key, index) => (key === '#' ? typeof path[index] === 'number' : path[index] === key));

export const required = (rule: number, path: Path): Flaw => ({
  rule,
  path,
  code: 'BASE_TYPE_REQUIRED',
  message: 'This field is required',
});

export const tooLong = (rule: number, path: Path, max: number): Flaw => ({
  rule,
  path,
  code: 'BASE_TYPE_MAX_LENGTH',
  message: `Must be ${max} or fewer in length.`,
});

export const badLength = (rule: number, path: Path, min: number, max: number): Flaw => ({
  rule,
  path,
  code: 'BASE_TYPE_BAD_LENGTH',
  message: `Must be between ${min} and ${max} in length.`,
});

export const notAChoice = (rule: number, path: Path, choices: readonly unknown[]): Flaw => ({
  rule,
  path,
  code: 'BASE_TYPE_CHOICES',
  message: `Value must be one of {${choices.join(', ')}}.`,
});

export const notAnInteger = (rule: number, path: Path, value: unknown): Flaw => ({
  rule,
  path,
  code: 'NUMBER_TYPE_COERCE',
  message: `Value "${String(value)}" is not int.`,
});

export const notAnObject = (rule: number, path: Path): Flaw => ({
  rule,
  path,
  code: 'MODEL_TYPE_CONVERT',
  message: 'Only dictionaries may be used in a ModelType',
});

/** The indexes at which a value comes again. `undefined` and `null` are not values. */
export function repeats(values: readonly unknown[]): number[] {
  const seen = new Set<unknown>();
  return values.flatMap((value, index) => {
    if (value === undefined || value === null) return [];
    if (seen.has(value)) return [index];
    seen.add(value);
    return [];
  });
}

/**
 * An address as Discord reads it: one of the schemes, and for http a host with a dot in it (`http://localhost` is
 * "not well formed"). What is no address at all has been found by the schema.
 */
export function urlFlaws(
  url: string | null | undefined,
  path: Path,
  rule: number,
  schemes: readonly string[],
): Flaw[] {
  if (!url) return [];
  const parsed = URL.parse(url);
  const malformed = { rule, path, code: 'URL_TYPE_INVALID_URL', message: 'Not a well formed URL.' };
  if (parsed === null) return [malformed];
  const scheme = parsed.protocol.slice(0, -1);
  if (!schemes.includes(scheme))
    return [
      {
        rule,
        path,
        code: 'URL_TYPE_INVALID_SCHEME',
        message: `Scheme "${scheme}" is not supported. Scheme must be one of (${schemes.map((each) => `'${each}'`).join(', ')}).`,
      },
    ];
  return scheme.startsWith('http') && !/[.:]/.test(parsed.hostname) ? [malformed] : [];
}
