import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Expression, parse, type VariableDeclarator } from 'acorn';

/** A regular expression in a source file. Properties that are only known at run time are absent. */
export interface FoundExpression {
  /** The line number, starting at 1. */
  readonly line: number;
  readonly pattern?: string | undefined;
  readonly flags?: string | undefined;
}

/** Methods that convert a string to a regular expression. */
const MAKE_ONE_OF_TEXT = new Set(['match', 'matchAll']);

/**
 * Finds every regular expression in a TypeScript file: literals, and calls to `RegExp` with a string built from literals,
 * templates, `String.raw`, `+` and constants in the file. Types are removed as in Node, without changing line numbers.
 */
export function expressionsIn(source: string): readonly FoundExpression[] {
  const program = parse(stripTypeScriptTypes(source), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
  });
  const constants = new Map<string, Expression>();
  const found: FoundExpression[] = [];

  visit(program, (node) => {
    if (node.type === 'VariableDeclaration' && node.kind === 'const') node.declarations.forEach(remember);
  });
  visit(program, (node) => {
    const line = node.loc?.start.line ?? 0;
    if (node.type === 'Literal' && node.regex) found.push({ line, ...node.regex });
    else if (node.type === 'NewExpression' || node.type === 'CallExpression') {
      const { callee } = node;
      const [first, second] = node.arguments;
      if (callee.type === 'Identifier' && callee.name === 'RegExp') {
        found.push({ line, pattern: textOf(first), flags: second ? textOf(second) : '' });
      }
      const method =
        callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name;
      const isExpression = first?.type === 'Literal' && first.regex;
      if (method && MAKE_ONE_OF_TEXT.has(method) && !isExpression && textOf(first) !== undefined) {
        found.push({ line });
      }
    }
  });
  return found;

  function remember({ id, init }: VariableDeclarator): void {
    if (id.type === 'Identifier' && init) constants.set(id.name, init);
  }

  /** Returns the string that a constant expression evaluates to. */
  function textOf(node: AnyNode | undefined): string | undefined {
    switch (node?.type) {
      case 'Literal':
        return typeof node.value === 'string' ? node.value : undefined;
      case 'Identifier':
        return textOf(constants.get(node.name));
      case 'BinaryExpression':
        return node.operator === '+' ? joined([textOf(node.left), textOf(node.right)]) : undefined;
      case 'TemplateLiteral':
        return joined(parts(node, ({ cooked }) => cooked ?? undefined));
      case 'TaggedTemplateExpression':
        return joined(parts(node.quasi, ({ raw }) => raw));
      default:
        return undefined;
    }
  }

  type Template = Extract<AnyNode, { type: 'TemplateLiteral' }>;
  type Piece = Template['quasis'][number]['value'];

  function parts({ quasis, expressions }: Template, read: (piece: Piece) => string | undefined) {
    return quasis.flatMap(({ value }, place) =>
      place < expressions.length ? [read(value), textOf(expressions[place])] : [read(value)],
    );
  }
}

const joined = (texts: readonly (string | undefined)[]): string | undefined =>
  texts.includes(undefined) ? undefined : texts.join('');

function visit(value: unknown, seen: (node: AnyNode) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, seen);
  else if (typeof value === 'object' && value !== null && 'type' in value) {
    seen(value as AnyNode);
    for (const child of Object.values(value)) visit(child, seen);
  }
}
