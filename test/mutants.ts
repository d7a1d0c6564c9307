import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from './hostile/random.ts';

/*
 * Changes conditions, limits and return statements in `src` and `commands`, one at a time, and lists the changes that no
 * test detects. Works in a copy of the project, so interruptions don't leave changes in the working tree. `npm run mutants
 * -- --seed 1 --count 60 --in src/listing`
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    in: { type: 'string', default: '' },
  },
});
const random = createRandom(values.seed);

/** Patterns to find in a line, each with its replacement. */
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
  readonly to: string;
}

const mutantsOf = (file: string): readonly Mutant[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((from, line) => {
      if (IS_NO_CODE.test(from)) return [];
      return CHANGES.filter(([what]) => what.test(from)).map(([what, instead]) => {
        return { file, line, to: from.replace(what, instead) };
      });
    });

const all = ['src', 'commands']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((path) => path.endsWith('.ts') && path.startsWith(values.in))
  .flatMap(mutantsOf);

// Also used for temporary files, which interrupted tests leave behind.
const temporary = mkdtempSync(join(tmpdir(), 'mutants-'));
const copy = join(temporary, 'project');
cpSync('.', copy, { recursive: true, filter: (path) => !/^(\.git|node_modules)$/.test(path) });
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));

/** Whether these tests pass. They stop at the first failure. */
function passes(...which: readonly string[]): boolean {
  const options = [...which, '--run', '--passWithNoTests', '--bail', '1', '--reporter', 'dot'];
  const env = { ...process.env, TMPDIR: temporary, POLL_SECONDS: '60' };
  return spawnSync('npx', ['vitest', ...options], { cwd: copy, env, stdio: 'ignore' }).status === 0;
}

/**
 * Whether no test detects a mutant. The file's own tests run first, then all tests in their folder, because they detect most
 * mutants within seconds. In the main project, other tests run only if they import the file.
 */
function survives({ file, line, to }: Mutant): boolean {
  const whole = readFileSync(file, 'utf8');
  writeFileSync(join(copy, file), whole.split('\n').with(line, to).join('\n'));
  const tests = join('test', file.replace(/^src\//, '').replace(/ts$/, 'test.ts'));
  const inMain = [[tests], [join(dirname(tests), '/')], ['related', file]];
  const isAlive = inMain.every((which) => passes(...which, '--project=main')) && passes('--project=process');
  writeFileSync(join(copy, file), whole);
  return isAlive;
}

let survivors = 0;
const count = Math.min(Number(values.count), all.length);
for (let done = 1; done <= count; done += 1) {
  const [mutant] = all.splice(random.below(all.length), 1);
  if (mutant === undefined) break;
  const isAlive = survives(mutant);
  if (isAlive) survivors += 1;
  const { file, line, to } = mutant;
  process.stdout.write(`${done} ${isAlive ? 'SURVIVED' : 'killed'} ${file}:${line + 1} ${to.trim()}\n`);
}
rmSync(temporary, { recursive: true });
process.stdout.write(`${survivors} of ${count} survived\n`);
