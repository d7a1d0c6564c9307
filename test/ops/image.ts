import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The image as it was built, laid out as a folder. */
export interface Image {
  readonly root: string;
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  /** `NAME=value`, each. */
  readonly env: readonly string[];
  readonly user: string;
  readonly workingDir: string;
  remove(): void;
}

/**
 * Builds `Dockerfile` with buildah. No registry is asked: the base `node:26-slim` is made from the packages of Debian that
 * this machine has, and from the Node and the npm that run this test.
 */
export function buildImage(): Image {
  const folder = mkdtempSync(join(tmpdir(), 'image-'));
  const storage = [
    '--storage-driver',
    'vfs',
    '--root',
    join(folder, 'storage'),
    '--runroot',
    join(folder, 'run'),
  ];
  const buildah = (...args: readonly string[]) => run('buildah', [...storage, ...args]);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    makeBase(join(folder, 'base'));
    const base = buildah('from', 'scratch');
    buildah('copy', base, join(folder, 'base'), '/');
    // The machine's own certificates, should it need some of its own to reach the npm registry.
    buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt', base);
    buildah('commit', base, 'localhost/node:26-slim');
    const cache = run('npm', ['config', 'get', 'cache']);
    buildah(
      ...['build', '--isolation', 'chroot', '--pull=never', '--format', 'docker', '--tag', 'bot'],
      ...['--volume', `${cache}:/root/.npm`, ROOT],
    );
    const container = buildah('from', '--pull=never', 'bot');
    const root = buildah('mount', container);
    const { config } = JSON.parse(buildah('inspect', container)).Docker;
    return {
      root,
      command: config.Cmd,
      healthcheck: config.Healthcheck.Test.slice(1),
      env: config.Env,
      user: config.User,
      workingDir: config.WorkingDir,
      remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** What `node:26-slim` has and the Dockerfile needs: Debian's essential packages, Node, npm. */
function makeBase(folder: string): void {
  mkdirSync(join(folder, 'usr/local/bin'), { recursive: true });
  mkdirSync(join(folder, 'usr/local/lib/node_modules'), { recursive: true });
  const essential = readFileSync('/var/lib/dpkg/status', 'utf8')
    .split('\n\n')
    .filter((about) => /^Essential: yes$/m.test(about))
    .map((about) => /^Package: (.+)$/m.exec(about)?.[1] ?? '');
  const needed = run('apt-cache', [
    ...[
      'depends',
      '--recurse',
      '--installed',
      '--no-recommends',
      '--no-suggests',
      '--no-conflicts',
      '--no-breaks',
    ],
    ...['--no-replaces', '--no-enhances', ...essential, 'libatomic1', 'libstdc++6', 'ca-certificates'],
  ])
    .split('\n')
    .filter((line) => /^[a-z]/.test(line));
  const files = needed.flatMap((name) => {
    const { status, stdout } = spawnSync('dpkg-query', ['-L', name], { encoding: 'utf8' });
    return status === 0 ? stdout.split('\n') : [];
  });
  // Debian's packages name /bin and /lib, which are links by now.
  const usual = files.map((file) => file.replace(/^\/(bin|sbin|lib|lib64)(?=\/)/, '/usr/$1'));
  const list = [...new Set(usual), '/etc/passwd', '/etc/group', '/etc/ssl/certs/ca-certificates.crt'].filter(
    (file) => /^\/(?:usr|etc)\/(?!share\/(?:doc|man|locale|info)\/)/.test(file),
  );
  const archive = spawnSync('tar', ['--create', '--no-recursion', '--ignore-failed-read', '--files-from=-'], {
    input: list.join('\n'),
    cwd: '/',
    maxBuffer: 1 << 30,
  });
  run('tar', ['--extract', '--directory', folder], archive.stdout);
  for (const link of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${link}`, join(folder, link));
  for (const empty of ['tmp', 'proc', 'dev', 'root', 'run', 'var/tmp'])
    mkdirSync(join(folder, empty), { recursive: true });
  cpSync(process.execPath, join(folder, 'usr/local/bin/node'));
  cpSync(join(run('npm', ['root', '--global']), 'npm'), join(folder, 'usr/local/lib/node_modules/npm'), {
    recursive: true,
  });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm'));
  writeFileSync(join(folder, 'etc/hosts'), '127.0.0.1 localhost\n');
}

/** What a program prints; fails with its words when it fails. */
export function run(program: string, args: readonly string[], input?: Uint8Array): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    input: input ?? '',
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert(status === 0, `${program} ${args.join(' ')}: ${error?.message ?? ''}\n${stdout}\n${stderr}`);
  return stdout.trim();
}
