import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { oneBot, textOf } from '../support/bot.ts';
import { unfinishedIn } from '../support/database.ts';
import { ACCEPTED, addServer, adds } from '../support/people.ts';
import { buildImage, type Image, run } from './image.ts';

const ROOT = join(import.meta.dirname, '../..');
const UNIT = join(ROOT, 'ops/server-listing-bot.service');
const USER = 1000;
/** Long enough to build an image and install packages. */
const LONG_MS = 300_000;

/** npm exits as soon as its shell does. The test then waits for the bot to finish. */
const NPM_ENDS = [null, 'SIGTERM'] as const;

const has = (program: string) => spawnSync(program, ['--version']).status === 0;
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const canConfine = isRoot && has('unshare') && has('setpriv');
const canVerify = canConfine && has('systemd-analyze');
if (!canVerify) process.stdout.write('The systemd path is skipped: it needs root, and systemd-analyze\n');

/** Checks that the process runs as this user, can't become another user, and can't write to its own program. */
function isConfined(pid: number, program: string): void {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  expect(status).toMatch(new RegExp(`^Uid:\\t${USER}\\t${USER}\\t`, 'm'));
  expect(status).toMatch(/^CapEff:\t0+$/m);
  expect(() => writeFileSync(`/proc/${pid}/root${program}/written`, '')).toThrow('EROFS');
}

const folder = mkdtempSync(join(tmpdir(), 'run-'));
/** The files in a clone, with the packages that `npm ci --omit=dev --ignore-scripts` installs. */
const clone = join(folder, 'clone');
beforeAll(() => {
  chmodSync(folder, 0o755);
  mkdirSync(clone);
  const files = run('git', ['-C', ROOT, 'ls-files', '--cached', '--others', '--exclude-standard']);
  for (const file of files.split('\n')) cpSync(join(ROOT, file), join(clone, file));
  run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', clone]);
}, LONG_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns a program that runs a shell script instead of the bot's command line. */
const script = (text: string) => ['sh', '-ec', text, 'sh'];
const quoted = (words: readonly string[]) =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');

/** Returns a script that runs another script with its own private mounts. */
const inOwnMounts = (text: string) => `exec unshare --mount sh -ec ${quoted([text])}`;

interface Path {
  /** Returns a script that uses `exec` to become the bot, with this environment. */
  readonly text: (about: { readonly port: number; readonly data: string }) => string;
  /** Checks with the installation's health check whether the bot is ready. */
  readonly probe?: (about: { readonly port: number; readonly data: string }) => boolean;
  /** Checks the process after it has started. */
  readonly onStart?: (pid: number) => void;
  /** How the bot must exit after SIGTERM. The default is status 0. */
  readonly ends?: readonly [status: number | null, signal: string | null];
  /** The user who owns the data. */
  readonly user?: number;
}

const isReady = async (port: number) =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts the bot, checks that it is ready, stops it with SIGTERM during a submission, and checks that nothing was lost. */
async function losesNothing({ text, probe, onStart, ends = [0, null], user }: Path): Promise<void> {
  const port = await quietPort();
  const data = mkdtempSync(join(folder, 'data-'));
  if (user !== undefined) chownSync(data, user, user);
  const about = { port, data };
  const bot = await oneBot({
    asProcess: true,
    data,
    wrapper: script(text(about)),
    start: false,
    env: { HTTP_PORT: String(port) },
  });
  expect(await isReady(port)).toBe(false);
  if (probe) expect(probe(about)).toBe(false);
  await bot.start();
  await expect.poll(() => isReady(port)).toBe(true);
  if (probe) expect(probe(about)).toBe(true);
  onStart?.(Number(bot.process.pid));
  const { member, listing } = await bot.newGuild({ key: 'sandbox-key' });
  const add = () => addServer(member, 'a.example.com:1');
  await listing.behave({ kind: 'slow', ms: 2_000 }, 1);
  const answer = add();
  const sent = () => adds(bot).length;
  await expect.poll(sent).toBe(1);
  const exit = await bot.process.stop('SIGTERM');
  expect([exit.status, exit.signal]).toEqual(ends);
  expect(textOf(await answer)).toContain(ACCEPTED);
  expect(await unfinishedIn(bot.store)).toEqual([]);
  await bot.start();
  expect(textOf(await add())).toMatch(/already submitted here.*sent for review.*a\.example\.com:1/s);
  expect(sent()).toBe(1);
  const end = await bot.process.stop('SIGTERM');
  expect([end.status, end.signal]).toEqual(ends);
}

describe('a plain installation', () => {
  it("doesn't lose data if `npm start` is stopped during a submission", async () => {
    // Uses the Node that runs this test, because the production packages don't contain one.
    const path = `${dirname(process.execPath)}:${process.env.PATH}`;
    await losesNothing({
      text: () => `cd ${clone} && PATH=${quoted([path])} exec npm start`,
      ends: NPM_ENDS,
    });
  });
});

describe.skipIf(!canVerify)('a systemd installation', () => {
  const unit = readFileSync(UNIT, 'utf8');
  const all = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  const [workingDirectory = ''] = all('WorkingDirectory');
  const [stateDirectory = ''] = all('StateDirectory');

  it("passes systemd's checks without warnings", () => {
    const verified = spawnSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8' });
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    // A threshold of 20 means an exposure level of 2.0.
    const security = ['security', '--offline=true', '--threshold=20', UNIT];
    expect(run('systemd-analyze', security)).toMatch(/Overall exposure level for \S+: [01]\.\d/);
  });

  /** A Node that reports version 20 to the bot. */
  const oldNode = `#!/bin/sh\nexec ${process.execPath} --import='data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.20.2"}})' "$@"\n`;
  writeFileSync(join(folder, 'old-node'), oldNode, { mode: 0o755 });
  it.each([
    ['a new Node', 'true', process.execPath],
    [
      'Node 20, after `npm ci`',
      `mount -t tmpfs tmpfs ${workingDirectory}/node_modules/.bin && cp ${process.execPath} ${workingDirectory}/node_modules/.bin/node`,
      join(folder, 'old-node'),
    ],
  ])("doesn't lose data if it is stopped during a submission (with %s)", async (_, install, node) => {
    // Imitates systemd on machines that don't have it: the folders, the user, the environment and the exact command.
    await losesNothing({
      user: USER,
      text: ({ data }) =>
        inOwnMounts(`mount -t tmpfs tmpfs /opt && mkdir -p ${workingDirectory} && mount --bind ${clone} ${workingDirectory}
        mount -t tmpfs tmpfs /var/lib && mkdir /var/lib/${stateDirectory}
        mount --bind ${data} /var/lib/${stateDirectory}
        mount -t tmpfs tmpfs /usr/local/bin && touch /usr/local/bin/node
        mount --bind ${node} /usr/local/bin/node
        ${install}
        mount -o remount,bind,ro ${workingDirectory} && mount -o remount,bind,ro /
        umask ${all('UMask')}
        cd ${workingDirectory}
        export ${all('Environment').join(' ')}
        exec setpriv --reuid=${USER} --regid=${USER} --clear-groups --no-new-privs --bounding-set=-all ${all('ExecStart')}`),
      onStart: (pid) => isConfined(pid, workingDirectory),
    });
  });
});

describe.skipIf(!canConfine)('a container', () => {
  const SKIPPED = 'it needs Docker or buildah, and the image node:26-slim';
  let image: Image | undefined;
  beforeAll(() => {
    const own = join(folder, 'image');
    mkdirSync(own);
    image = buildImage(own);
    if (image === undefined) process.stdout.write(`The container path is skipped: ${SKIPPED}\n`);
  }, LONG_MS);

  it("runs with a read-only root file system, and doesn't lose data when stopped", async ({ skip }) => {
    if (image === undefined) return skip(SKIPPED);
    const { root, config } = image;
    const { Cmd, Env, User, WorkingDir } = config;
    const [, ...healthcheck] = config.Healthcheck.Test;
    expect(User).toBe(`${USER}:${USER}`);
    await losesNothing({
      user: USER,
      text: ({ port, data }) =>
        inOwnMounts(`mount --bind ${root} ${root} && mount --bind ${data} ${root}/data && mount -t tmpfs tmpfs ${root}/tmp
        mount --rbind /proc ${root}/proc && mount --rbind /dev ${root}/dev && mount -o remount,bind,ro ${root}
        exec env ${quoted(Env)} HTTP_PORT=${port} chroot --userspec=${User} ${root} \
          sh -ec 'cd ${WorkingDir} && exec "$@"' sh ${quoted(Cmd)}`),
      probe: ({ port }) => {
        const inside = ['chroot', `--userspec=${User}`, root, 'env', `HTTP_PORT=${port}`, ...healthcheck];
        return spawnSync('env', [...Env, ...inside]).status === 0;
      },
      onStart: (pid) => isConfined(pid, WorkingDir),
    });
  });

  it("doesn't contain secrets, data, tests or development packages", ({ skip }) => {
    if (image === undefined) return skip(SKIPPED);
    const { root, config } = image;
    const program = join(root, config.WorkingDir);
    const shipped = ['CHANGELOG.md', 'LICENSE', 'commands', 'node_modules', 'package.json', 'src'];
    expect(readdirSync(program).sort()).toEqual(shipped.sort());
    expect(readdirSync(join(program, 'node_modules'))).not.toContain('vitest');
    const { uid, gid, mode } = statSync(join(root, 'data'));
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: USER, gid: USER, mode: 0o700 });
  });
});
