import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { complete } from './completion.ts';
import { modalFields } from './modal-line.ts';
import type { Session } from './session.ts';

export interface Terminal {
  /** The lines as they are typed, each asked for with a prompt, until Ctrl+D. */
  lines(): AsyncIterable<string>;
  /** Runs what writes to the screen while a line may be being typed; that line is shown again behind it. */
  aside(write: () => void): void;
}

const CLEAR_LINE = '\r\u001b[K';

/**
 * Lines typed at a terminal, with history and Tab. While a modal is open nothing that is typed is shown or kept in
 * the history, since it may be a key.
 */
export function openTerminal(deps: {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly session: Session;
  /** Ctrl+C while no modal is open. */
  readonly onInterrupt: () => void;
}): Terminal {
  const { input, output, session, onInterrupt } = deps;
  const hidden = () => session.modal !== undefined;
  let awaiting = false;

  const readline = createInterface({
    input,
    output: screen(output, hidden),
    terminal: true,
    async completer(line: string): Promise<[string[], string]> {
      const completion = await complete(line, session).catch(() => undefined);
      if (completion?.kind === 'words') return [[...completion.words], completion.typed];
      if (completion) aside(() => output.write(`${completion.text}\n`));
      return [[], line];
    },
  });
  readline.on('history', (history: string[]) => {
    if (hidden()) history.shift();
  });
  readline.on('SIGINT', () => {
    if (!hidden()) return onInterrupt();
    // What was typed goes, and an empty line closes the modal.
    readline.write(null, { ctrl: true, name: 'e' });
    readline.write(null, { ctrl: true, name: 'u' });
    readline.write('\n');
  });

  function prompt(): void {
    awaiting = true;
    const { modal, role, guild } = session;
    if (modal) output.write(`${modalFields(modal.data)[0]?.label ?? 'value'} (hidden): `);
    else readline.setPrompt(guild === 0 ? `${role}> ` : `${role}@${guild + 1}> `);
    readline.prompt(true);
  }

  function aside(write: () => void): void {
    if (awaiting) output.write(CLEAR_LINE);
    write();
    if (awaiting) prompt();
  }

  return {
    async *lines() {
      prompt();
      for await (const line of readline) {
        awaiting = false;
        // The Enter was as hidden as the line.
        if (hidden()) output.write('\n');
        yield line;
        prompt();
      }
      output.write('\n');
    },
    aside,
  };
}

/** The terminal as readline sees it: what readline writes of hidden lines does not get through. */
function screen(output: NodeJS.WriteStream, hidden: () => boolean): NodeJS.WritableStream {
  const size = () => ({ columns: output.columns, rows: output.rows });
  const through = new Writable({
    write(chunk, _encoding, done) {
      if (hidden()) done();
      else output.write(chunk, () => done());
    },
  });
  output.on('resize', () => {
    Object.assign(through, size());
    through.emit('resize');
  });
  return Object.assign(through, size());
}
