import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
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
/** Pterodactyl's "PTDL_v2", as far as the bot's egg has it. */
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

describe('the files that an operator is given', () => {
  it.each([
    ['dclint', ['compose.yaml', 'compose.scale.yaml']],
    ['dockerfile-utils', ['lint', 'Dockerfile']],
  ])('are such that %s has nothing to say', (program, args) => {
    const tool = join(ROOT, 'node_modules/.bin', program);
    expect(run(process.execPath, [tool, ...args])).toEqual({ status: 0, printed: '' });
  });

  it('have an egg whose variables the bot reads, whose Node is new enough, and whose word for "started" the bot says', async () => {
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

  it('install the version that they come with', () => {
    expect(file('ops/kubernetes.yaml')).toMatch(
      new RegExp(`^ *image: \\S+:${version.replaceAll('.', '\\.')}$`, 'm'),
    );
    const { variables } = eggSchema.parse(JSON.parse(file('ops/pterodactyl-egg.json')));
    const tag = variables.find(({ env_variable }) => env_variable === 'GIT_TAG');
    expect(tag?.default_value).toBe(`v${version}`);
  });

  it.each([
    'Dockerfile',
    'ops/server-listing-bot.service',
    'ops/pterodactyl-egg.json',
  ])('keep the temporary files of SQLite on the disk of the data: %s', (name) => {
    const [, folder = ''] = /SQLITE_TMPDIR=([^\s"]+)/.exec(file(name)) ?? [];
    expect(folder).not.toBe('');
    // The egg has the default of STORE_URL.
    const [, path = `${folder}/bot.sqlite`] = /STORE_URL=sqlite:\/\/(\S+)/.exec(file(name)) ?? [];
    expect(path).toBe(`${folder}/bot.sqlite`);
  });

  it('update several processes one after the other', () => {
    const command = 'up --detach --build --no-deps --wait bot-$n';
    for (const name of ['compose.scale.yaml', 'docs/operators.md']) expect(file(name)).toContain(command);
    const kubernetes = file('ops/kubernetes.yaml');
    expect(kubernetes).toMatch(/maxSurge: 1\n\s+maxUnavailable: 0\n/);
  });

  it('route to a process that lives, so that members are told while the database is away', async () => {
    expect(file('ops/Caddyfile')).toMatch(/^\s*health_uri \/livez$/m);
    expect(file('ops/kubernetes.yaml')).toMatch(/readinessProbe:\n\s+tcpSocket:\n\s+port: interactions\n/);

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

  it('have scripts of npm that need no shell of Unix', () => {
    const unix = /\b(?:bash|sh|export|rm|cp|mv|test) |[;|$`']|\.sh\b/;
    expect(Object.entries(scripts).filter(([, script]) => unix.test(script))).toEqual([]);
  });

  it('have a script that prints what the changelog says of a version', () => {
    const script = join(ROOT, 'ops/release-notes.ts');
    const first = run(process.execPath, [script]);
    expect(first.status).toBe(0);
    expect(first.printed).not.toBe('');
    expect(first.printed).not.toMatch(/^## /m);
    const printed = expect.stringContaining('CHANGELOG.md has no 99.0.0: it has ');
    expect(run(process.execPath, [script, '99.0.0'])).toEqual({ status: 1, printed });
  });
});
