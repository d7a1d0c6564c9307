import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadLine } from '../../../sandbox/prompt/bad-line.ts';
import { complete } from '../../../sandbox/prompt/completion.ts';
import { createPrompt, type Prompt } from '../../../sandbox/prompt/prompt.ts';
import { NoAnswer } from '../../../sandbox/prompt/session.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/sandbox.ts';
import { createBotInProcess } from '../../support/bot-in-process.ts';

let sandbox: Sandbox;
/** A sandbox with a bot for the tests of a `describe`. */
function withSandbox(options: Pick<SandboxOptions, 'createBot'> = {}): void {
  beforeAll(async () => {
    sandbox = await openSandbox({ surroundings: process.env, discord: { reactionMs: 0 }, ...options });
    await sandbox.startBot();
  });
  afterAll(async () => {
    await sandbox.close();
    expect(sandbox.discord.breaches).toEqual([]);
  });
}

/** Somebody new at the prompt; `type` resolves to what came of a line. */
function sitDown({ patienceMs = 20_000 } = {}) {
  let shown: string[] = [];
  const prompt = createPrompt({ sandbox, print: (text) => shown.push(text), patienceMs });
  async function type(line: string): Promise<string> {
    shown = [];
    await prompt.run(line);
    return shown.join('\n');
  }
  return { prompt, type };
}

async function refusal(prompt: Prompt, line: string): Promise<string> {
  const error = await prompt.run(line).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BadLine);
  return (error as BadLine).message;
}

describe('at the prompt', () => {
  withSandbox({ createBot: createBotInProcess });

  it('people see what they may use', async () => {
    const { type } = sitDown();
    expect(await type('/setkey')).toContain('┌ ');
    expect(await type('')).toBe('(the modal was closed)');
    expect(await type('as member')).toBe('You are member in guild 1, First guild.');
    expect(await type('/setkey')).toBe('Your Discord does not offer /setkey to member here.');
    expect(await type('guild 2')).toContain('You are member in guild 2');
    expect(await type('/addserver game:cs2')).toBe('Discord does not send this: server is required');
  });

  it('buttons are pressed by their labels, on the message seen last', async () => {
    const { prompt, type } = sitDown();
    expect(await refusal(prompt, 'press Next')).toContain('run a command first');
    await type('/setkey');
    await type('sandbox-key');
    const first = await type('/games');
    expect(first).toContain('[ Next ]');
    expect(first).toContain('Page 1 of');
    expect(await type('press next')).toContain('Page 2 of');
    expect(await type('press Prev')).toContain('Page 1 of');
    expect(await refusal(prompt, 'press Buy')).toContain('There is no button "Buy"; there is "Next".');
    expect(await refusal(prompt, 'pick cs2')).toBe(
      'The last message is not one with a select that can be used.',
    );
  });

  it('channels are closed to the bot, opened, chosen, read and deleted', async () => {
    const { prompt, type } = sitDown();
    await type('/settings');
    expect(await type('forbid #staff embed')).toBe('In #staff the bot may no longer: embed.');
    expect(await type('pick #staff')).toContain('lacks this permission: Embed Links');
    expect(await type('allow #staff')).toContain('may do what it may by default');
    expect(await type('read #staff')).toBe('Nothing is written in #staff.');
    expect(await type('pick #staff')).toContain('✅ Log channel: #staff.');
    expect(await type('read #staff')).toContain('this channel is the log of this bot');
    expect(await refusal(prompt, 'read #elsewhere')).toContain(
      'there is #general, #staff, #news, #questions.',
    );
    expect(await refusal(prompt, 'forbid #staff fun')).toContain('view, send or embed');
    expect(await type('press No log channel')).toContain('Log channel: none');
    expect(await type('delete #staff')).toBe('#staff was deleted.');
    expect(await refusal(prompt, 'read #staff')).toContain('there is #general, #news, #questions.');
  });

  it('the language of the answers is that of the Discord of the person', async () => {
    const { type } = sitDown();
    const english = await type('/addserver game:cs2 server:192.168.0.4:27015');
    await type('language de');
    const german = await type('/addserver game:cs2 server:192.168.0.4:27015');
    expect(german).toContain('192.168.0.4');
    expect(german).not.toBe(english);
  });

  it('somebody who changes their language stays who they are', async () => {
    const { prompt, type } = sitDown();
    const { userId } = prompt.session.me();
    await type('/setkey');
    await type('sandbox-key-1234');
    await type('/addserver game:cs2 server:mine.example.com:27015');
    await type('as other');
    expect(await type('/submissions')).not.toContain('mine.example.com');
    await type('language de');
    await type('as admin');
    expect(prompt.session.me().userId).toBe(userId);
    expect(await type('/einreichungen mitglied:admin')).toContain('mine.example.com');
  });

  it('somebody is named where a command takes a member', async () => {
    const { prompt, type } = sitDown();
    await type('as member');
    await type('/addserver game:cs2 server:members.example.com:27015');
    await type('as admin');
    expect(await type('/submissions member:member')).toContain('members.example.com');
    expect(await type('/submissions member:@Other')).not.toContain('members.example.com');
    expect(await type('/submissions member:nobody')).toBe(
      'Discord does not send this: member: there is nobody named "nobody" here; there is admin, member, other.',
    );
    expect(await complete('/submissions member:me', prompt.session)).toMatchObject({ words: ['member'] });
  });

  it('commands go by the names that the language gives them, and by their own', async () => {
    const { prompt, type } = sitDown();
    await type('language de');
    expect(await type('/server-eintragen spiel:cs2 server:192.168.0.4:27015')).toContain('192.168.0.4');
    expect(await type('/addserver game:cs2 server:192.168.0.4:27015')).toContain('192.168.0.4');
    expect(await type('help')).toContain('/server-eintragen spiel:… server:… [port:…] [abfrage-port:…]');
    expect(await complete('/server-e', prompt.session)).toMatchObject({ words: ['/server-eintragen '] });
    expect(await complete('/server-eintragen ', prompt.session)).toMatchObject({
      words: ['spiel:', 'server:', 'port:', 'abfrage-port:'],
    });
    await type('message "a.example.com:27015"');
    expect(await type('apps "Server einreichen"')).toContain('a.example.com');
    expect(await type('apps "Submit servers"')).toContain('a.example.com');
  });

  it('each person has a screen of their own, with the message that they saw last', async () => {
    const { prompt, type } = sitDown();
    expect(await type('/games')).toContain('[ Next ]');
    await type('as other');
    expect(await refusal(prompt, 'press Next')).toContain('run a command first');
    await type('as admin');
    expect(await type('press Next')).toContain('Page 2 of');
  });

  it('a list is typed into a window line by line', async () => {
    const { type } = sitDown();
    expect(await type('/addservers')).toContain(
      'Next lines: the text, or field=value …; an empty line ends it',
    );
    expect(await type('one.example.com:27015 cs2')).toBe('');
    expect(await type('two.example.com:28015 rust')).toBe('');
    expect(await type('')).toContain('2 game servers are ready');
  });

  it('people are called by their names, and times are told in the language of who reads them', async () => {
    const { type } = sitDown();
    await type('guild 2');
    await type('/setkey');
    await type('sandbox-key');
    expect(await type('/keystatus')).toMatch(/@admin on \w+ \d+, \d{4}[\s\S]*(now|seconds? ago)/);
    await type('language de');
    expect(await type('/keystatus')).toMatch(/@admin[\s\S]*(jetzt|vor \d+ Sekunden?)/);
  });

  it('the listing service fails and recovers as told', async () => {
    const { prompt, type } = sitDown();
    const submit = (host = 'service.example.com') => type(`/addserver game:cs2 server:${host}:27015`);
    await type('/setkey');
    await type('sandbox-key');
    expect(await type('service html')).toBe('The listing service now answers with a web page.');
    expect(await submit('html.example.com')).not.toContain('added for review');
    await type('service revoke');
    await type('service ok');
    expect(await submit()).toContain('Invalid API key.');
    await type('service allow');
    await type('/keystatus');
    await type('press "Check now"');
    expect(await submit()).toContain('Servers have been added for review.');
    expect(await type('submitted')).toContain('cs2  service.example.com:27015');
    for (const line of ['service', 'service slwo 5', 'service slow', 'service down now', 'service status 42'])
      expect(await refusal(prompt, line)).toMatch(/takes/);
  });

  it('nothing that comes within the time is said to be no answer', async () => {
    const { prompt, type } = sitDown({ patienceMs: 300 });
    await type('service slow 1000');
    try {
      await expect(prompt.run('/addserver game:cs2 server:late.example.com:27015')).rejects.toBeInstanceOf(
        NoAnswer,
      );
    } finally {
      await sandbox.listing.behave({ kind: 'ok' });
    }
  });

  it.each([
    ['as boss', 'as takes one of admin, member, other.'],
    ['guild 30', 'guild takes a number from 1 to'],
    ['language German', 'such as en-US or de'],
    ['message "hello', 'does not end'],
    ['message', 'message takes the text'],
    ['restrat', 'Did you mean restart?'],
    ['games', 'Did you mean /games?'],
  ])('%s is answered with what was expected', async (line, words) => {
    expect(await refusal(sitDown().prompt, line)).toContain(words);
  });

  it('the bot leaves and joins guilds, which keep their numbers, and has an outage in them', async () => {
    const { prompt, type } = sitDown();
    await type('guild 2');
    await type('/setkey');
    await type('sandbox-key');
    expect(await type('outage')).toContain('has an outage');
    expect(await type('outage over')).toContain('is back');
    expect(await refusal(prompt, 'join')).toContain('already');
    expect(await refusal(prompt, 'outage now')).toContain('outage takes nothing, or over');

    expect(await type('leave')).toContain('The bot was removed from');
    expect(await refusal(prompt, 'leave')).toContain('The bot is not in');
    expect(await refusal(prompt, 'outage')).toContain('The bot is not in');
    expect(await type('/keystatus')).toContain('does not offer /keystatus');
    await type('restart');
    expect(await type('join')).toContain('again');
    expect(await type('/keystatus')).toContain('Last worked');

    await type('restart');
    await type('leave');
    await type('restart');
    await type('restart');
    await type('join');
    expect(await type('/keystatus')).toContain('has no API key');

    expect(await type('join "New place"')).toBe('You are admin in guild 3, New place.');
    expect(await type('/keystatus')).toContain('has no API key');
    expect(await type('guild 1')).toBe('You are admin in guild 1, First guild.');
  });

  it('help names every command and every action', async () => {
    const text = await sitDown().type('help');
    for (const word of [
      '/setkey',
      '/games [search:…]',
      '/addserver game:… server:…',
      '/addservers file:docs/servers.csv',
      'press',
      'service',
      'submitted',
      'exit',
    ])
      expect(text).toContain(word);
  });

  it('Tab offers words, names of options, and the choices of the bot', async () => {
    const { session } = sitDown().prompt;
    expect(await complete('/setk', session)).toEqual({ kind: 'words', words: ['/setkey '], typed: '/setk' });
    expect(await complete('service sl', session)).toEqual({ kind: 'words', words: ['slow'], typed: 'sl' });
    expect(await complete('/addserver game:cs2 ', session)).toEqual({
      kind: 'words',
      words: ['server:', 'port:', 'query_port:'],
      typed: '',
    });
    expect(await complete('/addserver server:x game:Assetto', session)).toEqual({
      kind: 'words',
      words: ['assetto'],
      typed: 'Assetto',
    });
    expect(await complete('/addservers file:', session)).toEqual({
      kind: 'words',
      words: ['docs/servers.csv', 'docs/servers-250.csv'],
      typed: '',
    });
    const list = await complete('/addserver game:s', session);
    expect(list).toMatchObject({ kind: 'list', text: expect.stringContaining('Counter-Strike') });
  });
});

describe('when the bot is gone', () => {
  withSandbox();

  it('Discord says so in time, and a restart brings it back with the message still there', async () => {
    const { prompt, type } = sitDown();
    await type('/setkey');
    await type('sandbox-key');
    expect(await type('/games')).toContain('Page 1 of');
    expect(await type('kill')).toBe('The bot was killed; start starts it.');
    expect(await refusal(prompt, 'kill')).toContain('not running');
    expect(await type('press Next')).toBe('The application did not respond.');
    expect(prompt.session.lost).toBe(true);
    expect(await type('start')).toContain('on the same data');
    expect(await refusal(prompt, 'start')).toContain('is running');
    expect(await type('press Next')).toContain('Page 2 of');
    expect(await refusal(prompt, 'kill -9')).toContain('kill takes nothing, or next.');
  });

  it('kill is obeyed while the bot works', async () => {
    const { type } = sitDown();
    const { prompt: other } = sitDown();
    await type('service hang');
    const typed = type('/addserver game:rust server:hangs.example.com:28015');
    const { promise, resolve } = Promise.withResolvers<void>();
    const unwatch = sandbox.listing.watch(() => resolve());
    await promise;
    unwatch();
    await other.run('kill');
    expect(await typed).toBe('(the bot ended before it had answered; start brings it back)');
    await type('service ok');
    expect(await type('start')).toContain('hangs.example.com:28015');
  });
});
