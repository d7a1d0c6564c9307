/** What Discord would answer to a request, and which of the 59 rules (`sandbox/discord/rules.ts`) it broke. */
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
