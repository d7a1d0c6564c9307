import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const OPENER = process.platform === 'darwin' ? 'open' : 'xdg-open';
const folder = await mkdtemp(join(tmpdir(), 'open-'));
afterAll(() => rm(folder, { recursive: true }));

it.skipIf(process.platform === 'win32')('the --open option opens the page in the browser', async () => {
  const opened = join(folder, 'opened');
  await writeFile(
    join(folder, OPENER),
    `#!/bin/sh\nprintf %s "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`,
  );
  await chmod(join(folder, OPENER), 0o755);
  const sandbox = spawn(process.execPath, ['sandbox/main.ts', '--open'], {
    env: { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let printed = '';
  sandbox.stdout.on('data', (chunk) => (printed += String(chunk)));
  await expect.poll(() => existsSync(opened), { timeout: 30_000 }).toBe(true);
  const address = await readFile(opened, 'utf8');
  expect(printed).toContain(`In a browser: ${address}\n`);
  const page = await fetch(address);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<script type="importmap">');
  sandbox.stdin.end('exit\n');
  expect(await once(sandbox, 'exit')).toEqual([0, null]);
});
