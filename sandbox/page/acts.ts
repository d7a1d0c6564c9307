import type { Answer, FormValue, OptionValue, Person, SeenModal } from '../discord/contract.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { BEHAVIOURS } from '../prompt/service-actions.ts';
import type { Sandbox } from '../sandbox.ts';
import { optionValue } from './commands.ts';
import { modalView } from './modals.ts';
import type { Act, Entered, FileValue, Outcome, SeatView } from './protocol.ts';
import type { Views } from './view.ts';

/** Modals that are open somewhere; whoever opens more has forgotten the first. */
const MOST_MODALS = 200;

/** Does what a person at the page does. */
export interface Acts {
  /** @throws Error when there is no such thing to be done */
  run(act: Act, seat: SeatView): Promise<Outcome>;
}

interface ActsDeps {
  readonly sandbox: Sandbox;
  readonly views: Views;
  readonly play: (scenario: string, locale: string) => void;
}

export function createActs(deps: ActsDeps): Acts {
  const { sandbox, views } = deps;
  const { discord, people } = sandbox;
  const modals = new Map<string, SeenModal>();

  const refused = (why: string): Outcome => ({ kind: 'refused', why });

  function outcomeOf(answer: Answer, seat: SeatView): Outcome {
    if (answer.kind === 'message') return { kind: 'done' };
    if (answer.kind !== 'modal') return answer;
    modals.set(answer.modal.interactionId, answer.modal);
    const [oldest] = modals.keys();
    if (modals.size > MOST_MODALS && oldest !== undefined) modals.delete(oldest);
    return { kind: 'modal', modal: modalView(answer.modal, { discord, guild: views.guild(seat) }) };
  }

  function messageNamed(me: Person, id: string): SeenMessage | undefined {
    return discord.messages(me).find((message) => message.id === id);
  }

  /** A person does something to the bot. */
  async function ask(act: Act, me: Person): Promise<Answer | Outcome> {
    switch (act.do) {
      case 'slash':
        return me.slash(act.command, optionsOf(me, act));
      case 'complete': {
        const choices = await me.complete(act.command, act.focused, optionsOf(me, act));
        if (choices === 'lost') return { kind: 'lost' };
        return {
          kind: 'choices',
          choices: choices.map(({ name, value }) => ({ label: name, value: String(value) })),
        };
      }
      case 'apps':
        return me.useOnMessage(act.command, act.message);
      case 'submit': {
        const modal = modals.get(act.modal);
        return modal === undefined
          ? refused('this window is no longer open')
          : me.submit(modal, entered(act.values));
      }
      case 'press':
      case 'pick': {
        const message = messageNamed(me, act.message);
        if (message === undefined) return refused('the message is not there any more');
        return act.do === 'press' ? me.press(message, act.button) : me.pick(message, act.values, act.select);
      }
      default:
        throw new Error(`${act.do} is not for the bot`);
    }
  }

  return {
    async run(act, seat) {
      const me = people.at({ role: seat.role, guild: views.guild(seat), locale: seat.locale });
      if (ASKS.has(act.do)) {
        const answer = await ask(act, me);
        return answer.kind === 'message' || answer.kind === 'modal'
          ? outcomeOf(answer as Answer, seat)
          : answer;
      }
      await change(act, { ...deps, seat, me });
      return { kind: 'done' };
    },
  };
}

/** Something happens to the bot or to the service. */
async function change(
  act: Act,
  { sandbox, views, play, seat, me }: ActsDeps & { readonly seat: SeatView; readonly me: Person },
): Promise<void> {
  const { discord, listing } = sandbox;
  switch (act.do) {
    case 'say':
      if (act.text.trim() !== '') discord.say(me, act.text);
      return;
    case 'dismiss':
      return views.dismiss(seat, act.message);
    case 'behave':
      if (!Object.hasOwn(BEHAVIOURS, act.kind)) throw new Error(`no service behaves like ${act.kind}`);
      return listing.behave({ kind: act.kind as keyof typeof BEHAVIOURS });
    case 'allow':
    case 'revoke':
      if (act.key.trim() !== '') listing[act.do](act.key.trim());
      return;
    case 'kill':
      await sandbox.bot.stop('SIGKILL');
      return;
    case 'start':
      if (!sandbox.bot.running) await sandbox.startBot();
      return;
    case 'play':
      return play(act.scenario, seat.locale);
    default:
      throw new Error(`there is nothing like ${act.do}`);
  }
}

const ASKS: ReadonlySet<string> = new Set(['slash', 'complete', 'apps', 'submit', 'press', 'pick']);

function optionsOf(
  me: Person,
  { command, options }: { readonly command: string; readonly options: Readonly<Record<string, Entered>> },
): Record<string, OptionValue> {
  const [name, ...path] = command.split(' ');
  const found = me.commands().find((each) => each.name === name && Number(each.type) === 1);
  return Object.fromEntries(
    Object.entries(options).flatMap(([option, value]): [string, OptionValue][] => {
      if (typeof value === 'string') return [[option, optionValue(found, path, option, value)]];
      if (typeof value === 'object') return isFile(value) ? [[option, uploadOf(value)]] : [];
      return [[option, value]];
    }),
  );
}

function entered(values: Readonly<Record<string, Entered>>): Record<string, FormValue> {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]): [string, FormValue] => {
      if (typeof value === 'string' || typeof value === 'boolean') return [field, value];
      if (typeof value === 'number') return [field, String(value)];
      if (isFile(value)) return [field, [uploadOf(value)]];
      return [field, isFiles(value) ? value.map(uploadOf) : value];
    }),
  );
}

const isFile = (value: object): value is FileValue => 'base64' in value;
const isFiles = (value: readonly string[] | readonly FileValue[]): value is readonly FileValue[] =>
  typeof value[0] === 'object';

const uploadOf = ({ filename, base64 }: FileValue) => ({ filename, bytes: Buffer.from(base64, 'base64') });
