import { createInterface } from 'node:readline';
import { describeExit } from '../bot-process.ts';
import { BadLine } from '../page/client/assignments.ts';
import { BotNotReady, type Sandbox } from '../sandbox.ts';
import { createPrompt } from './prompt.ts';
import { breachText, readLogLine, WELCOME } from './words.ts';

interface FrontEndDeps {
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

/** The prompt as a front end of a sandbox: takes lines, and shows what a member would see. */
export function createFrontEnd(deps: FrontEndDeps) {
  const { sandbox, input, output, errors, verbose = false, onInterrupt } = deps;
  const isTerminal = input.isTTY === true && output.isTTY === true;
  const print = (text: string) => void output.write(`${text}\n`);
  const tell = (text: string) => void errors.write(`${text}\n`);
  const prompt = createPrompt({ sandbox, print });
  let isLeaving = false;
  /** What a script must hear of by its exit status. */
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

  /** Does one line after the other. Those of a script are echoed, except what goes into a window for a key. */
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
     * Starts the bot and does what the lines say, until there are no more or one says `exit`.
     * @returns the exit status: 1 when a script has anything to hear of
     */
    async run(): Promise<0 | 1> {
      try {
        await sandbox.startBot();
      } catch (error) {
        if (!(error instanceof BotNotReady)) throw error;
        fail(error.message);
        return 1;
      }
      if (isTerminal) print(WELCOME);
      await takeLines();
      return !isTerminal && (hasFailed || prompt.lost) ? 1 : 0;
    },
    /** An end of the bot is nobody's mishap from now on. */
    leave(): void {
      isLeaving = true;
    },
  };
}
