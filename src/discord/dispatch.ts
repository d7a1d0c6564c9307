import { randomUUID } from 'node:crypto';
import {
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';
import type { Logger } from '../observability/logger.ts';
import { UserError } from '../user-error.ts';
import { acknowledge, createProgress, deliver, LostInteraction, say, show } from './answers.ts';
import type { BoundIds, Owner } from './bound-ids.ts';
import type { Call, Command, Handler, PressCall, Reply, SubmitCall } from './command.ts';
import {
  type ComponentInteraction,
  callOf,
  choiceOf,
  handlerOf,
  type Incoming,
  isIncoming,
  parseCustomId,
} from './incoming.ts';
import { fitChoices } from './limits.ts';
import { messageText } from './message-text.ts';

export interface DispatchDeps {
  readonly commands: readonly Command[];
  /** Every button, select and modal is bound to its guild, and to its member where only they see it. */
  readonly ids: BoundIds;
  readonly mention: (command: string) => string;
  readonly logger: Logger;
  /** The sentence for a failure that has one of its own; `undefined` for all others. */
  readonly explain: (error: unknown, t: Call['t']) => string | undefined;
}

export interface Dispatcher {
  /** Answers one interaction; never throws. */
  handle(interaction: Interaction): Promise<void>;
  /** Takes no new interaction, and resolves when those under way have ended, or after `ms` milliseconds. */
  drain(ms: number): Promise<void>;
}

/** Interaction → command → answer, and errors → words. The only place that talks back to Discord. */
export function createDispatcher({ commands, ids, mention, logger, explain }: DispatchDeps): Dispatcher {
  const byName = new Map(commands.map((command) => [command.data.name, command]));
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function answer(interaction: Incoming): Promise<void> {
    const call = callOf(interaction, mention);
    const refusal = refuse(call);
    if (refusal !== undefined) return say(interaction, refusal);

    if (interaction.isChatInputCommand()) {
      const command = byName.get(interaction.commandName);
      if (!command || 'useOn' in command) return say(interaction, call.t('dispatch.unknown'));
      const input = { ...call, options: interaction.options };
      if (command.audience === 'none') return open(interaction, call, () => command.run(input));
      const modal = command.opens?.(input);
      if (modal) return open(interaction, call, modal);
      const flags = command.audience === 'member' ? { flags: MessageFlags.Ephemeral as const } : {};
      await acknowledge(() => interaction.deferReply(flags));
      const owner = ownerOf(call, command.audience === 'member');
      return deliver(interaction, await outcome(call, owner, () => command.run(input)));
    }

    if (interaction.isMessageContextMenuCommand()) {
      const command = byName.get(interaction.commandName);
      if (!command || !('useOn' in command)) return say(interaction, call.t('dispatch.unknown'));
      await acknowledge(() => interaction.deferReply({ flags: MessageFlags.Ephemeral }));
      const useOn = () => command.useOn({ ...call, text: messageText(interaction.targetMessage) });
      return deliver(interaction, await outcome(call, ownerOf(call, true), useOn));
    }

    const id = ids.open(interaction.customId, { guildId: call.guildId, userId: call.user.id });
    if (id === undefined) return say(interaction, call.t('dispatch.notYours'));
    const { command, action, argument } = parseCustomId(id);
    if (interaction.isModalSubmit()) {
      const field = (id: string) => interaction.fields.getTextInputValue(id);
      const handler = handlerOf(byName.get(command)?.submits, action);
      return respond<SubmitCall>(interaction, handler, { ...call, argument, field });
    }
    const handler = handlerOf(byName.get(command)?.presses, action);
    const progress = createProgress(interaction);
    const input = { ...call, argument, ...choiceOf(interaction), progress, stopping: stopping.signal };
    return respond<PressCall>(interaction, handler, input);
  }

  function refuse({ guildId, t }: Call): string | undefined {
    if (stopping.signal.aborted) return t('dispatch.stopping');
    if (guildId === '') return t('dispatch.guildOnly');
    return undefined;
  }

  async function respond<In extends Call>(
    interaction: ComponentInteraction | ModalSubmitInteraction,
    handler: Handler<In> | undefined,
    input: In,
  ): Promise<void> {
    if (!handler) return say(interaction, input.t('dispatch.unknown'));
    if (handler.answer === 'modal') {
      if (interaction.isModalSubmit()) throw new Error('Discord allows no modal in answer to a modal');
      return open(interaction, input, () => handler.run(input));
    }
    if (handler.answer === 'reply') {
      await acknowledge(() => interaction.deferReply({ flags: MessageFlags.Ephemeral }));
      return deliver(interaction, await outcome(input, ownerOf(input, true), () => handler.run(input)));
    }
    await acknowledge(() => interaction.deferUpdate());
    const isPrivate = interaction.message?.flags.has(MessageFlags.Ephemeral) ?? true;
    const reply = await handler
      .run(input)
      .then((said) => ids.reply(said, ownerOf(input, isPrivate)))
      .catch((error: unknown) => wordsForFailure(error, input));
    if (typeof reply !== 'string') return deliver(interaction, reply);
    // What the message shows is still true, so the failure is said beside it.
    await interaction.followUp({ content: reply, flags: MessageFlags.Ephemeral });
  }

  /** Runs what opens a modal; a refusal is said in its place. */
  async function open(
    interaction: ChatInputCommandInteraction | ComponentInteraction,
    call: Call,
    run: () => Promise<Parameters<typeof show>[1]>,
  ): Promise<void> {
    try {
      await show(interaction, ids.modal(await run(), ownerOf(call, true)));
    } catch (error) {
      if (error instanceof LostInteraction) throw error;
      await say(interaction, wordsForFailure(error, call));
    }
  }

  async function outcome(call: Call, owner: Owner, run: () => Promise<Reply>): Promise<Reply> {
    try {
      return ids.reply(await run(), owner);
    } catch (error) {
      return { content: wordsForFailure(error, call) };
    }
  }

  function wordsForFailure(error: unknown, { t, interactionId, guildId }: Call): string {
    if (error instanceof UserError) return error.message;
    const reference = randomUUID().slice(0, 8);
    logger.error({ err: error, reference, interactionId, guildId }, 'an interaction failed');
    return t('dispatch.failed', {
      what: explain(error, t) ?? t('failure.unexpected'),
      reference,
    });
  }

  async function complete(interaction: AutocompleteInteraction): Promise<void> {
    const call = callOf(interaction, mention);
    const { name, value } = interaction.options.getFocused(true);
    const command = stopping.signal.aborted ? undefined : byName.get(interaction.commandName);
    const choices = command?.complete?.(call, value, name) ?? [];
    await acknowledge(() => interaction.respond(fitChoices(choices)));
  }

  async function route(interaction: Interaction): Promise<void> {
    try {
      if (interaction.isAutocomplete()) await complete(interaction);
      else if (isIncoming(interaction)) await answer(interaction);
    } catch (error) {
      const about = {
        interactionId: interaction.id,
        type: interaction.type,
        ageMs: Date.now() - interaction.createdTimestamp,
      };
      if (error instanceof LostInteraction) {
        logger.info(
          { ...about, err: error.cause },
          'interaction lost: answered too late or elsewhere; is a second process running on this token?',
        );
      } else {
        logger.error({ ...about, err: error }, 'an answer could not be delivered');
      }
    }
  }

  return {
    handle(interaction) {
      const work = route(interaction).finally(() => running.delete(work));
      running.add(work);
      return work;
    },
    async drain(ms) {
      stopping.abort();
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
      await Promise.race([Promise.all(running), timeout]);
      if (running.size > 0) logger.warn({ running: running.size }, 'stopping before every answer was given');
    },
  };
}

const ownerOf = ({ guildId, user }: Call, isPrivate: boolean): Owner =>
  isPrivate ? { guildId, userId: user.id } : { guildId };
