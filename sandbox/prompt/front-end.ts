import { createInterface } from 'node:readline';
import { describeExit } from '../bot-process.ts';
import { InvalidLineError } from '../page/client/assignments.ts';
import { BotNotReadyError, type Sandbox } from '../sandbox.ts';
import { createPrompt } from './prompt.ts';
import { breachText, readLogLine, WELCOME } from './words.ts';

interface FrontEndDeps {
  readonly sandbox: Sandbox;
  /** Where lines are read from. If this is a terminal, the user sees prompts; otherwise, the lines are run as a script. */
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Where errors and the bot's log are written. */
  readonly errors: NodeJS.WritableStream;
  /** Whether to show the bot's whole log. By default, only warnings and errors are shown. */
  readonly verbose?: boolean;
  /** Called when the user presses Ctrl+C. */
  readonly onInterrupt: () => void;
}

/** Creates the prompt, which reads commands line by line and prints what a member would see in Discord. */
export function createFrontEnd(deps: FrontEndDeps) {
  const { sandbox, input, output, errors, verbose = false, onInterrupt } = deps;
  const isTerminal = input.isTTY === true && output.isTTY === true;
  const print = (text: string) => void output.write(`${text}\n`);
  const tell = (text: string) => void errors.write(`${text}\n`);
  const prompt = createPrompt({ sandbox, print });
  let isLeaving = false;
  /** Whether an error has occurred, which gives a script an error status. */
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

  /** @returns `false` if the user wants to exit */
  async function take(line: string): Promise<boolean> {
    try {
      return await prompt.run(line);
    } catch (error) {
      if (!(error instanceof InvalidLineError)) throw error;
      fail(error.message);
      return true;
    }
  }

  /** Reads and runs one line at a time. If the lines come from a script, prints each one first, except for secrets. */
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
     * Starts the bot and runs lines until there are no more, or until a line is `exit`.
     * @returns the exit status, which is 1 if the bot didn't start or if a script had errors
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
    /** Call this before stopping the bot. Otherwise, a crash is reported. */
    leave(): void {
      isLeaving = true;
    },
  };
}
