import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from './hostile/random.ts';

/*
 * Changes one condition, bound or return of `src` and `commands` at a time, and says which changes no test notices. Run it
 * in a clone of its own: it writes into the files, and puts them back. `npm run mutants -- --seed 1 --count 60`
 */

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '60' } },
});
const random = createRandom(values.seed);

/** What is looked for on a line, and what is put in its place. */
const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/ === /, ' !== '],
  [/ !== /, ' === '],
  [/ < /, ' <= '],
  [/ <= /, ' < '],
  [/ > /, ' >= '],
  [/ >= /, ' > '],
  [/ && /, ' || '],
  [/ \|\| /, ' && '],
  [/ \+ 1\b/, ' + 2'],
  [/ - 1\b/, ' - 2'],
  [/\breturn true\b/, 'return false'],
  [/\breturn false\b/, 'return true'],
  [/^(\s+)return (?!undefined|;|\{$|\[$|\($|`$)(.+);$/, '$1return undefined as never;'],
  [/\bif \((?!.*\{ kind: )(.+)\) (return|throw|continue|break)/, 'if (false as boolean) $2'],
];
const IS_NO_CODE =
  /^\s*(\*|\/\/|\/\*|import |export \*|type |interface |readonly )|=>\s*\w+\s*[;,]?\s*\/\/|: '.*'$/;

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

const files = ['src', 'commands'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

const mutantsOf = (file: string): readonly Mutant[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((from, line) => {
      if (IS_NO_CODE.test(from)) return [];
      return CHANGES.filter(([what]) => what.test(from)).map(([what, instead]) => {
        return { file, line, from, to: from.replace(what, instead) };
      });
    });

/** Whether the tests of a project pass; the first failure ends them. */
async function passes(project: string): Promise<boolean> {
  const options = ['run', '--project', project, '--bail', '1', '--reporter', 'dot'];
  const child = spawn('npx', ['vitest', ...options], { stdio: 'ignore' });
  return new Promise((resolve) => child.once('exit', (status) => resolve(status === 0)));
}

async function survives({ file, line, to }: Mutant): Promise<boolean> {
  const whole = readFileSync(file, 'utf8');
  const lines = whole.split('\n');
  lines[line] = to;
  writeFileSync(file, lines.join('\n'));
  try {
    return (await passes('main')) && (await passes('alone'));
  } finally {
    writeFileSync(file, whole);
  }
}

const all = files.flatMap(mutantsOf);
const survivors: Mutant[] = [];
for (let done = 1; done <= Number(values.count); done += 1) {
  const [mutant] = all.splice(random.below(all.length), 1);
  if (mutant === undefined) break;
  const isAlive = await survives(mutant);
  if (isAlive) survivors.push(mutant);
  const where = `${mutant.file}:${mutant.line + 1}`;
  process.stdout.write(`${done} ${isAlive ? 'SURVIVED' : 'killed'} ${where} ${mutant.to.trim()}\n`);
}
process.stdout.write(`${survivors.length} of ${values.count} survived\n`);
