import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Guild } from '../../../sandbox/discord/world/guilds.ts';
import type { Role } from '../../../sandbox/people.ts';
import { createFrontEnd } from '../../../sandbox/prompt/front-end.ts';
import { openSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { createBotInProcess } from '../../support/bot-in-process.ts';

let temporary: string;

beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'front-end-'));
});
afterAll(() => rm(temporary, { recursive: true }));

interface Run {
  readonly data?: string;
  readonly verbose?: boolean;
}

/** The prompt with a script on its input, as `npm run sandbox` has it, in this process. */
async function run(lines: readonly string[], { data, verbose }: Run = {}) {
  const sandbox = await openSandbox({ surroundings: process.env, data, createBot: createBotInProcess });
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const said = Promise.all([text(output), text(errors)]);
  try {
    const prompt = createFrontEnd({
      sandbox,
      input,
      output,
      errors,
      verbose: verbose ?? false,
      onInterrupt: () => {},
    });
    input.end(lines.map((line) => `${line}\n`).join(''));
    const status = await prompt.run();
    prompt.leave();
    await sandbox.close();
    output.end();
    errors.end();
    const [stdout, stderr] = await said;
    return { stdout, stderr, status };
  } finally {
    await sandbox.close();
  }
}

/** The transcript's parts: each line that was typed, with what came of it. */
function parts(stdout: string): { typed: string; shown: string }[] {
  return `\n${stdout}`
    .split('\n> ')
    .slice(1)
    .map((part) => {
      const [typed = '', ...shown] = part.split('\n');
      return { typed, shown: shown.join('\n') };
    });
}

describe('a script', () => {
  it('does the main job from the first key to a restart, in the words of the service', async () => {
    const { stdout, stderr, status } = await run([
      '/addserver game:cs2 server:play.example.com:27015',
      '/setkey',
      'wrong-key',
      '/setkey',
      'sandbox-key',
      '/games search:strike',
      '/addserver game:count?',
      '/addserver game:cs2 server:play.example.com:27015',
      '/addserver game:minecraft server:[2606:4700::6810:84e5]:25565 query_port:25566',
      '/addserver game:cs2 server:192.168.0.4:27015',
      'submitted',
      'restart',
      '/addserver game:rust server:play.example.org:28015',
    ]);
    const shown = parts(stdout);
    const expected: [string, string | RegExp][] = [
      ['/addserver game:cs2 server:play.example.com:27015', '/setkey'],
      ['/setkey', '┌ '],
      ['********', 'Invalid API key.'],
      ['/setkey', '┌ '],
      ['********', '(only you can see this) '],
      ['/games search:strike', 'Counter-Strike 2'],
      ['/addserver game:count?', /Counter-Strike 2.*cs2/],
      ['/addserver game:cs2 server:play.example.com:27015', 'Servers have been added for review.'],
      [
        '/addserver game:minecraft server:[2606:4700::6810:84e5]:25565 query_port:25566',
        'Servers have been added for review.',
      ],
      ['/addserver game:cs2 server:192.168.0.4:27015', '192.168.0.4'],
      [
        'submitted',
        '2 servers.\n  cs2  play.example.com:27015\n  minecraft  [2606:4700::6810:84e5]:25565  query port 25566',
      ],
      ['restart', 'on the same data'],
      ['/addserver game:rust server:play.example.org:28015', 'Servers have been added for review.'],
    ];
    expect(shown.map(({ typed }) => typed)).toEqual(expected.map(([typed]) => typed));
    for (const [i, [, words]] of expected.entries()) expect(shown[i]?.shown).toMatch(words);
    for (const key of ['wrong-key', 'sandbox-key']) {
      expect(stdout).not.toContain(key);
      expect(stderr).not.toContain(key);
    }
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('submits many servers from a file and from a message', async () => {
    const file = join(temporary, 'servers.txt');
    await writeFile(file, 'a.example.com:27015 cs2\nb.example.com:70000 cs2\nc.example.com:28015 rust\n');
    const { stdout, stderr, status } = await run([
      '/setkey',
      'sandbox-key',
      `/addservers file:${file}`,
      'press Submit 2 game servers',
      'message "Join d.example.com:27015 or connect 93.184.216.34:27016; password hidden!"',
      'apps "Submit servers"',
      'pick cs2',
      'press Submit 2 game servers',
      'submitted',
    ]);
    const [, , preview, report, , found, chosen, last, held] = parts(stdout);
    expect(preview?.shown).toContain('line 2: port 70000 is above 65535');
    expect(preview?.shown).toContain('[ Submit 2 game servers ]  [ Edit ]  [ Cancel ]');
    expect(report?.shown).toContain('✅ 2 sent for review');
    expect(found?.shown).toContain('2 game servers were found in the message.');
    expect(chosen?.shown).toContain('2 game servers are ready');
    expect(last?.shown).toContain('✅ 2 sent for review');
    for (const address of [
      'a.example.com:27015',
      'c.example.com:28015',
      'd.example.com:27015',
      '93.184.216.34:27016',
    ])
      expect(held?.shown).toContain(address);
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('goes on after a line that could not be understood, and ends with status 1', async () => {
    const { stdout, stderr, status } = await run([
      'frobnicate',
      '# a comment',
      '',
      'submited',
      'submitted',
      'exit',
      '/games',
    ]);
    expect(stderr).toContain('"frobnicate" was not understood.');
    expect(stderr).toContain('Did you mean submitted?');
    expect(stdout).toContain('The listing service holds 0 servers.');
    expect(stdout).not.toContain('/games');
    expect(status).toBe(1);
  });

  it('finds the data of an earlier run in the same folder', async () => {
    const data = join(temporary, 'kept');
    expect(await run(['/setkey', 'sandbox-key'], { data })).toMatchObject({ status: 0 });
    const { stdout, status } = await run(['/addserver game:cs2 server:a.example.com:27015'], { data });
    expect(stdout).toContain('Servers have been added for review.');
    expect(status).toBe(0);
    expect(await readdir(data)).toContain('bot.sqlite');
  });

  it('shows the whole log of the bot when that is wanted', async () => {
    expect((await run([], { verbose: true })).stderr).toContain('bot info: ');
    expect((await run([])).stderr).toBe('');
  });

  it('ends with status 1 where the bot broke a rule of Discord, which is told at once', async () => {
    const sandbox = await openSandbox({ surroundings: process.env, createBot: createBotInProcess });
    const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const told = text(errors);
    const prompt = createFrontEnd({ sandbox, input, output, errors, onInterrupt: () => {} });
    const running = prompt.run();
    try {
      const headers = { 'user-agent': 'DiscordBot (x, 1)', authorization: 'Bot nobody' };
      await fetch(`${sandbox.discord.apiUrl}/v10/users/@me`, { headers });
      input.end('submitted\n');
      expect(await running).toBe(1);
    } finally {
      await sandbox.close();
    }
    errors.end();
    expect(await told).toContain(
      '!!! A RULE OF DISCORD WAS BROKEN (rule 2)\n!!! GET /api/v10/users/@me → 401',
    );
  });
});

describe('at a terminal beside another front end', () => {
  let sandbox: Sandbox;
  let closeTerminal: () => Promise<void>;
  let type: (keys: string) => void;
  /** What came on the screen since this was asked for last. */
  let shown: () => string;

  beforeEach(async () => {
    sandbox = await openSandbox({ surroundings: process.env, createBot: createBotInProcess });
    const [input, output] = [new PassThrough(), new PassThrough()].map((stream) =>
      Object.assign(stream, { isTTY: true, columns: 40, rows: 24 }),
    );
    if (input === undefined || output === undefined) throw new Error('there are two');
    let screen = '';
    output.on('data', (chunk) => (screen += String(chunk)));
    shown = () => {
      const text = screen;
      screen = '';
      return text;
    };
    type = (keys) => void input.write(keys);
    const prompt = createFrontEnd({
      sandbox,
      input,
      output,
      errors: new PassThrough(),
      onInterrupt: () => {},
    });
    const running = prompt.run();
    closeTerminal = async () => {
      prompt.leave();
      await running;
      await sandbox.close();
    };
    await until('admin> ');
  });
  afterEach(() => closeTerminal());

  /** Everything up to where this is on the screen. */
  async function until(text: string): Promise<string> {
    let all = '';
    await expect.poll(() => (all += shown())).toContain(text);
    return all;
  }
  const elsewhere = (role: Role) =>
    sandbox.people.at({ role, guild: sandbox.discord.guilds[0] as Guild, locale: 'en-US' });

  it('messages come on the screen as they are written, and the line that is typed stays', async () => {
    type('/games sea');
    await until('/games sea');
    sandbox.discord.say(elsewhere('member'), 'hello from the page');
    expect(await until('/games sea')).toBe(
      '\r\u001b[Jmember: hello from the page\n\u001b[1G\u001b[0Jadmin> /games sea\u001b[18G',
    );
  });

  it('a line of several rows is cleared from its first row, and drawn again below', async () => {
    const line = `/addserver server:${'long.'.repeat(16)}example.com`;
    type(line);
    await until('example.com');
    sandbox.discord.say(elsewhere('member'), 'hello');
    const rows = Math.floor(`admin> ${line}`.length / 40);
    const screen = await until('example.com');
    expect(screen.startsWith(`\u001b[${rows}A\r\u001b[Jmember: hello${'\n'.repeat(rows + 1)}`)).toBe(true);
  });

  it('answers come once they are finished, private ones only to the same person', async () => {
    await elsewhere('member').slash('help');
    await elsewhere('admin').slash('games');
    const screen = await until('only you can see this');
    expect(screen).toContain('Listing Bot (admin used games):\n');
    expect(screen).not.toContain('member');
    expect(screen).not.toContain('thinking');
  });

  it('an own message and an own answer are shown once', async () => {
    type('message "hello from the prompt"\r/games\r');
    const answered = await until('only you can see this');
    sandbox.discord.say(elsewhere('member'), 'the end');
    const screen = answered + (await until('the end'));
    expect(screen.match(/^admin: hello from the prompt$/gm)).toHaveLength(1);
    expect(screen.match(/only you can see this/g)).toHaveLength(1);
    expect(screen).not.toContain('used');
  });

  it('a message from elsewhere can be used here, and what is done to it elsewhere is shown', async () => {
    type('/setkey\r');
    await until('(hidden)');
    type('sandbox-key-1234\r');
    await until('is saved');
    const preview = async (server: string) => {
      const file = { filename: 'list.txt', bytes: Buffer.from(`cs2 ${server}:27015\n`) };
      const answer = await elsewhere('admin').slash('addservers', { file });
      if (answer.kind !== 'message') throw new Error('no preview');
      await until('[ Submit 1 game server ]');
      return answer.message;
    };
    await preview('a.example.com');
    type('press Submit\r');
    await until('sent for review');
    const second = await preview('b.example.com');
    await elsewhere('admin').press(second, 'Submit 1 game server');
    await until('sent for review');
    expect(sandbox.listing.submitted.map(({ server }) => server)).toEqual(['a.example.com', 'b.example.com']);
  });
});
