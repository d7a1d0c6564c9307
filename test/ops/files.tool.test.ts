import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../src/config/config.ts';
import { oneBot } from '../support/bot.ts';

const ROOT = join(import.meta.dirname, '../..');
const file = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const { scripts, engines, version } = z
  .object({
    scripts: z.record(z.string(), z.string()),
    engines: z.object({ node: z.string() }),
    version: z.string(),
  })
  .parse(JSON.parse(file('package.json')));

function run(program: string, args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', input });
  return { status, printed: stdout.trim() + stderr.trim() };
}

const text = z.string().min(1);
/** The parts of Pterodactyl's "PTDL_v2" format that the bot's egg uses. */
const eggSchema = z.object({
  meta: z.object({ version: z.literal('PTDL_v2') }),
  docker_images: z.record(text, z.string().regex(/nodejs_\d+$/)),
  startup: text,
  config: z.object({ files: text, startup: text, logs: text, stop: z.literal('^C') }),
  scripts: z.object({
    installation: z.object({ script: text, container: text, entrypoint: z.literal('bash') }),
  }),
  variables: z.array(
    z.object({
      name: text,
      description: text,
      env_variable: z.string().regex(/^[A-Z_]+$/),
      default_value: z.string(),
      user_viewable: z.boolean(),
      user_editable: z.boolean(),
      rules: text,
      field_type: z.literal('text'),
    }),
  ),
});

/** The parts of a compose file that the tests check. */
const composeSchema = z.object({
  services: z.record(
    text,
    z.object({
      image: text.optional(),
      build: z.object({ context: text }).optional(),
      env_file: z.array(z.object({ path: text, format: text })).optional(),
      depends_on: z.record(text, z.object({ condition: text })).optional(),
      healthcheck: z.object({ test: z.array(text) }).optional(),
    }),
  ),
});

describe('the deployment files', () => {
  it.each([
    ['dclint', ['compose.yaml', 'compose.scale.yaml', '--disable-rule=no-build-and-image']],
    ['dockerfile-utils', ['lint', 'Dockerfile']],
  ])('are accepted by %s', (program, args) => {
    const tool = join(ROOT, 'node_modules/.bin', program);
    expect(run(process.execPath, [tool, ...args])).toEqual({ status: 0, printed: '' });
  });

  it("include a Pterodactyl egg that matches the bot's variables and Node.js version", async () => {
    const egg = eggSchema.parse(JSON.parse(file('ops/pterodactyl-egg.json')));
    const least = Number(/\d+/.exec(engines.node)?.[0]);
    for (const image of Object.values(egg.docker_images)) {
      expect(Number(/\d+$/.exec(image)?.[0])).toBeGreaterThanOrEqual(least);
    }
    const flags = egg.startup.match(/--\S+/g) ?? [];
    expect(flags.length).toBeGreaterThan(0);
    for (const flag of flags) expect(scripts.start).toContain(flag);
    expect(run('bash', ['-n'], egg.scripts.installation.script)).toEqual({ status: 0, printed: '' });
    const { output } = await oneBot();
    await expect.poll(output).toContain(`"msg":"${JSON.parse(egg.config.startup).done}"`);

    const ours = egg.variables.filter(({ env_variable }) => !env_variable.startsWith('GIT_'));
    for (const { env_variable } of ours) {
      expect(file('.env.example')).toMatch(new RegExp(`^#?${env_variable}=`, 'm'));
    }
    const needed = { DISCORD_TOKEN: 'aaa.bbb.ccc', LISTING_API_URL: 'https://list.example.com' };
    const defaults = Object.fromEntries(ours.map((each) => [each.env_variable, each.default_value]));
    expect(readConfig({ ...defaults, ...needed }).backupEveryHours).toBe(24);
  });

  it('include a Kubernetes manifest for the current version', () => {
    expect(file('ops/kubernetes.yaml')).toMatch(
      new RegExp(`^ *image: \\S+:${version.replaceAll('.', '\\.')}$`, 'm'),
    );
  });

  it('include a systemd unit that can be adapted for a second bot', () => {
    const [, command = ''] =
      /^ *(sed 's#[\s\S]*?server-listing-bot\.service) \|$/m.exec(file('docs/tasks.md')) ?? [];
    const lines = (text: string) => text.split('\n').filter((line) => !line.startsWith('#'));
    const second = run('sh', ['-ec', command]).printed;
    const changed = lines(second).filter((line) => line.includes('other-bot'));
    expect(changed).toEqual([
      'User=other-bot',
      'Group=other-bot',
      'EnvironmentFile=/etc/other-bot.env',
      'Environment=STORE_URL=sqlite:///var/lib/other-bot/bot.sqlite',
      'Environment=SQLITE_TMPDIR=/var/lib/other-bot',
      'StateDirectory=other-bot',
    ]);
    expect(second).toContain('\nWorkingDirectory=/opt/server-listing-bot\n');
  });

  it('include a workflow that blocks a release with outdated translations', ({ skip }) => {
    if (run('jq', ['--version']).status !== 0) return skip('it needs jq');
    const [, filter = ''] =
      /jq --exit-status '([^']+)' src\/words\/due\.json/.exec(file('.github/workflows/image.yml')) ?? [];
    const check = (due: object) => run('jq', ['--exit-status', filter], JSON.stringify({ due }));
    expect(check({})).toMatchObject({ status: 0 });
    const failed = check({ de: { 'help.support': '12345678' } });
    expect(failed.status).not.toBe(0);
    expect(failed.printed).toContain('help.support');
  });

  describe.each(['compose.yaml', 'compose.scale.yaml'])('the Compose file %s', (name) => {
    /** The files are merged and interpolated (Compose specification: Fragments, Interpolation). */
    function read(env: Readonly<Record<string, string>>) {
      const interpolated = file(name).replace(
        /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
        (_, variable, sign, other) => {
          const value = env[variable] || (sign === '-' ? other : undefined);
          if (value === undefined) throw new Error(`${variable} is missing`);
          return value;
        },
      );
      return composeSchema.parse(parse(interpolated, { merge: true })).services;
    }
    const botsOf = (services: ReturnType<typeof read>) =>
      Object.entries(services).filter(([service]) => service.startsWith('bot'));

    it('builds an image unless BOT_IMAGE is set', () => {
      const BOT_HOST = 'bot.example.com';
      for (const [, bot] of botsOf(read({ BOT_HOST }))) {
        expect(bot).toMatchObject({ image: 'server-listing-bot', build: { context: '.' } });
      }
      const BOT_IMAGE = 'ghcr.io/owner/repository:0.3.0';
      const bots = botsOf(read({ BOT_HOST, BOT_IMAGE }));
      expect(bots.length).toBeGreaterThan(0);
      for (const [, bot] of bots) expect(bot.image).toBe(BOT_IMAGE);
    });

    it('passes .env to the bots unchanged', () => {
      for (const [, bot] of botsOf(read({ BOT_HOST: 'bot.example.com' }))) {
        expect(bot.env_file).toEqual([{ path: '.env', format: 'raw' }]);
      }
      expect(file(name)).toContain('Compose 2.30');
    });

    it('starts the bots only once the database is healthy', () => {
      const services = read({ BOT_HOST: 'bot.example.com' });
      const { database } = services;
      for (const [, bot] of botsOf(services)) {
        const wanted = database && { database: { condition: 'service_healthy' } };
        expect(bot.depends_on).toEqual(wanted);
      }
      if (database) expect(database.healthcheck?.test.slice(0, 2)).toEqual(['CMD', 'pg_isready']);
    });
  });

  it.each([
    'Dockerfile',
    'ops/server-listing-bot.service',
    'ops/pterodactyl-egg.json',
  ])("keep SQLite's temporary files on the same disk as the data: %s", (name) => {
    const [, folder = ''] = /SQLITE_TMPDIR=([^\s"]+)/.exec(file(name)) ?? [];
    expect(folder).not.toBe('');
    // The egg uses the default STORE_URL.
    const [, path = `${folder}/bot.sqlite`] = /STORE_URL=sqlite:\/\/(\S+)/.exec(file(name)) ?? [];
    expect(path).toBe(`${folder}/bot.sqlite`);
  });

  it('include instructions for updating processes one at a time', () => {
    const command = 'up --detach --build --no-deps --wait bot-$n';
    expect(file('docs/scaling.md')).toContain(command);
    const kubernetes = file('ops/kubernetes.yaml');
    expect(kubernetes).toMatch(/maxSurge: 1\n\s+maxUnavailable: 0\n/);
  });

  it('include health checks that keep live processes in rotation while the database is down', async () => {
    expect(file('ops/Caddyfile')).toMatch(/^\s*health_uri \/livez$/m);
    expect(file('ops/kubernetes.yaml')).toMatch(/readinessProbe:\n\s+tcpSocket:\n\s+port: interactions\n/);

    // Slow requests don't reach a process.
    expect(file('ops/Caddyfile')).toMatch(/^\s*read_body \d+s$/m);
    expect(file('ops/Caddyfile')).toMatch(/^\s*request_buffers 256KiB$/m);

    const server = createServer((request, response) => {
      response.writeHead(request.url === '/livez' ? 200 : 503).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const [, command = ''] =
      /^HEALTHCHECK [^[]*(\[.*\])$/m.exec(file('Dockerfile').replaceAll('\\\n', '')) ?? [];
    const [, flag, code] = z.array(z.string()).parse(JSON.parse(command));
    const check = async (env: Readonly<Record<string, string>>) => {
      const HTTP_PORT = String(Object(server.address()).port);
      const child = spawn(process.execPath, [String(flag), String(code)], { env: { ...env, HTTP_PORT } });
      return (await once(child, 'exit'))[0];
    };
    expect(await check({})).toBe(1);
    expect(await check({ INTERACTIONS: 'http' })).toBe(0);
  });

  it("include npm scripts that don't need a Unix shell", () => {
    const unix = /\b(?:bash|sh|export|rm|cp|mv|test) |[;|$`']|\.sh\b/;
    expect(Object.entries(scripts).filter(([, script]) => unix.test(script))).toEqual([]);
  });

  it("include a script that prints a version's changelog", () => {
    const script = join(ROOT, 'ops/release-notes.ts');
    const first = run(process.execPath, [script]);
    expect(first.status).toBe(0);
    expect(first.printed).not.toBe('');
    expect(first.printed).not.toMatch(/^## /m);
    const printed = expect.stringContaining("CHANGELOG.md doesn't have a section for 99.0.0, only for ");
    expect(run(process.execPath, [script, '99.0.0'])).toEqual({ status: 1, printed });
  });
});

it('the installation commands check out the newest version tag, or main if none exists', () => {
  const remote = mkdtempSync(join(tmpdir(), 'remote-'));
  onTestFinished(() => rmSync(remote, { recursive: true }));
  const git = (...args: readonly string[]) =>
    run('git', ['-C', remote, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args]);
  git('init', '--initial-branch=main');
  git('commit', '--allow-empty', '--message=first');
  const { scripts: egg, variables } = eggSchema.parse(JSON.parse(file('ops/pterodactyl-egg.json')));
  expect(variables.find(({ env_variable }) => env_variable === 'GIT_TAG')?.default_value).toBe('');
  const [ofEgg = ''] = /^if \[ -z[\s\S]*?^fi$/m.exec(egg.installation.script) ?? [];
  const [ofDocs = ''] = /^TAG=.*$/m.exec(file('docs/install.md')) ?? [];
  const [, ofUpdate = ''] = /^ *git checkout "\$\((.*)\)"$/m.exec(file('docs/operate.md')) ?? [];
  const found = () => [
    run('bash', ['-ec', `GIT_ADDRESS=${remote} GIT_TAG=; ${ofEgg}; echo $GIT_TAG`]).printed,
    run('sh', ['-ec', `${ofDocs.replace('$REPOSITORY', remote)}; echo \${TAG:-main}`]).printed,
    run('sh', ['-ec', `cd ${remote}; ${ofUpdate}`]).printed,
  ];
  expect(found()).toEqual(['main', 'main', 'FETCH_HEAD']);
  for (const tag of ['v0.9.0', 'v0.10.0', 'v0.11.0-rc.1', 'other']) git('tag', tag);
  expect(found()).toEqual(['v0.10.0', 'v0.10.0', 'v0.10.0']);
});
