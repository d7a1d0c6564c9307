import { createInterface } from 'node:readline';
import { describeExit } from '../bot-process.ts';
import { BotNotReady, type Sandbox } from '../sandbox.ts';
import { BadLine } from './bad-line.ts';
import { paintFor } from './markdown.ts';
import type { Origin } from './modal-line.ts';
import { createNews } from './news.ts';
import { createPrompt } from './prompt.ts';
import { NoAnswer, type OpenModal } from './session.ts';
import { openTerminal, type Terminal } from './terminal.ts';
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
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** For what went wrong, and the bot's log. */
  readonly errors: NodeJS.WritableStream;
  /** Shows the bot's whole log, not only warnings and errors. */
  readonly verbose?: boolean;
  /** Shows no time, and nothing that still moves: for what is to be the same whenever it is made. */
  readonly steady?: boolean;
  /** Ctrl+C at a terminal. */
  readonly onInterrupt: () => void;
}

export function createFrontEnd(deps: FrontEndDeps): FrontEnd {
  const { sandbox, input, output, onInterrupt } = deps;
  const complaints = createComplaints(deps);
  const { fail } = complaints;
  let terminal: Terminal | undefined;
  const prompt = createPrompt({
    sandbox,
    print: (text) => void output.write(`${text}\n`),
    paint: paintFor(output),
    steady: deps.steady,
  });

  /** @returns whether the session goes on */
  async function take(line: string, origin: Origin): Promise<boolean> {
    try {
      return await prompt.run(line, origin);
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      fail(error.message);
      return true;
    }
  }

  /** Lines from a pipe, one after the other. Each is echoed, except into a modal that takes a key. */
  async function runScript(): Promise<0 | 1> {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const { modal } = prompt.session;
      if (modal || line.trim() !== '') output.write(`${`> ${echoOf(line, modal)}`.trimEnd()}\n`);
      if (!(await take(line, 'script')) || sandbox.botState === 'crashed') break;
    }
    return complaints.any() || prompt.session.lost ? 1 : 0;
  }

  async function converse(): Promise<0> {
    output.write(`${WELCOME}\n`);
    const onUrgent = (line: string) => void take(line, 'typed');
    const screen = openTerminal({ input, output, session: prompt.session, onInterrupt, onUrgent });
    terminal = screen;
    complaints.writeAside(screen);
    const news = createNews(prompt.session);
    let isBusy = false;
    sandbox.watch((event) => {
      if (news.take(event) && !isBusy) screen.aside(news.show);
    });
    for await (const { line, origin } of screen.lines()) {
      isBusy = true;
      try {
        if (!(await take(line, origin))) break;
      } catch (error) {
        if (!isTold(error)) throw error;
        fail(error.message);
      }
      isBusy = false;
      news.show();
    }
    return 0;
  }

  return {
    async run() {
      try {
        await sandbox.startBot();
        return isTerminal(input) && isTerminal(output) ? await converse() : await runScript();
      } catch (error) {
        if (!isTold(error)) throw error;
        fail(error.message);
        return 1;
      }
    },
    leave() {
      complaints.leave();
      terminal?.close();
    },
  };
}

const isTerminal = (stream: object): boolean => 'isTTY' in stream && stream.isTTY === true;

/** A line of a script as it is shown: a key is not. */
const echoOf = (line: string, modal: OpenModal | undefined): string =>
  modal?.form.hidden && line !== '' ? '********' : line;

/** What is told beside the answers: what went wrong, and the bot's log. */
function createComplaints({ sandbox, errors, verbose = false }: FrontEndDeps) {
  const paint = paintFor(errors);
  let terminal: Terminal | undefined;
  let leaving = false;
  /** What a script must hear of by its exit status. */
  let failed = false;

  function tell(text: string): void {
    const write = () => void errors.write(`${text}\n`);
    if (terminal) terminal.aside(write);
    else write();
  }

  function fail(text: string): void {
    failed = true;
    tell(paint('red', text));
  }

  sandbox.watch((event) => {
    if (event.kind === 'breach') fail(breachText(event.breach));
    if (event.kind === 'log') {
      const { text, urgent } = readLogLine(event.line);
      if (urgent || verbose) tell(paint('dim', text));
    }
    if (event.kind === 'bot' && event.state === 'crashed' && !leaving)
      fail(
        `The bot ended by itself (${describeExit(event.exit)}); restart starts it again. Its last words:\n${event.exit.lastWords.join('\n')}`,
      );
  });

  return {
    fail,
    any: () => failed,
    /** Somebody may be typing from now on. */
    writeAside(to: Terminal) {
      terminal = to;
    },
    leave() {
      leaving = true;
    },
  };
}

function isTold(error: unknown): error is Error {
  return error instanceof BotNotReady || error instanceof NoAnswer;
}
