import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EMPTY_ROW } from '../../src/server-lists/row.ts';
import { createChoices } from '../../src/submissions/choices.ts';
import { partsOver, readyRow } from '../support/builders.ts';
import { kinds, newPlace, rowsIn } from '../support/database.ts';
import { folder, runFile } from '../support/machine.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', PROJECT, ...args], {
    maxBuffer: 64 * 1024 ** 2,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Returns a folder with the source code of 0.4.0, or `undefined` if the repository's history is missing. */
function release(): string | undefined {
  const path = folder();
  try {
    const commit = git('log', '--grep=^chore: release 0.4.0$', '--format=%H', '-1').toString().trim();
    execFileSync('tar', ['-x', '-C', path], { input: git('archive', commit, 'src', 'package.json') });
  } catch {
    return undefined;
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(path, 'node_modules'));
  return path;
}

const mia = { guildId: '1', user: { id: '2', name: 'mia' } };
const choices = {
  shape: 'people',
  candidates: [{ line: 2, typed: { ...EMPTY_ROW, server: 'player.example.com:1' }, words: 'Kestrel joined' }],
  game: 'cs2',
} as const;

describe.each(kinds())('version 0.4.0 with a newer database in %s', (kind) => {
  it.for([
    { rows: [readyRow(1, 'chosen.example.com')], servers: ['chosen.example.com'] },
    { rows: [], servers: [] },
  ])('only shows and sends the selected addresses: $servers', async ({ rows, servers }, { skip }) => {
    const path = release();
    if (path === undefined) return skip("it needs the repository's history");
    const place = await newPlace(kind);
    const { url } = place;
    const storeUrl = url.kind === 'sqlite' ? url.name : url.url.reveal();
    const store = await place.open();
    await partsOver(store).drafts.save(mia, { id: 'd', source: 'text', rows, hasChoices: true });
    await createChoices({ store }).save(mia, 'd', choices);
    // Only one process at a time can use a SQLite database.
    if (kind === 'sqlite') await store.stop();
    const { stdout, stderr } = await runFile(['test/storage/submit-with-release.ts'], {
      env: { RELEASE: path, STORE_URL: storeUrl, DRAFT: 'd' },
    });
    const { draft, sent }: { draft: { rows: object[] }; sent: { server: string }[] } = JSON.parse(
      stdout || stderr,
    );
    expect(draft.rows).toHaveLength(rows.length);
    expect(sent.map(({ server }) => server)).toEqual(servers);
    expect(stdout).not.toMatch(/player|Kestrel/);
    const after = kind === 'sqlite' ? await place.open() : store;
    expect(JSON.stringify([await rowsIn(after, 'servers'), await rowsIn(after, 'drafts')])).not.toContain(
      'player',
    );
  });
});
