import { setTimeout as sleep } from 'node:timers/promises';
import type { APIApplicationCommand, APIApplicationCommandOptionChoice } from 'discord.js';
import type { Answer, Person } from '../contract.ts';
import { checkInvocation } from '../rest/rules/invocation.ts';
import { checkModalValues } from '../rest/rules/modals.ts';
import type { Interaction } from '../world/interactions.ts';
import type { SeenMessage } from '../world/messages.ts';
import type { World } from '../world/world.ts';
import { type Actor, partialMember, user } from './actor.ts';
import { answerTo } from './answers.ts';
import { fieldWords, optionWords } from './complaints.ts';
import { findButton, findSelect } from './components.ts';
import { checkable, submitted } from './modal-form.ts';
import { fillOptions, optionNamed } from './options.ts';
import { createResolved, interactionCreate, type Resolved } from './payload.ts';
import { visibleCommands } from './visibility.ts';

export interface PersonDeps {
  readonly world: World;
  readonly actor: Actor;
  /** How long they take to react to what they see, in milliseconds. */
  readonly reactionMs: number;
  /** Sends an INTERACTION_CREATE. */
  readonly dispatch: (payload: object, guildId: string | undefined) => void;
}

type Started = Pick<Interaction, 'kind'> &
  Partial<
    Pick<Interaction, 'commandType' | 'commandName' | 'target' | 'openedBy' | 'source' | 'focusedOptionType'>
  >;

interface UsedOn {
  readonly id: string;
  readonly target: object;
  readonly resolved: object;
}

const refused = (why: string): Answer => ({ kind: 'refused', why });

const head = ({ id, name, type, guild_id }: APIApplicationCommand) => ({
  id,
  name,
  type,
  ...(guild_id && { guild_id }),
});

/** What Discord sends of what was chosen, by the type of the select (Discord docs: Components). */
const RESOLVED: Readonly<Record<number, (resolved: Resolved, id: string) => void>> = {
  5: (resolved, id) => resolved.user(id),
  6: (resolved, id) => resolved.role(id),
  7: (resolved, id) => resolved.mentionable(id),
  8: (resolved, id) => resolved.channel(id),
};

/** Rules 24 and 38: one person and their Discord, which sends nothing that it would not let them send. */
export function createPerson(deps: PersonDeps): Omit<Person, 'guildId'> {
  const { world, actor } = deps;
  const theirs = createDiscordOf(deps);
  return {
    userId: actor.userId,
    name: actor.name,
    channelId: actor.channelId,
    commands: () => visibleCommands(world, actor),
    ...commandsOf(deps, theirs),
    ...messagesOf(deps, theirs),
    ...modalsOf(deps, theirs),
  };
}

/** What a person's Discord sends and shows. */
function createDiscordOf({ world, actor, dispatch }: PersonDeps) {
  function send(about: Started, data: object): Interaction {
    const interaction = world.interactions.open({
      commandType: undefined,
      commandName: undefined,
      target: undefined,
      openedBy: undefined,
      source: undefined,
      focusedOptionType: undefined,
      ...about,
      userId: actor.userId,
      userName: actor.name,
      channelId: actor.channelId,
      guildId: actor.guild?.id,
      userInstallOnly: actor.userInstall,
    });
    dispatch(interactionCreate(world, { interaction, actor, data }), actor.guild?.id);
    return interaction;
  }

  /** `games list` is the subcommand `list` of `games`. */
  function commandNamed(name: string, type: 1 | 2 | 3) {
    const offered = visibleCommands(world, actor).filter((command) => Number(command.type) === type);
    const whole = offered.find((command) => command.name === name);
    if (whole !== undefined) return { command: whole, subcommand: [] };
    const [first, ...subcommand] = name.split(/\s+/);
    const command = offered.find((each) => each.name === first);
    return command && type === 1 ? { command, subcommand } : undefined;
  }

  /** The message as it is now, when this person can see it and the bot can still be told about it. */
  function shown(message: SeenMessage) {
    const stored = world.messages.get(message.id);
    const seesIt = stored?.onlyFor === undefined || stored.onlyFor === actor.userId;
    const botIsThere = actor.guild?.status !== 'left';
    return stored?.current && seesIt && botIsThere && stored.channelId === actor.channelId
      ? { stored, current: stored.current }
      : undefined;
  }

  return { send, commandNamed, shown };
}
type DiscordOf = ReturnType<typeof createDiscordOf>;

/** Commands of every kind, and the choices of their options. */
function commandsOf(
  { world, actor }: PersonDeps,
  { send, commandNamed, shown }: DiscordOf,
): Pick<Person, 'slash' | 'complete' | 'useOnMessage' | 'useOnUser'> {
  async function useOn(type: 2 | 3, name: string, on: UsedOn): Promise<Answer> {
    const found = commandNamed(name, type);
    if (found === undefined) return refused(`there is no command ${name} here`);
    const data = { ...head(found.command), target_id: on.id, resolved: on.resolved };
    const about = { kind: 2, commandType: type, commandName: name, target: on.target } as const;
    return answerTo(world, send(about, data));
  }

  return {
    async slash(name, given = {}) {
      const found = commandNamed(name, 1);
      if (found === undefined) return refused(`there is no command ${name} here`);
      const { command, subcommand } = found;
      const complaints = checkInvocation(command, given, { subcommand });
      if (complaints.length > 0) return refused(optionWords(complaints));
      const { options, resolved, strangers } = fillOptions(world, actor, { command, subcommand, given });
      if (strangers.length > 0) return refused(`${strangers.join(', ')}: there is nothing like that here`);
      const data = { ...head(command), options, ...(resolved && { resolved }) };
      const commandName = [command.name, ...subcommand].join(' ');
      return answerTo(world, send({ kind: 2, commandType: 1, commandName }, data));
    },

    async complete(name, focused, given): Promise<readonly APIApplicationCommandOptionChoice[] | 'lost'> {
      const found = commandNamed(name, 1);
      if (found === undefined) return [];
      const { command, subcommand } = found;
      const option = optionNamed(command, subcommand, focused);
      const fits = checkInvocation(command, given, { subcommand, typing: true }).length === 0;
      if (option === undefined || !('autocomplete' in option) || !option.autocomplete || !fits) return [];
      const { options } = fillOptions(world, actor, { command, subcommand, given, focused });
      const about = { kind: 4, focusedOptionType: option.type } as const;
      const how = await send(about, { ...head(command), options }).answered;
      return how.type === 'choices' ? how.choices : 'lost';
    },

    async useOnMessage(command, messageId) {
      const message = world.messages.get(messageId);
      const seen = message && shown(message.seen);
      if (seen === undefined) return refused('there is no such message here');
      return useOn(3, command, {
        id: messageId,
        target: { target_message_id: messageId },
        resolved: { messages: { [messageId]: seen.current } },
      });
    },

    async useOnUser(command, userId) {
      const member = actor.guild?.members.get(userId);
      if (member === undefined) return refused('there is no such member here');
      return useOn(2, command, {
        id: userId,
        target: { target_user: user(member) },
        resolved: { users: { [userId]: user(member) }, members: { [userId]: partialMember(member) } },
      });
    },
  };
}

/** Buttons and selects of messages. */
function messagesOf(
  { world, actor, reactionMs }: PersonDeps,
  { send, shown }: DiscordOf,
): Pick<Person, 'press' | 'pick'> {
  return {
    async press(message, button) {
      await sleep(reactionMs);
      const seen = shown(message);
      if (seen === undefined) return refused('the message is gone');
      const found = findButton(seen.current, button);
      if (typeof found === 'string') return refused(found);
      const { custom_id, id } = found;
      const interaction = send({ kind: 3, source: seen.stored }, { component_type: 2, custom_id, id });
      return answerTo(world, interaction);
    },

    async pick(message, wanted, customId) {
      await sleep(reactionMs);
      const seen = shown(message);
      if (seen === undefined) return refused('the message is gone');
      const found = findSelect(seen.current, wanted, actor.guild, customId);
      if (typeof found === 'string') return refused(found);
      const { select, values } = found;
      const resolved = createResolved(world, actor);
      for (const value of select.options === undefined ? values : []) {
        RESOLVED[select.type]?.(resolved, value);
      }
      const { type, custom_id, id } = select;
      const data = { component_type: type, custom_id, id, values, resolved: resolved.all() };
      return answerTo(world, send({ kind: 3, source: seen.stored }, data));
    },
  };
}

function modalsOf({ world, actor, reactionMs }: PersonDeps, { send }: DiscordOf): Pick<Person, 'submit'> {
  /** What opened a modal that was then submitted and answered. */
  const closed = new WeakSet<Interaction>();
  return {
    async submit({ interactionId }, values) {
      await sleep(reactionMs);
      const opened = world.interactions.get(interactionId);
      if (opened?.acknowledged?.type !== 'modal' || opened.userId !== actor.userId || closed.has(opened))
        return refused('this modal is not open here');
      if (actor.guild?.status === 'left') return refused('the bot is gone');
      const { modal } = opened.acknowledged;
      const complaints = checkModalValues(modal, checkable(values));
      if (complaints.length > 0) return refused(fieldWords(complaints));
      const resolved = createResolved(world, actor);
      const components = submitted(modal, values, resolved);
      const data = { custom_id: modal.custom_id, components, resolved: resolved.all() };
      // A modal that a command opened has no message to update.
      const interaction = send({ kind: 5, source: opened.source, openedBy: opened }, data);
      // When nothing came, "Something went wrong" stands in the modal, and it can be submitted again.
      void interaction.answered.then(({ type }) => type !== 'lost' && closed.add(opened));
      return answerTo(world, interaction);
    },
  };
}
