/**
 * Counts the characters that strings and regular expressions go through while something runs: a measure of its time
 * that is the same on every machine. Each call is counted once for the text it is given, which is what it costs because
 * `npm run check` lets only linear expressions pass; what this finds is text that is read over and over again.
 */
export async function stepsOf(run: () => unknown): Promise<number> {
  let steps = 0;
  const undo: (() => void)[] = [];

  function watch(owner: object, name: string, cost: (self: unknown, result: unknown) => number): void {
    const original = Reflect.get(owner, name) as (...given: unknown[]) => unknown;
    Reflect.set(owner, name, function watched(this: unknown, ...given: unknown[]) {
      const result = original.apply(this, given);
      steps += cost(this, result);
      return result;
    });
    undo.push(() => Reflect.set(owner, name, original));
  }

  const whole = (self: unknown) => String(self).length;
  const made = (_self: unknown, result: unknown) => String(result).length;
  for (const name of [
    'includes',
    'indexOf',
    'toLowerCase',
    'normalize',
    'toWellFormed',
    'trim',
    'replaceAll',
  ])
    watch(String.prototype, name, whole);
  watch(String.prototype, 'charCodeAt', () => 1);
  for (const name of ['slice', 'padEnd', 'concat']) watch(String.prototype, name, made);
  watch(Array.prototype, 'join', made);
  watchExec();
  try {
    await run();
  } finally {
    for (const each of undo) each();
  }
  return steps;

  /** All of test, replace, match and split go through this one: from where it began to where its match ends. */
  function watchExec(): void {
    const original = RegExp.prototype.exec;
    RegExp.prototype.exec = function watched(text) {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const match = original.call(this, text);
      // A sticky one looks at one place only.
      const to = match ? match.index + match[0].length : this.sticky ? from : text.length;
      steps += 1 + to - from;
      return match;
    };
    undo.push(() => {
      RegExp.prototype.exec = original;
    });
  }
}
