import {
  type ChannelSelectMenuInteraction,
  ComponentType,
  type Message,
  MessageFlags,
  type ModalSubmitInteraction,
  PermissionsBitField,
} from 'discord.js';
import type { Logger } from '../logger.ts';
import { isOver } from '../user-error.ts';
import type { ChosenChannel, Command, Context, Handler, PressContext, SubmitContext } from './command.ts';
import { parseCustomId, type SignedIds } from './components/controls.ts';
import type { Answerable, Deliveries } from './deliver.ts';
import type { Answer, Asked, ComponentInteraction, Work } from './incoming.ts';
import type { Deferred } from './taken.ts';
import type { Traces } from './traces.ts';

export interface PressesDeps {
  readonly byName: ReadonlyMap<string, Command>;
  readonly ids: Pick<SignedIds, 'open'>;
  readonly deliveries: Pick<Deliveries, 'pressed' | 'opened' | 'submitted'>;
  readonly traces: Pick<Traces, 'named'>;
  /** Aborted when the bot is to stop. */
  readonly stopping: AbortSignal;
}

/**
 * What a button, a select or a modal asks for, found by the id that was signed.
 * @returns a sentence where the id is not one of ours
 */
export function askedByControl(
  interaction: ComponentInteraction | ModalSubmitInteraction,
  context: Context,
  { byName, ids, deliveries, traces, stopping }: PressesDeps,
): Asked | string {
  const id = ids.open(interaction.customId, { guildId: context.guildId, userId: context.user.id });
  if (id === undefined) return context.t(`dispatch.stale.${controlOf(interaction)}`);
  const { command: name, action, argument } = parseCustomId(id);
  const command = byName.get(name);
  if (command) traces.named(name);
  const kept = { command: name, action, argument };
  const messageOf = interaction.message?.interactionMetadata?.id;
  if (interaction.isModalSubmit()) {
    const handler = handlerOf(command?.submits, action);
    if (handler?.answer === 'update') deliveries.submitted(messageOf);
    const field = (id: string) => interaction.fields.getTextInputValue(id);
    const work = () => ({ ...kept, fields: fieldsToKeep(interaction) });
    return {
      ...{ command: name, action, permission: handler?.permission ?? command?.permission },
      answer: () => answerBy<SubmitContext>(handler, { ...context, argument, field }, { interaction, work }),
    };
  }
  const handler = handlerOf(command?.presses, action);
  if (handler?.answer === 'modal') deliveries.opened(messageOf, interaction.customId);
  if (handler?.answer === 'update') deliveries.pressed(messageOf, interaction.customId);
  return {
    ...{ command: name, action, permission: handler?.permission ?? command?.permission },
    answer() {
      const choice = choiceOf(interaction);
      const input = { ...context, argument, ...choice, progress: createProgress(interaction), stopping };
      const work = () => ({ ...kept, values: choice.values });
      return answerBy<PressContext>(handler, input, { interaction, work });
    },
  };
}

function answerBy<Input extends Context>(
  handler: Handler<Input> | undefined,
  input: Input,
  {
    interaction,
    work,
  }: {
    readonly interaction: ComponentInteraction | ModalSubmitInteraction;
    readonly work: () => Work;
  },
): Answer | undefined {
  if (handler?.answer === 'modal') return { shape: 'modal', open: () => handler.run(input) };
  return (
    handler && {
      shape: handler.answer,
      // A reply is seen by the member only; an update is as public as the message that it changes.
      isPrivate:
        handler.answer === 'reply' || (interaction.message?.flags.has(MessageFlags.Ephemeral) ?? true),
      work: handler.resumes && work(),
      run: () => handler.run(input),
    }
  );
}

/** A handler by the action in a custom id, which is anyone's text: `constructor` must find nothing. */
export function handlerOf<Value>(
  handlers: Readonly<Record<string, Value>> | undefined,
  action: string,
): Value | undefined {
  return handlers && Object.hasOwn(handlers, action) ? handlers[action] : undefined;
}

/** What a member calls the thing they used. */
function controlOf(interaction: ComponentInteraction | ModalSubmitInteraction): 'button' | 'menu' | 'form' {
  if (interaction.isModalSubmit()) return 'form';
  return interaction.isButton() ? 'button' : 'menu';
}

/**
 * What was chosen in a select; nothing for a button. Of channels and roles only those that Discord says are some: it
 * knows which of the ids that a client has sent are channels of this server that the member sees, or roles of it.
 */
function choiceOf(interaction: ComponentInteraction): {
  values: readonly string[];
  channels: readonly ChosenChannel[];
  roles: readonly string[];
} {
  const nothing = { values: [], channels: [], roles: [] };
  if (interaction.isButton()) return nothing;
  if (interaction.isStringSelectMenu()) return { ...nothing, values: interaction.values };
  if (interaction.isRoleSelectMenu()) {
    const roles = interaction.values.filter((id) => interaction.roles.has(id));
    return { values: roles, channels: [], roles };
  }
  const channels = interaction.values
    .filter((id) => interaction.channels.has(id))
    .map((id) => ({ id, botPermissions: botPermissions(interaction, id) }));
  return { values: channels.map(({ id }) => id), channels, roles: [] };
}

/**
 * What Discord says the bot may do in a chosen channel (Discord docs: Interactions, Resolved Data). No channel is in a
 * cache, and depending on what discord.js knows of the guild it passes on the channel raw or as an object of its own.
 */
function botPermissions(
  { channels }: ChannelSelectMenuInteraction,
  id: string,
): ChosenChannel['botPermissions'] {
  const channel = Object(channels.get(id));
  if (channel.appPermissions instanceof PermissionsBitField) return channel.appPermissions;
  const bits: unknown = channel.app_permissions;
  return typeof bits === 'string' && /^\d+$/.test(bits) ? new PermissionsBitField(BigInt(bits)) : undefined;
}

/** The texts of a modal as they can be kept. */
const fieldsToKeep = ({ fields }: ModalSubmitInteraction): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...fields.fields.values()].flatMap((field) =>
      'value' in field && typeof field.value === 'string' ? [[field.customId, field.value]] : [],
    ),
  );

/** How often a message may show progress, in milliseconds: a webhook takes about five requests in 2 seconds. */
const PROGRESS_EVERY_MS = 2000;

/** See {@link PressContext.progress}. discord.js sends the requests of one interaction in order, so the answer comes last. */
export function createProgress(interaction: Pick<Answerable, 'editReply'>): PressContext['progress'] {
  let shownAt = Number.NEGATIVE_INFINITY;
  let showing = false;
  return ({ embeds = [] }) => {
    if (showing || performance.now() - shownAt < PROGRESS_EVERY_MS) return;
    showing = true;
    shownAt = performance.now();
    interaction
      .editReply({ embeds: [...embeds], components: [], allowedMentions: { parse: [] } })
      .catch(() => undefined) // The work goes on, and its end is told whatever became of this.
      .finally(() => {
        showing = false;
      });
  };
}

export interface ButtonRemovalDeps {
  /** Answers a press or a window. */
  readonly answer: (deferred: Deferred) => Promise<void>;
  readonly logger: Logger;
}

/**
 * Takes the buttons away from messages that are over, except for links. A second press finds the list gone that a first
 * one has just submitted, while the report on it, with buttons of its own, comes or has come into the same message. So
 * only the last of those under way does it, and only while the message still has what was pressed: Discord has no
 * "change it if it is still so".
 * @returns answers a press or a window. Fails as that does; that the buttons stay is no failure
 */
export function createButtonRemoval({ answer, logger }: ButtonRemovalDeps): ButtonRemovalDeps['answer'] {
  /** How many presses and windows are being answered that may change a message, by its id. */
  const underway = new Map<string, number>();

  function ended(id: string): void {
    const others = (underway.get(id) ?? 1) - 1;
    if (others > 0) underway.set(id, others);
    else underway.delete(id);
  }

  return async (deferred) => {
    const { interaction, run } = deferred;
    if (interaction.isCommand() || !interaction.message) return answer(deferred);
    const { customId, message } = interaction;
    underway.set(message.id, (underway.get(message.id) ?? 0) + 1);
    let over = false;
    const watched = () =>
      run().catch((error: unknown) => {
        over = isOver(error);
        throw error;
      });
    await answer({ ...deferred, run: watched }).finally(() => ended(message.id));
    if (!over || underway.has(message.id)) return;
    try {
      const now = await interaction.fetchReply();
      if (!customIdsIn(now).includes(customId)) return;
      await interaction.editReply({ components: linksIn(now), allowedMentions: { parse: [] } });
    } catch (error) {
      logger.info({ err: error, interactionId: interaction.id }, 'a message that is over keeps its buttons');
    }
  };
}

const rowsOf = ({ components }: Pick<Message, 'components'>) =>
  components.flatMap((row) => (row.type === ComponentType.ActionRow ? [row.toJSON()] : []));

const customIdsIn = (message: Pick<Message, 'components'>): readonly string[] =>
  rowsOf(message)
    .flatMap(({ components }) => components)
    .flatMap((control) => ('custom_id' in control ? [control.custom_id] : []));

const linksIn = (message: Pick<Message, 'components'>) =>
  rowsOf(message).flatMap(({ type, components }) => {
    const links = components.filter((control) => 'url' in control);
    return links.length > 0 ? [{ type, components: links }] : [];
  });
