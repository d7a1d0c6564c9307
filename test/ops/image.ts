import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const BASE = 'docker.io/library/node:26-slim';
const TAG = 'server-listing-bot:test';

/** The image as it was built, laid out as a folder. */
export interface Image {
  readonly root: string;
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  /** `NAME=value`, each. */
  readonly env: readonly string[];
  readonly user: string;
  readonly workingDir: string;
}

/** What an image says of itself. */
interface ImageConfig {
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly Env: readonly string[];
  readonly User: string;
  readonly WorkingDir: string;
}

interface Built {
  readonly root: string;
  readonly config: ImageConfig;
}

const succeeds = (program: string, args: readonly string[]) => spawnSync(program, args).status === 0;

/**
 * Builds `Dockerfile` as it stands, with Docker or buildah.
 * @param folder for everything that is made
 * @returns `undefined` where neither runs here, or the image that `Dockerfile` begins with cannot be had
 */
export function buildImage(folder: string): Image | undefined {
  const built = withDocker(folder) ?? withBuildah(folder);
  if (built === undefined) return undefined;
  const { root, config } = built;
  return {
    root,
    command: config.Cmd,
    healthcheck: config.Healthcheck.Test.slice(1),
    env: config.Env,
    user: config.User,
    workingDir: config.WorkingDir,
  };
}

function withDocker(folder: string): Built | undefined {
  if (!succeeds('docker', ['info']) || !succeeds('docker', ['pull', BASE])) return undefined;
  const root = join(folder, 'root');
  const archive = join(folder, 'root.tar');
  mkdirSync(root);
  run('docker', ['build', '--tag', TAG, ROOT]);
  const container = run('docker', ['create', TAG]);
  run('docker', ['export', '--output', archive, container]);
  run('docker', ['rm', container]);
  run('tar', ['--extract', '--file', archive, '--directory', root]);
  const [image] = JSON.parse(run('docker', ['image', 'inspect', TAG]));
  return { root, config: image.Config };
}

function withBuildah(folder: string): Built | undefined {
  const storage = [
    '--storage-driver',
    'vfs',
    '--root',
    join(folder, 'storage'),
    '--runroot',
    join(folder, 'run'),
  ];
  if (!succeeds('buildah', [...storage, 'pull', BASE])) return undefined;
  const buildah = (...args: readonly string[]) => run('buildah', [...storage, ...args]);
  buildah('build', '--isolation', 'chroot', '--format', 'docker', '--tag', TAG, ROOT);
  const container = buildah('from', '--pull-never', TAG);
  const root = buildah('mount', container);
  return { root, config: JSON.parse(buildah('inspect', container)).Docker.config };
}

/** What a program prints; fails with its words when it fails. */
export function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert(status === 0, `${program} ${args.join(' ')}: ${error?.message ?? ''}\n${stdout}\n${stderr}`);
  return stdout.trim();
}
