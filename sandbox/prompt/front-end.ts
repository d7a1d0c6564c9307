import { createInterface } from 'node:readline';
import { describeExit } from '../bot-process.ts';
import { InvalidLineError } from '../page/client/assignments.ts';
import { BotNotReadyError, type Sandbox } from '../sandbox.ts';
import { createPrompt } from './prompt.ts';
import { breachText, readLogLine, WELCOME } from './words.ts';

interface FrontEndDeps {
  readonly sandbox: Sandbox;
  /** The input lines. A terminal gets prompts; any other input is a script. */
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** For errors, and the bot's log. */
  readonly errors: NodeJS.WritableStream;
  /** Whether to show the bot's whole log, rather than only warnings and errors. */
  readonly verbose?: boolean;
  /** Called on Ctrl+C at a terminal. */
  readonly onInterrupt: () => void;
}

/** Creates the prompt, a front end of the sandbox that reads lines and shows a member's view. */
export function createFrontEnd(deps: FrontEndDeps) {
  const { sandbox, input, output, errors, verbose = false, onInterrupt } = deps;
  const isTerminal = input.isTTY === true && output.isTTY === true;
  const print = (text: string) => void output.write(`${text}\n`);
  const tell = (text: string) => void errors.write(`${text}\n`);
  const prompt = createPrompt({ sandbox, print });
  let isLeaving = false;
  /** Whether a script must exit with an error status. */
  let hasFailed = false;

  function fail(text: string): void {
    hasFailed = true;
    tell(text);
  }
  sandbox.watch((event) => {
    if (event.kind === 'breach') fail(breachText(event.breach));
    if (event.kind === 'log') {
      const { text, urgent } = readLogLine(event.line);
      if (urgent || verbose) tell(text);
    }
    if (event.kind === 'bot' && event.state === 'crashed' && !isLeaving)
      fail(`The bot ended unexpectedly (${describeExit(event.exit)}):\n${event.exit.lastWords.join('\n')}`);
  });

  /** @returns whether the session continues */
  async function take(line: string): Promise<boolean> {
    try {
      return await prompt.run(line);
    } catch (error) {
      if (!(error instanceof InvalidLineError)) throw error;
      fail(error.message);
      return true;
    }
  }

  /** Runs one line after another. The lines of a script are echoed, except input for the key's modal. */
  async function takeLines(): Promise<void> {
    const lines = createInterface({
      input,
      crlfDelay: Number.POSITIVE_INFINITY,
      ...(isTerminal && { output }),
    });
    const ask = () => {
      if (!isTerminal) return;
      lines.setPrompt(`${prompt.title}> `);
      lines.prompt();
    };
    lines.on('SIGINT', onInterrupt);
    ask();
    for await (const line of lines) {
      const echo = prompt.echo(line);
      if (!isTerminal && echo !== undefined) print(`> ${echo}`.trimEnd());
      if (!(await take(line))) break;
      if (!isTerminal && sandbox.botState === 'crashed') break;
      ask();
    }
    lines.close();
  }

  return {
    /**
     * Starts the bot and runs the lines, until there are no more or a line is `exit`.
     * @returns the exit status: 1 for a script with errors
     */
    async run(): Promise<0 | 1> {
      try {
        await sandbox.startBot();
      } catch (error) {
        if (!(error instanceof BotNotReadyError)) throw error;
        fail(error.message);
        return 1;
      }
      if (isTerminal) print(WELCOME);
      await takeLines();
      return !isTerminal && (hasFailed || prompt.lost) ? 1 : 0;
    },
    /** From now on, an end of the bot is not an error. */
    leave(): void {
      isLeaving = true;
    },
  };
}
