import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const BASE = 'docker.io/library/node:26-slim';
const TAG = 'server-listing-bot:test';

export interface Image {
  /** The folder that contains the image's unpacked files. */
  readonly root: string;
  /** The configuration in the image. */
  readonly config: {
    readonly Cmd: readonly string[];
    readonly Healthcheck: { readonly Test: readonly string[] };
    /** Entries look like `NAME=value`. */
    readonly Env: readonly string[];
    readonly User: string;
    readonly WorkingDir: string;
  };
}

const succeeds = (program: string, args: readonly string[]) => spawnSync(program, args).status === 0;

/**
 * Builds `Dockerfile` with Docker or buildah.
 * @param folder the folder in which all files are created
 * @returns `undefined` if neither program can run here, or if the base image in `Dockerfile` isn't available
 */
export const buildImage = (folder: string): Image | undefined => withDocker(folder) ?? withBuildah(folder);

function withDocker(folder: string): Image | undefined {
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

function withBuildah(folder: string): Image | undefined {
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

/** Runs a program and returns its output. If the program fails, throws an error with its output. */
export function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert(status === 0, `${program} ${args.join(' ')}: ${error?.message ?? ''}\n${stdout}\n${stderr}`);
  return stdout.trim();
}
