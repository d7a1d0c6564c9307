import { ACTIONS } from './actions.ts';
import { BadLine, suggestion } from './bad-line.ts';
import type { Origin } from './modal-line.ts';
import { createSession, type OpenModal, type Session, type SessionDeps } from './session.ts';
import { readSlashLine, shownName, slashCommandsOf } from './slash-line.ts';

/** What one person types, and what they see. */
export interface Prompt {
  readonly session: Session;
  /**
   * Does what the line says and prints what comes of it. While a modal is open the line goes into that; `origin` says
   * what an empty one means there.
   * @returns whether the session goes on
   * @throws BadLine when the line cannot be understood
   * @throws NoAnswer when nothing came of it
   */
  run(line: string, origin?: Origin): Promise<boolean>;
}

export function createPrompt(deps: SessionDeps): Prompt {
  const session = createSession(deps);
  const { print } = session;

  async function fillIn({ seen, form, opener }: OpenModal, line: string, origin: Origin): Promise<void> {
    const values = await form.take(line, origin);
    if (values === 'more') return;
    if (values === 'closed') {
      session.modal = undefined;
      print('(the modal was closed)');
      return;
    }
    await session.show(session.me().submit(seen, values), opener);
  }

  async function slash(line: string): Promise<void> {
    const commands = slashCommandsOf(session.published());
    const read = await readSlashLine(line, commands, session);
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
      ...slashCommandsOf(session.published()).map((command) => `/${shownName(command, session.locale)}`),
    ];
    throw new BadLine(
      `"${name}" was not understood.${suggestion(name, names)} help lists what can be typed.`,
    );
  }

  return {
    session,
    async run(line, origin = 'typed') {
      const trimmed = line.trim();
      if (session.modal) await fillIn(session.modal, line, origin);
      else if (trimmed === 'exit') return false;
      else if (trimmed.startsWith('/')) await slash(trimmed);
      else if (trimmed !== '' && !trimmed.startsWith('#')) await act(trimmed);
      return true;
    },
  };
}
