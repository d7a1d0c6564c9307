import type { SeenModal } from '../discord/contract.ts';
import { ACTIONS } from './actions.ts';
import { BadLine, suggestion } from './bad-line.ts';
import { modalFields, readModalLine } from './modal-line.ts';
import { createSession, type Session, type SessionDeps } from './session.ts';
import { readSlashLine, slashCommandsOf } from './slash-line.ts';

/** What one person types, and what they see. */
export interface Prompt {
  readonly session: Session;
  /**
   * Does what the line says and prints what comes of it.
   * @returns whether the session goes on
   * @throws BadLine when the line cannot be understood
   * @throws NoAnswer when nothing came of it
   */
  run(line: string): Promise<boolean>;
}

export function createPrompt(deps: SessionDeps): Prompt {
  const session = createSession(deps);
  const { print } = session;

  async function fillIn(modal: SeenModal, line: string): Promise<void> {
    if (line === '') {
      session.modal = undefined;
      print('(the modal was closed)');
      return;
    }
    const values = await readModalLine(line, modalFields(modal.data));
    await session.show(session.me().submit(modal, values), session.opener);
  }

  async function slash(line: string): Promise<void> {
    const read = await readSlashLine(line, slashCommandsOf(session.published()));
    if (read.kind === 'refused') return session.show(Promise.resolve(read));
    const { command, options } = read;
    const me = session.me();
    if (!me.commands().some(({ name, type }) => type === 1 && name === command))
      return print(`Your Discord does not offer /${command} to ${session.role} here.`);
    if (read.kind === 'run') return session.show(me.slash(command, options));
    return session.showChoices(me.complete(command, read.focused, options));
  }

  async function act(line: string): Promise<void> {
    const [name = '', ...rest] = line.split(' ');
    const action = ACTIONS.find((known) => known.name === name);
    if (action) return action.run(session, rest.join(' ').trim());
    const names = [
      ...ACTIONS.map((known) => known.name),
      'exit',
      ...slashCommandsOf(session.published()).map((command) => `/${command.name}`),
    ];
    throw new BadLine(
      `"${name}" was not understood.${suggestion(name, names)} help lists what can be typed.`,
    );
  }

  return {
    session,
    async run(line) {
      const trimmed = line.trim();
      if (session.modal) await fillIn(session.modal, line);
      else if (trimmed === 'exit') return false;
      else if (trimmed.startsWith('/')) await slash(trimmed);
      else if (trimmed !== '' && !trimmed.startsWith('#')) await act(trimmed);
      return true;
    },
  };
}
