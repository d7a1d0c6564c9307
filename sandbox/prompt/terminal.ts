import { createInterface, type Interface } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { complete } from './completion.ts';
import type { Origin } from './modal-line.ts';
import type { Session } from './session.ts';

export interface TypedLine {
  readonly line: string;
  readonly origin: Origin;
}

export interface Terminal {
  /** The lines as they are typed or pasted, each asked for with a prompt, until Ctrl+D. */
  lines(): AsyncIterable<TypedLine>;
  /** Runs what writes to the screen while a line may be being typed; that line is shown again behind it. */
  aside(write: () => void): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

/** The screen's, where it is one; a test has streams of its own. */
type Output = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

const CLEAR_BELOW = '\r\u001b[J';
const up = (rows: number): string => (rows === 0 ? '' : `\u001b[${rows}A`);
/** The terminal marks what is pasted (xterm: bracketed paste mode), so that its lines are told from typed ones. */
const MARK_PASTES = '\u001b[?2004h';
const NO_MARKS = '\u001b[?2004l';
/** Lines that do not wait until the line before them is done. */
const URGENT = ['kill'];

/**
 * Lines typed at a terminal, with history and Tab. While a modal that takes a key is open nothing that is typed is
 * shown or kept in the history.
 */
export function openTerminal(deps: {
  readonly input: NodeJS.ReadableStream;
  readonly output: Output;
  readonly session: Session;
  /** Ctrl+C while no modal is open. */
  readonly onInterrupt: () => void;
  /** `kill`, typed while a line before it is being carried out. */
  readonly onUrgent: (line: string) => void;
}): Terminal {
  const { input, output, session, onInterrupt, onUrgent } = deps;
  const hidden = () => session.modal?.form.hidden === true;
  const typed = new PassThrough({ objectMode: true });
  const pastes = { running: false };
  let awaiting = false;
  let isClosed = false;

  const readline = createInterface({
    input,
    output: screen(output, hidden),
    terminal: true,
    completer(line: string, done: (error: null, found: [string[], string]) => void) {
      // A tab among what is pasted is part of it. Answered at once, since the rest of the paste is right behind it.
      if (pastes.running) return done(null, [['\t'], '']);
      void completed(line, session, (text) => aside(() => output.write(text))).then((found) =>
        done(null, found),
      );
    },
  });
  followPastes({ input, output }, pastes);
  readline.on('line', (line) => {
    if (!awaiting && URGENT.includes(line.trim())) return onUrgent(line.trim());
    typed.write({ line, origin: pastes.running ? 'pasted' : 'typed' });
  });
  readline.on('close', () => {
    isClosed = true;
    output.write(NO_MARKS);
    typed.end();
  });
  readline.on('history', (history: string[]) => {
    if (hidden()) history.shift();
  });
  readline.on('SIGINT', () => {
    if (session.modal) closeModal(readline);
    else onInterrupt();
  });

  function prompt(): void {
    // A line may still be being carried out when the terminal is given back.
    if (isClosed) return;
    awaiting = true;
    if (hidden()) output.write(`${session.modal?.form.asks} (hidden): `);
    else readline.setPrompt(`${who(session)}> `);
    readline.prompt(true);
  }

  function aside(write: () => void): void {
    if (awaiting) writeAbove({ rows: hidden() ? 0 : readline.getCursorPos().rows, output, write });
    else write();
    if (awaiting) prompt();
  }

  return {
    async *lines() {
      prompt();
      for await (const line of typed as AsyncIterable<TypedLine>) {
        awaiting = false;
        // The Enter was as hidden as the line.
        if (hidden()) output.write('\n');
        yield line;
        prompt();
      }
      output.write('\n');
    },
    aside,
    close: () => readline.close(),
  };
}

/**
 * Writes in the place of the line that is typed, whose cursor is so many `rows` below its first one where the screen is
 * narrower than the line. readline goes up as many before it draws the line again.
 */
function writeAbove(deps: {
  readonly rows: number;
  readonly output: Output;
  readonly write: () => void;
}): void {
  const { rows, output, write } = deps;
  output.write(up(rows) + CLEAR_BELOW);
  write();
  output.write('\n'.repeat(rows));
}

/** What Tab adds to the line, as readline wants it; what else there is to know is said. */
async function completed(
  line: string,
  session: Session,
  say: (text: string) => void,
): Promise<[string[], string]> {
  const completion = await complete(line, session).catch(() => undefined);
  if (completion?.kind === 'words') return [[...completion.words], completion.typed];
  if (completion) say(`${completion.text}\n`);
  return [[], line];
}

/** What was typed goes, and an empty line closes the modal. */
function closeModal(readline: Interface): void {
  readline.write(null, { ctrl: true, name: 'e' });
  readline.write(null, { ctrl: true, name: 'u' });
  readline.write('\n');
}

/** Who sits there, or what the open modal asks. */
const who = ({ modal, role, guild }: Session): string =>
  modal ? modal.form.asks : guild === 0 ? role : `${role}@${guild + 1}`;

/** Has the terminal mark what is pasted, and knows while a paste is coming. */
function followPastes(
  { input, output }: { readonly input: NodeJS.ReadableStream; readonly output: Output },
  pastes: { running: boolean },
): void {
  output.write(MARK_PASTES);
  // Behind readline's own listener: what it made a line of when the paste began or ended is out.
  input.on('keypress', (_, key: { readonly name?: string } | undefined) => {
    if (key?.name === 'paste-start') pastes.running = true;
    if (key?.name === 'paste-end') pastes.running = false;
  });
}

/** The terminal as readline sees it: what readline writes of hidden lines does not get through. */
function screen(output: Output, hidden: () => boolean): NodeJS.WritableStream {
  const size = () => ({ columns: output.columns, rows: output.rows });
  const through = new Writable({
    write(chunk, _encoding, done) {
      // At once: a moment later the modal may be gone, and what was typed into it would be seen.
      if (!hidden()) output.write(chunk);
      done();
    },
  });
  output.on('resize', () => {
    Object.assign(through, size());
    through.emit('resize');
  });
  return Object.assign(through, size());
}
