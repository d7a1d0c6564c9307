import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { describeExit } from '../bot-process.ts';
import { BotNotReady, type Sandbox } from '../sandbox.ts';
import { BadLine } from './bad-line.ts';
import { paintFor } from './markdown.ts';
import { createPrompt } from './prompt.ts';
import { breachText, readLogLine, WELCOME } from './words.ts';

/** The prompt as a front end of a sandbox: takes lines, and shows what a member would see. */
export interface FrontEnd {
  /**
   * Starts the bot and does what the lines say, until there are no more or one says `exit`.
   * @returns the exit status: 1 when a script has anything to hear of
   */
  run(): Promise<0 | 1>;
  /** An end of the bot is nobody's mishap from now on. */
  leave(): void;
}

export interface FrontEndDeps {
  readonly sandbox: Sandbox;
  /** A terminal is conversed with; lines of anything else are a script. */
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** For what went wrong, and the bot's log. */
  readonly errors: NodeJS.WritableStream;
  /** Shows the bot's whole log, not only warnings and errors. */
  readonly verbose?: boolean;
  /** Ctrl+C at a terminal. */
  readonly onInterrupt: () => void;
}

export function createFrontEnd(deps: FrontEndDeps): FrontEnd {
  const { sandbox, input, output, errors, verbose = false, onInterrupt } = deps;
  const paint = paintFor(errors);
  const print = (text: string) => void output.write(`${text}\n`);
  const prompt = createPrompt({ sandbox, print, paint: paintFor(output) });
  let isLeaving = false;
  /** What a script must hear of by its exit status. */
  let hasFailed = false;

  const tell = (text: string) => void errors.write(`${text}\n`);
  function fail(text: string): void {
    hasFailed = true;
    tell(paint('red', text));
  }
  sandbox.watch((event) => {
    if (event.kind === 'breach') fail(breachText(event.breach));
    if (event.kind === 'log') {
      const { text, urgent } = readLogLine(event.line);
      if (urgent || verbose) tell(paint('dim', text));
    }
    if (event.kind === 'bot' && event.state === 'crashed' && !isLeaving)
      fail(`The bot ended by itself (${describeExit(event.exit)}):\n${event.exit.lastWords.join('\n')}`);
  });

  /** @returns whether the session goes on */
  async function take(line: string): Promise<boolean> {
    try {
      return await prompt.run(line);
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      fail(error.message);
      return true;
    }
  }

  /** Lines from a pipe, one after the other. Each is echoed, except into a modal that takes a key. */
  async function runScript(): Promise<void> {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const echo = prompt.isHidden && line !== '' ? '********' : line;
      if (prompt.isModal || line.trim() !== '') print(`> ${echo}`.trimEnd());
      if (!(await take(line)) || sandbox.botState === 'crashed') return;
    }
  }

  async function converse(): Promise<void> {
    print(WELCOME);
    const readline = openTerminal({ input, output, isHidden: () => prompt.isHidden, words: prompt.words });
    readline.on('SIGINT', onInterrupt);
    const ask = () => {
      // What is typed is hidden, and so is readline's own prompt.
      if (prompt.isHidden) output.write(`${prompt.title} (hidden): `);
      readline.setPrompt(`${prompt.title}> `);
      readline.prompt();
    };
    ask();
    for await (const line of readline) {
      if (prompt.isHidden) output.write('\n');
      if (!(await take(line))) break;
      ask();
    }
    readline.close();
  }

  return {
    async run() {
      try {
        await sandbox.startBot();
      } catch (error) {
        if (!(error instanceof BotNotReady)) throw error;
        fail(error.message);
        return 1;
      }
      if (input.isTTY && output.isTTY) {
        await converse();
        return 0;
      }
      await runScript();
      return hasFailed || prompt.lost ? 1 : 0;
    },
    leave() {
      isLeaving = true;
    },
  };
}

/** Lines with history and Tab. While `isHidden`, nothing that is typed is shown or kept. */
function openTerminal(deps: {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly isHidden: () => boolean;
  readonly words: () => readonly string[];
}): Interface {
  const { input, output, isHidden, words } = deps;
  const screen = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden()) output.write(chunk);
      done();
    },
  });
  const completer = (line: string): [string[], string] => [
    words().filter((word) => word.startsWith(line)),
    line,
  ];
  const readline = createInterface({ input, output: screen, terminal: true, completer });
  readline.on('history', (history: string[]) => {
    if (isHidden()) history.shift();
  });
  return readline;
}
