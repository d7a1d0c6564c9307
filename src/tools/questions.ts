import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

export type Questions = ReturnType<typeof createQuestions>;

export function createQuestions() {
  const { stdin, stdout } = process;
  let isHidden = false;
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) stdout.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: stdin, output: echo, terminal: stdin.isTTY === true });
  // Keeps lines that arrive before their question, which readline's `question` would lose.
  const answers = lines[Symbol.asyncIterator]();

  return {
    /** @returns `undefined` at the end of the input */
    async ask(question: string, isToBeHidden = false): Promise<string | undefined> {
      stdout.write(question);
      isHidden = isToBeHidden;
      const { value, done } = await answers.next();
      // The line break wasn't echoed, because the input was hidden or isn't a terminal.
      if (isHidden || !stdin.isTTY) stdout.write('\n');
      isHidden = false;
      return done ? undefined : value;
    },
    close: () => lines.close(),
  };
}
