import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Origin } from '../../../sandbox/prompt/modal-line.ts';
import { createPrompt } from '../../../sandbox/prompt/prompt.ts';
import { openTerminal } from '../../../sandbox/prompt/terminal.ts';
import { openSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { createBotInProcess } from '../../support/bot-in-process.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ surroundings: process.env, createBot: createBotInProcess });
  await sandbox.startBot();
});
afterAll(() => sandbox.close());

const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

/** A person at a terminal: what they type, and what is on their screen. */
function sitDown() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let screen = '';
  output.on('data', (chunk) => (screen += String(chunk)));
  const prompt = createPrompt({ sandbox, print: (text) => void output.write(`${text}\n`) });
  const urgent: string[] = [];
  const terminal = openTerminal({
    input,
    output,
    session: prompt.session,
    onInterrupt: () => {},
    onUrgent: (line) => urgent.push(line),
  });
  const lines = terminal.lines()[Symbol.asyncIterator]();
  /** Types, and takes so many lines; resolves to what came on the screen. */
  async function type(
    keys: string,
    count = 1,
  ): Promise<{ readonly shown: string; readonly origins: Origin[] }> {
    screen = '';
    const origins: Origin[] = [];
    input.write(keys);
    for (let taken = 0; taken < count; taken++) {
      const { value } = await lines.next();
      origins.push(value.origin);
      await prompt.run(value.line, value.origin);
    }
    return { shown: screen, origins };
  }
  return { type, urgent, input, prompt, close: terminal.close, screen: () => screen };
}

describe('at a terminal', () => {
  it('a list is pasted as it stands, with empty lines and tabs, and seen', async () => {
    const { type, close } = sitDown();
    await type('/setkey\r');
    await type('sandbox-key-1234\r');
    await type('/addservers\r');
    const list = 'a.example.com:27015\tcs2\r\rb.example.com:28015\trust';
    const pasted = await type(`${paste(list)}\r`, 3);
    expect(pasted.origins).toEqual(['pasted', 'pasted', 'typed']);
    expect(pasted.shown).toContain('a.example.com:27015\tcs2');
    expect(pasted.shown).toContain('b.example.com:28015\trust');
    expect((await type('\r')).shown).toContain('2 game servers are ready');
    close();
  });

  it('a key is not seen, however it comes', async () => {
    const { type, close } = sitDown();
    await type('/setkey\r');
    const { shown } = await type(`${paste('sandbox-key-1234')}\r`);
    expect(shown).not.toContain('sandbox');
    expect(shown).toContain('ending in 1234');
    close();
  });

  it('kill does not wait for the line before it, and waits its turn at the prompt', async () => {
    const { type, urgent, input, prompt, close } = sitDown();
    const { promise, resolve } = Promise.withResolvers<void>();
    prompt.session.show = () => promise;
    const working = type('/games\r');
    await new Promise((seen) => setImmediate(() => setImmediate(seen)));
    input.write('kill\r');
    await expect.poll(() => urgent).toEqual(['kill']);
    resolve();
    await working;
    close();
  });

  it('pastes are marked while it is open and no longer', () => {
    const { screen, close } = sitDown();
    close();
    expect(screen()).toContain('\u001b[?2004l');
  });
});
