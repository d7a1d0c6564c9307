/** One element of `servers` as it came: field → text. */
export type ServerFields = ReadonlyMap<string, string>;

export interface ReadForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly servers: readonly ServerFields[];
}

/**
 * Reads a form as Rack does: `servers[][field]` belongs to the element before, unless that has the field already;
 * then a new element begins. `servers[0][field]` is read too; elements are then in the order of their numbers.
 * A `servers[]=text` is an element without fields.
 */
export function readForm(body: string): ReadForm {
  const fields = new Map<string, string>();
  const listed: Map<string, string>[] = [];
  const numbered = new Map<number, Map<string, string>>();
  for (const [name, value] of new URLSearchParams(body)) {
    const [, number, field] = /^servers\[(\d*)\](?:\[([^\]]+)\])?$/.exec(name) ?? [];
    if (number === undefined) fields.set(name, value);
    else if (field === undefined) listed.push(new Map());
    else if (number === '') elementFor(listed, field).set(field, value);
    else elementAt(numbered, Number(number)).set(field, value);
  }
  const inOrder = [...numbered].sort(([a], [b]) => a - b).map(([, element]) => element);
  return { fields, servers: [...inOrder, ...listed] };
}

function elementFor(elements: Map<string, string>[], field: string): Map<string, string> {
  const last = elements.at(-1);
  if (last !== undefined && !last.has(field)) return last;
  const next = new Map<string, string>();
  elements.push(next);
  return next;
}

function elementAt(elements: Map<number, Map<string, string>>, index: number): Map<string, string> {
  const element = elements.get(index) ?? new Map<string, string>();
  elements.set(index, element);
  return element;
}
