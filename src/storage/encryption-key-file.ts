import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KEY_BYTES } from './encryption.ts';

/**
 * The key in the file, or `undefined` when there is no such file.
 * @throws Error when it cannot be read or holds something else; the text does not say what
 */
export async function readKeyFile(path: string): Promise<Buffer | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES)
    throw new Error(`${path} does not hold a key of ${KEY_BYTES} bytes in base64`);
  return key;
}

/** Whether others than its owner have any right to the file. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  return ((await stat(path)).mode & 0o077) !== 0;
}

/**
 * Makes a key and keeps it in a new file that only its owner may read. The file appears whole or not at all, and
 * never replaces another: when two processes do this at once, one of them finds the file of the other.
 * @returns whether this call made the file
 */
export async function makeKeyFile(path: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

/** Without this the name of a new file may be gone after a power cut, and with it every key that was sealed. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
