import type { Answer, OptionValue, Person, Upload } from '../discord/contract.ts';
import type { Sandbox } from '../sandbox.ts';
import { isSlash, optionValue } from '../slash-options.ts';
import { modalView } from './messages.ts';
import type { Player } from './player.ts';
import type { Act, EnteredValues, Outcome, SeatView } from './protocol.ts';
import type { Views } from './view.ts';

const DONE: Outcome = { kind: 'done' };

/** Creates a function that performs actions as one of the sandbox's users. */
export function createActs(deps: {
  readonly sandbox: Sandbox;
  readonly views: Views;
  readonly player: Pick<Player, 'current' | 'play' | 'next' | 'leave'>;
}) {
  const { sandbox, views, player } = deps;
  const { discord, listing, bot, people } = sandbox;

  async function outcomeOf(coming: Promise<Answer>): Promise<Outcome> {
    const answer = await coming;
    if (answer.kind === 'message') return DONE;
    if (answer.kind !== 'modal') return answer;
    return { kind: 'modal', modal: modalView(answer.modal, discord.nameOf) };
  }

  /** Plays the scenario's next step. */
  function advance(): Outcome {
    player.next();
    return DONE;
  }

  async function complete(me: Person, act: Extract<Act, { do: 'complete' }>): Promise<Outcome> {
    const choices = await me.complete(act.command, act.focused, optionsOf(me, act));
    if (choices === 'lost') return { kind: 'lost' };
    return {
      kind: 'choices',
      choices: choices.map(({ name, value }) => ({ label: name, value: String(value) })),
    };
  }

  /** Whether the control is the one that the scenario's next step uses, and the page marks. */
  function isNext(control: string, { role, guild }: SeatView): boolean {
    const { state, target, seat } = player.current ?? {};
    return state === 'playing' && target === control && seat?.role === role && seat.guild === guild;
  }

  return {
    /** @throws Error if the page sent an unknown action */
    async run(act: Act, seat: SeatView): Promise<Outcome> {
      const me = people.at(views.place(seat));
      switch (act.do) {
        case 'slash':
          return outcomeOf(me.slash(act.command, optionsOf(me, act)));
        case 'complete':
          return complete(me, act);
        case 'apps':
          return outcomeOf(me.useOnMessage(act.command, act.message));
        case 'press':
          if (isNext(act.button, seat)) return advance();
          return outcomeOf(me.press({ id: act.message }, act.button));
        case 'pick':
          if (isNext(act.select, seat)) return advance();
          return outcomeOf(me.pick({ id: act.message }, act.values, act.select));
        case 'submit':
          return outcomeOf(
            me.submit(
              { interactionId: act.modal },
              valuesIn(act.values, (text) => text),
            ),
          );
        case 'say':
          if (act.text.trim() !== '') discord.say(me, act.text);
          return DONE;
        case 'dismiss':
          views.dismiss(act.message);
          return DONE;
        case 'trouble':
          if (act.whom === 'discord') sandbox.troubleDiscord(act.name);
          else if (act.whom === 'steam') sandbox.troubleSteam(act.name);
          else await sandbox.troubleService(act.name);
          return DONE;
        case 'allow':
        case 'revoke':
          if (act.key.trim() !== '') listing[act.do](act.key.trim());
          return DONE;
        case 'kill':
          await bot.stop('SIGKILL');
          return DONE;
        case 'start':
          if (!bot.running) await sandbox.startBot();
          return DONE;
        case 'play':
          player.play(act.scenario, seat.locale);
          return DONE;
        case 'next':
          return advance();
        case 'leave':
          player.leave(act.keepsServer);
          return DONE;
        default:
          throw new Error(`there is no action ${(act as { readonly do: string }).do}`);
      }
    },
  };
}

function optionsOf(
  me: Person,
  { command, options }: { readonly command: string; readonly options: EnteredValues },
): Record<string, OptionValue> {
  const found = me.commands().find((each) => each.name === command && isSlash(each));
  const optionCalled = (name: string) => found?.options?.find((option) => option.name === name);
  return valuesIn(options, (text, name) => optionValue(optionCalled(name), text));
}

/** Converts the user's input: files become uploads, and `read` converts text. */
function valuesIn<Value>(entered: EnteredValues, read: (text: string, name: string) => Value) {
  const values = Object.entries(entered).map(([name, value]): [string, Value | Upload] => {
    if (typeof value === 'string') return [name, read(value, name)];
    return [name, { filename: value.filename, bytes: Buffer.from(value.base64, 'base64') }];
  });
  return Object.fromEntries(values);
}
