import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIApplicationCommand,
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteraction,
  type APIApplicationCommandOptionChoice,
  type APIMessageButtonInteractionData,
  type APIMessageSelectMenuInteractionData,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  InteractionContextType,
  InteractionType,
  PermissionFlagsBits,
} from 'discord.js';
import type { Answer, SeenModal } from '../contract.ts';
import { NO_GUILD } from '../world/direct-messages.ts';
import type { Interaction, NewInteraction } from '../world/interactions.ts';
import type { SeenMessage } from '../world/messages.ts';
import type { World } from '../world/world.ts';
import { answerTo } from './answers.ts';
import { findButton, findSelect, preselected } from './components.ts';
import { type ModalInput, modalComplaint, submitted } from './modal-form.ts';
import { filledOptions, type OptionValues, optionComplaint } from './options.ts';
import { type Actor, createResolved, interactionCreate, type RequestData } from './payload.ts';
import { createPhone } from './phone.ts';

interface PersonDeps {
  readonly world: World;
  readonly actor: Actor;
  /** How long the user takes to react, in milliseconds. */
  readonly reactionMs: number;
  /** Sends an INTERACTION_CREATE event to the bot. */
  readonly dispatch: (payload: object, guildId: string) => void;
}

type InteractionParts = Omit<NewInteraction, 'kind' | 'userId' | 'userName' | 'channelId' | 'guildId'>;

const valuesText = (values: readonly string[]): string => values.toSorted().join();

const rejected = (why: string): Answer => ({ kind: 'rejected', why });

/** A message, or the answer that contains it. */
type MessageSource = Answer | Pick<SeenMessage, 'id'>;
/** A modal, or the response that opened it. */
type ModalSource = Answer | Pick<SeenModal, 'interactionId'>;

function messageIdIn(shown: MessageSource): string {
  if (!('kind' in shown)) return shown.id;
  if (shown.kind === 'message') return shown.message.id;
  throw new Error(`expected a message, got: ${JSON.stringify(shown)}`);
}

function interactionIdIn(opened: ModalSource): string {
  if (!('kind' in opened)) return opened.interactionId;
  if (opened.kind === 'modal') return opened.modal.interactionId;
  throw new Error(`expected a modal, got: ${JSON.stringify(opened)}`);
}

/** Creates a user of the mobile Discord app, who can only do what the app allows. */
export function createPerson({ world, actor, reactionMs, dispatch }: PersonDeps) {
  /** Interactions whose modal the user has submitted or closed. */
  const closed = new WeakSet<Interaction>();
  /** The user's choices in selects, by message and custom id. Choices survive edits of the message. */
  const chosen = new Map<string, string>();
  const phone = createPhone();

  /** Whether this channel is the user's direct message channel with the bot. */
  const isDirect = (channelId: string) => world.directMessages.get(channelId)?.userId === actor.userId;

  /** Sends an interaction from the message's channel or, if there is no message, from the user's current channel. */
  function send(did: InteractionParts, asked: RequestData): Interaction {
    const { channelId } = did.source ?? actor;
    const guildId = isDirect(channelId) ? NO_GUILD : actor.guild.id;
    const interaction = world.interactions.open({
      ...did,
      kind: asked.type,
      userId: actor.userId,
      userName: actor.name,
      channelId,
      guildId,
    });
    const there = { ...actor, channelId };
    dispatch(interactionCreate(world, { interaction, actor: there, asked }), guildId);
    return interaction;
  }

  async function seen(interaction: Interaction): Promise<Answer> {
    const answer = await answerTo(world, interaction);
    if (answer.kind !== 'modal') return answer;
    return { kind: 'modal', modal: { ...answer.modal, data: phone.show(answer.modal.data) } };
  }

  /** Returns a modal and the interaction that opened it, or `undefined` if the user doesn't have the modal open. */
  function openModal(opened: ModalSource) {
    const openedBy = world.interactions.get(interactionIdIn(opened));
    const isOpen = openedBy?.userId === actor.userId && !closed.has(openedBy);
    if (!isOpen || openedBy.acknowledged?.type !== 'modal') return undefined;
    return { openedBy, modal: phone.show(openedBy.acknowledged.modal) };
  }

  /** Whether the user may use a command, given its default permissions and the guild's overrides. */
  function isAllowed({ id, contexts, default_member_permissions }: APIApplicationCommand): boolean {
    // A command that doesn't list any contexts is available everywhere.
    if (isDirect(actor.channelId)) return contexts?.includes(InteractionContextType.BotDM) ?? true;
    const { permissions } = actor.member;
    if ((permissions & PermissionFlagsBits.Administrator) !== 0n) return true;
    const entries = actor.guild.integrations.get(id) ?? [];
    if (entries.some((entry) => entry.id === actor.userId && entry.permission)) return true;
    const needed = BigInt(default_member_permissions ?? 0);
    return (permissions & needed) === needed;
  }

  function commands(): readonly APIApplicationCommand[] {
    if (actor.guild.status === 'left') return [];
    return world.commands
      .list()
      .filter(({ type }) => type !== ApplicationCommandType.PrimaryEntryPoint)
      .filter(isAllowed);
  }

  const commandNamed = (name: string, type: ApplicationCommandType) =>
    commands().find((command) => command.name === name && command.type === type);

  /** Returns a message if the user can see it and the bot hasn't left the guild. */
  function shown(id: string) {
    const stored = world.messages.get(id);
    const seesIt = stored?.onlyFor === undefined || stored.onlyFor === actor.userId;
    const botIsThere = actor.guild.status !== 'left';
    const channelId = stored?.channelId ?? '';
    const isHere = actor.guild.channels.has(channelId) || isDirect(channelId);
    return seesIt && botIsThere && isHere ? stored : undefined;
  }

  const here = () => ({
    channels: [...actor.guild.channels.values()],
    roles: [...actor.guild.roles.values()],
    members: [...actor.guild.members.values()].map(({ userId: id, name }) => ({ id, name })),
  });

  /** Waits for the user's reaction time, then performs the action if the message still exists. */
  async function on(
    where: MessageSource,
    act: (source: SeenMessage) => Promise<Answer> | Answer,
  ): Promise<Answer> {
    await sleep(reactionMs);
    const source = shown(messageIdIn(where));
    return source === undefined ? rejected('the message is gone') : act(source);
  }

  /**
   * Runs a command if the user has access to it.
   * @param dataOf returns the data to send, or why Discord's client wouldn't send it
   */
  async function run(
    name: string,
    type: ApplicationCommandType,
    dataOf: (command: APIApplicationCommand) => object | string,
  ): Promise<Answer> {
    const command = commandNamed(name, type);
    if (command === undefined) return rejected(`there is no command ${name} here`);
    const data = dataOf(command);
    if (typeof data === 'string') return rejected(data);
    const about = { id: command.id, name, type, ...data } as APIApplicationCommandInteraction['data'];
    return seen(send({ command }, { type: InteractionType.ApplicationCommand, data: about }));
  }

  return {
    userId: actor.userId,
    name: actor.name,
    guildId: actor.guild.id,
    channelId: actor.channelId,
    /** Returns the commands that Discord shows to this user. */
    commands,

    /** Runs a slash command. Resolves when the user sees a reply; "Thinking…" doesn't count. */
    slash: (name: string, given: OptionValues = {}): Promise<Answer> =>
      run(name, ApplicationCommandType.ChatInput, (command) => {
        const resolved = createResolved(world, actor);
        const complaint = optionComplaint(command, given, actor);
        return complaint ?? { options: filledOptions(command, given, resolved), ...resolved.all() };
      }),

    /** Returns the choices that Discord shows while the user types into the `focused` option. */
    async complete(
      name: string,
      focused: string,
      given: OptionValues,
    ): Promise<readonly APIApplicationCommandOptionChoice[] | 'lost'> {
      const command = commandNamed(name, ApplicationCommandType.ChatInput);
      const option = command?.options?.find((each) => each.name === focused);
      if (command === undefined || option?.type !== ApplicationCommandOptionType.String) return [];
      const typed = String(given[focused] ?? '');
      if (option.autocomplete !== true || [...typed].length > (option.max_length ?? 6_000)) return [];
      // Discord doesn't send resolved data with autocomplete interactions.
      const filled = filledOptions(command, { ...given, [focused]: typed }, createResolved(world, actor));
      const options = filled.map((each) => (each.name === focused ? { ...each, focused: true } : each));
      const data = {
        id: command.id,
        name,
        type: ApplicationCommandType.ChatInput,
        options,
      } as APIApplicationCommandAutocompleteInteraction['data'];
      const how = await send({}, { type: InteractionType.ApplicationCommandAutocomplete, data }).answered;
      return how.type === 'choices' ? how.choices : 'lost';
    },

    /** Presses a button of a message, found by its label or custom id. */
    press: (where: MessageSource, button: string): Promise<Answer> =>
      on(where, (source) => {
        const found = findButton(source.current, button);
        if (typeof found === 'string') return rejected(found);
        const data = { component_type: ComponentType.Button, ...found } as APIMessageButtonInteractionData;
        return seen(send({ source }, { type: InteractionType.MessageComponent, data }));
      }),

    /**
     * Chooses options in a message's select by their labels or values. Channels are labelled `#name`, and roles and members
     * `@name`. Set `customId` if several selects have the same options.
     */
    pick: (where: MessageSource, wanted: readonly string[], customId?: string): Promise<Answer> =>
      on(where, (source) => {
        const found = findSelect(source.current, wanted, { here: here(), customId });
        if (typeof found === 'string') return rejected(found);
        const { select, values } = found;
        const { type, custom_id, id } = select;
        const selectKey = `${source.id} ${custom_id}`;
        const shownNow = chosen.get(selectKey) ?? valuesText(preselected(select));
        if (valuesText(values) === shownNow)
          return rejected('the select already shows that, so it sends nothing');
        chosen.set(selectKey, valuesText(values));
        const resolved = createResolved(world, actor);
        for (const value of values) {
          if (type === ComponentType.RoleSelect) resolved.role(value);
          if (type === ComponentType.ChannelSelect) resolved.channel(value);
          if (type === ComponentType.UserSelect) resolved.user(value);
        }
        const about = { component_type: type, custom_id, id, values: [...values], ...resolved.all() };
        const data = about as APIMessageSelectMenuInteractionData;
        return seen(send({ source }, { type: InteractionType.MessageComponent, data }));
      }),

    /** Fills in and submits a modal. Fields that aren't in `entered` keep their values. */
    async submit(opened: ModalSource, entered: ModalInput): Promise<Answer> {
      await sleep(reactionMs);
      const open = openModal(opened);
      if (open === undefined) return rejected('this modal is not open here');
      if (actor.guild.status === 'left') return rejected('the bot is gone');
      const { openedBy, modal } = open;
      const complaint = modalComplaint(modal, entered);
      if (complaint !== undefined) return rejected(complaint);
      const resolved = createResolved(world, actor);
      const components = submitted(modal, entered, resolved);
      const data = { custom_id: modal.custom_id, components, ...resolved.all() };
      // `source` is undefined if a command opened the modal.
      const { source } = openedBy;
      const interaction = send({ source, openedBy }, { type: InteractionType.ModalSubmit, data });
      // If the bot doesn't respond, the modal stays open with "Something went wrong", and the user can submit it again.
      void interaction.answered.then(({ type }) => type !== 'lost' && closed.add(openedBy));
      return seen(interaction);
    },

    /** Types into a modal, then closes it without submitting. */
    close(opened: ModalSource, typed: Readonly<Record<string, string>>): void {
      const open = openModal(opened);
      if (open === undefined) return;
      phone.close(open.modal, typed);
      closed.add(open.openedBy);
    },

    /** Runs a message command on a message in the user's channel. */
    async useOnMessage(name: string, messageId: string): Promise<Answer> {
      const target = shown(messageId);
      if (target === undefined) return rejected('there is no such message here');
      const resolved = { messages: { [messageId]: target.current } };
      return run(name, ApplicationCommandType.Message, () => ({ target_id: messageId, resolved }));
    },
  };
}
