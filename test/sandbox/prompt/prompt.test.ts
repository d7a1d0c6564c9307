import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ComponentType } from 'discord.js';
import { afterAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../../sandbox/discord/contract.ts';
import { InvalidLineError } from '../../../sandbox/page/client/assignments.ts';
import { createFrontEnd } from '../../../sandbox/prompt/front-end.ts';
import { createPrompt } from '../../../sandbox/prompt/prompt.ts';
import { aReader, showAnswer } from '../../../sandbox/prompt/show.ts';
import { openSandbox } from '../../../sandbox/sandbox.ts';
import { createBotInProcess } from '../../support/bot.ts';

const sandbox = await openSandbox({
  surroundings: process.env,
  createBot: createBotInProcess,
  discord: { reactionMs: 0 },
});
afterAll(() => sandbox.close());
await sandbox.startBot();

/** Opens a prompt for a new user. `type` enters a line and returns its output. */
function openPrompt() {
  let shown: string[] = [];
  const prompt = createPrompt({ sandbox, print: (line) => shown.push(line) });
  async function type(line: string): Promise<string> {
    shown = [];
    await prompt.run(line);
    return shown.join('\n');
  }
  return { prompt, type };
}

describe('the sandbox prompt', () => {
  it('hides the key that an admin enters', async () => {
    const { prompt, type } = openPrompt();
    expect(await type('/setkey')).toContain('(key: text, 1 to 500 characters)');
    expect(prompt.echo('sandbox-key-1234')).toBe('********');
    expect(await type('')).toBe('(the modal was closed)');
    await type('/setkey');
    expect(await type('key=sandbox-key-1234')).toContain('(only you can see this)');
    expect(prompt.echo('/games')).toBe('/games');
  });

  it('lists autocomplete suggestions if an option ends with a question mark', async () => {
    const { type } = openPrompt();
    expect(await type('/addserver game:counter?')).toMatch(/^ {2}Counter-Strike 2 \(cs2\)$/m);
    expect(await type('/addserver game:zzzzzz?')).toBe('No options match your search.');
  });

  it("shows a modal's text the way Discord does", () => {
    const components = [{ type: ComponentType.TextDisplay, content: 'Counter-Strike 1\\.6' }] as const;
    const data = { custom_id: 'x', title: 'Games', components: [...components] };
    expect(showAnswer({ kind: 'modal', modal: { data } } as unknown as Answer, aReader())).toContain(
      'Counter-Strike 1.6',
    );
  });

  it('lists the available buttons in its help', async () => {
    const { type } = openPrompt();
    await expect(type('press Send')).rejects.toThrow('There is no message yet');
    await type('/addserver game:cs2 server:help.example.com');
    const help = await type('help');
    for (const words of ['press a button: Submit with port 27015, Edit', '/addserver', 'submitted'])
      expect(help).toContain(words);
  });

  it('finds a button by the start of its label', async () => {
    const { type } = openPrompt();
    expect(await type('/addserver game:cs2 server:press.example.com')).toContain(
      '[ Submit with port 27015 ]',
    );
    await expect(type('press Nothing')).rejects.toThrow('the buttons are Submit with port 27015, Edit');
    expect(await type('press submit with')).toContain('Servers have been added for review.');
  });

  it('accepts "\\n" as a line break in a field', async () => {
    const { type } = openPrompt();
    await type('/addservers');
    expect(await type('"a.example.com:27015 cs2\\nb.example.com:28015 rust"')).toContain('2 game servers');
  });

  it.each([
    'fly',
    '/fly',
    '/addserver gmae:cs2',
    '/addservers file:none.csv',
    'press Next',
  ])('rejects %s', async (line) => {
    await expect(openPrompt().prompt.run(line)).rejects.toBeInstanceOf(InvalidLineError);
  });
});

describe('a script for the sandbox prompt', () => {
  async function run(lines: readonly string[]) {
    const own = await openSandbox({ surroundings: process.env, createBot: createBotInProcess });
    const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const frontEnd = createFrontEnd({ sandbox: own, input, output, errors, onInterrupt: () => undefined });
    input.end(lines.map((line) => `${line}\n`).join(''));
    const status = await frontEnd.run();
    frontEnd.leave();
    await own.close();
    output.end();
    errors.end();
    return { status, printed: await text(output), complaints: await text(errors) };
  }

  it('continues after an invalid line, but exits with status 1', async () => {
    const { status, printed, complaints } = await run(['# a remark', 'fly', 'submitted', 'quit', '/games']);
    expect(complaints).toContain('"fly" was not understood');
    expect(printed).toContain('holds 0 servers');
    expect(printed).not.toContain('> /games');
    expect(status).toBe(1);
  });
});
