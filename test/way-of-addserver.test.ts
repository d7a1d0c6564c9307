import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { functionsRun } from './support/functions-run.ts';
import { openAppScene, textOf } from './support/scene.ts';

const root = join(import.meta.dirname, '..');

/** What everybody uses and nobody has to read on the way: a secret's value, a visible line, a pause, a refusal, the log. */
const LEAVES = [
  'src/secret.ts',
  'src/visible-line.ts',
  'src/pauses.ts',
  'src/user-error.ts',
  'src/logger.ts',
];

/** Files that one submission passes at most: what it has come to, and no more. */
const MOST_FILES = 30;

/** The files that CONTRIBUTING.md names on the page; a bare name stands in one of the folders named there. */
function filesOfThePage(): readonly string[] {
  const [, page = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('## The way of /addserver');
  const [text = ''] = page.split('\n## ');
  const names = [...new Set([...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name))];
  const folders = [...text.matchAll(/`((?:src|commands)\/(?:[\w-]+\/)*)/g)].map(([, folder = '']) => folder);
  return names.map(
    (name) =>
      ['', ...folders].map((folder) => folder + name).find((path) => existsSync(join(root, path))) ?? name,
  );
}

it('the way of /addserver names every file that one passes, and all of them are there', async () => {
  const scene = await openAppScene({ key: 'sandbox-key' });
  onTestFinished(() => scene.close());
  const submit = async (server: string) =>
    textOf(await scene.member.slash('addserver', { game: 'cs2', server }));
  // What a first interaction does only once is not measured.
  await submit('first.example.com:27015');
  const filesRun = async (server: string): Promise<ReadonlySet<string>> => {
    let said = '';
    const run = await functionsRun(async () => {
      said = await submit(server);
    });
    expect(said).toContain('Servers have been added for review.');
    return new Set(run.keys());
  };
  // What the bot does by itself, a second after its start, may run beside one of them.
  const one = await filesRun('second.example.com:27015');
  const passed = [...one.intersection(await filesRun('third.example.com:27015'))]
    .filter((file) => !LEAVES.includes(file))
    .sort();
  const named = filesOfThePage();
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(passed.filter((file) => !named.includes(file))).toEqual([]);
  expect(passed.length).toBeLessThanOrEqual(MOST_FILES);
});
