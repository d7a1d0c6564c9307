import { constants, existsSync, statSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';

/** What stands behind the name of a database's file in the names of the files that go with it. */
const BESIDE = ['', '-wal', '-shm', '.key', '.lock'];

/**
 * Why this process cannot write the database, and the very command that mends it, where the rights of its folder or of
 * a file in it are in the way; `undefined` where they are not.
 * @param path of the database's file
 */
export async function rightsTrouble(path: string): Promise<string | undefined> {
  const folder = resolve(dirname(path));
  const found = nearest(folder);
  if (!statSync(found).isDirectory()) return undefined;
  const names = [found, ...(found === folder ? BESIDE.map((suffix) => resolve(path) + suffix) : [])];
  for (const name of names) {
    const code = await access(name, wanted(name === found)).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code === 'EROFS') return readOnly(folder);
    if (code === 'EACCES' || code === 'EPERM') return notOurs({ name, folder, isThere: found === folder });
  }
  return undefined;
}

/** The command that gives something to the user that runs this process; a folder of the bot's with all that is in it. */
export function chownCommand(path: string): string {
  const { getuid, getgid } = process;
  return `sudo chown ${recursive(path)}${getuid?.() ?? 'USER'}:${getgid?.() ?? 'GROUP'} ${quoted(path)}`;
}

const wanted = (isFolder: boolean) =>
  constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : constants.F_OK);

/** The folder, or the one that it would be made in. */
function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

async function notOurs(about: { readonly name: string; readonly folder: string; readonly isThere: boolean }) {
  const { name, folder, isThere } = about;
  // Of a folder that is not there yet, and not of the one above it, which may be anybody's.
  const subject = !isThere || isShared(folder) === false ? folder : name;
  const { uid } = await stat(name);
  const ours = process.getuid?.();
  if (uid === ours && isThere) {
    return `its own user may not write ${name}. Run: chmod ${recursive(subject)}u+rwX ${quoted(subject)}`;
  }
  const make = isThere ? '' : `sudo mkdir -p ${quoted(folder)} && `;
  const container = isContainer()
    ? ` This is a container: run it on the host, for the folder that is mounted at ${folder}.`
    : '';
  const whose = `this process runs as user ${ours}, and ${name} belongs to user ${uid}`;
  return `${whose}. Run: ${make}${chownCommand(subject)}${container}`;
}

const readOnly = (folder: string) =>
  `${folder} is on a file system that is read-only. Mount a volume or a folder there, or name another place in STORE_URL.`;

/** Not all that is below it is the bot's. */
const isShared = (folder: string) => [process.cwd(), homedir(), dirname(folder)].includes(folder);

const recursive = (path: string) => (isShared(path) ? '' : '-R ');

const isContainer = () => existsSync('/.dockerenv') || existsSync('/run/.containerenv');

const quoted = (path: string) => (/^[\w./:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
