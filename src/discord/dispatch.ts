import {
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';
import type { Logger } from '../logger.ts';
import { memberText } from '../words/guild-log.ts';
import { wordsFor } from '../words/words.ts';
import { complete, createProgress, isRefused, LostInteraction, say, show } from './answers.ts';
import type { Choice, Command, Context, Handler, PressContext, SubmitContext } from './command.ts';
import { ownerOf, parseCustomId } from './components/custom-ids.ts';
import { createDeferral, type DeferralDeps } from './deferral.ts';
import { createDeliveries } from './deliver.ts';
import {
  type ComponentInteraction,
  choiceOf,
  contextOf,
  controlOf,
  handlerOf,
  type Incoming,
  isIncoming,
  optionsToKeep,
} from './incoming.ts';
import { fitChoices } from './limits.ts';
import { isAllowed, type Permission } from './permission.ts';
import { createResume, type PastReplies } from './resume.ts';
import { fieldsToKeep, optionsToKeep, type Pending, type Work } from './taken.ts';
import type { InteractionType } from './traces.ts';

export interface DispatchDeps extends Omit<DeferralDeps, 'deliveries'> {
  readonly commands: readonly Command[];
  readonly mention: Context['mention'];
  readonly logger: Logger;
}

export interface Dispatcher {
  /** Answers one interaction; never throws. */
  handle(interaction: Interaction): Promise<void>;
  /** Answers what a previous run of the bot has not; never throws. */
  resume(pending: Pending, replies: PastReplies): Promise<void>;
  /** Takes no new interaction, and resolves when those under way have ended, or after `ms` milliseconds. */
  drain(ms: number): Promise<void>;
}

const isDenied = (context: Context, permission: Permission | undefined): boolean =>
  permission !== undefined && !isAllowed(context, permission);

/** Interaction → command → answer, and errors → words. Nothing else talks back to Discord but `packets.ts`. */
export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { commands, ids, mention, words, traces, tellGuild, logger } = deps;
  const byName = new Map(commands.map((command) => [command.data.name, command]));
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const deliveries = createDeliveries();
  const { answerAtOnce, answerLater } = createDeferral({ ...deps, deliveries });
  const resume = createResume({ ...deps, deliveries, commands: byName, stopping: stopping.signal });

  async function answer(interaction: Incoming): Promise<void> {
    const context = contextOf(interaction, mention);
    // A payload may be so odd that it cannot even be told what is to be done; the member is told all the same.
    const begin = await plan(interaction, context).catch(
      (error: unknown) => () => say(interaction, words(error, context)),
    );
    return begin();
  }

  async function plan(interaction: Incoming, context: Context): Promise<() => Promise<void>> {
    const refusal = refuse(context);
    if (refusal !== undefined) return () => turnDown(interaction, refusal);

    if (interaction.isChatInputCommand()) {
      const command = byName.get(interaction.commandName);
      if (!command || 'useOn' in command) return () => turnDown(interaction, context.t('dispatch.unknown'));
      if (isDenied(context, command.permission)) return () => deny(interaction, context, command.data.name);
      const input = { ...context, options: interaction.options };
      if (command.audience === 'none') return () => open(interaction, context, () => command.run(input));
      const modal = command.opens?.(input);
      if (modal) return () => open(interaction, context, modal);
      const isPrivate = true;
      const run = () => command.run(input);
      if (command.isAtOnce) return () => answerAtOnce({ interaction, context, isPrivate, run });
      const options = optionsToKeep(interaction.options);
      const work = command.resumes && { command: command.data.name, options };
      return () => answerLater({ interaction, context, isPrivate, shape: 'reply', work, run });
    }

    if (interaction.isMessageContextMenuCommand()) {
      const command = byName.get(interaction.commandName);
      if (!command || !('useOn' in command))
        return () => turnDown(interaction, context.t('dispatch.unknown'));
      if (isDenied(context, command.permission)) return () => deny(interaction, context, command.data.name);
      const { content: text } = interaction.targetMessage;
      const run = () => command.useOn({ ...context, text });
      return () => answerLater({ interaction, context, isPrivate: true, shape: 'reply', run });
    }

    const id = ids.open(interaction.customId, { guildId: context.guildId, userId: context.user.id });
    if (id === undefined)
      return () => turnDown(interaction, context.t(`dispatch.stale.${controlOf(interaction)}`));
    const { command: name, action, argument } = parseCustomId(id);
    const command = byName.get(name);
    if (command) traces.named(name);
    if (interaction.isModalSubmit()) {
      const field = (id: string) => interaction.fields.getTextInputValue(id);
      const handler = handlerOf(command?.submits, action);
      if (isDenied(context, handler?.permission ?? command?.permission)) {
        return () => deny(interaction, context, name, action);
      }
      const work = () => ({ command: name, action, argument, fields: fieldsToKeep(interaction) });
      return () => respond<SubmitContext>(interaction, handler, { ...context, argument, field }, work);
    }
    deliveries.pressed(interaction.message.interactionMetadata?.id, interaction.customId);
    const handler = handlerOf(command?.presses, action);
    if (isDenied(context, handler?.permission ?? command?.permission)) {
      return () => deny(interaction, context, name, action);
    }
    const progress = createProgress(interaction);
    const choice = choiceOf(interaction);
    const input = { ...context, argument, ...choice, progress, stopping: stopping.signal };
    const { values } = choice;
    const work = () => ({ command: name, action, argument, values });
    return () => respond<PressContext>(interaction, handler, input, work);
  }

  function turnDown(interaction: Incoming, why: string): Promise<void> {
    traces.became('refused');
    return say(interaction, why);
  }

  function refuse({ guildId, t }: Context): string | undefined {
    if (stopping.signal.aborted) return t('dispatch.stopping');
    if (guildId === '') return t('dispatch.guildOnly');
    return undefined;
  }

  /** Says so to the member, to the operator and to the admins. Nothing that was entered is told to anybody. */
  async function deny(
    interaction: Incoming,
    { interactionId, guildId, user, t }: Context,
    command: string,
    action?: string,
  ): Promise<void> {
    const used = { command, ...(action !== undefined && { action }) };
    logger.info({ interactionId, guildId, ...used }, 'refused: the member lacks the permission');
    await Promise.all([
      turnDown(interaction, t('permission.manageGuild')),
      tellGuild(guildId, (words) =>
        words('guildLog.notAllowed', { member: memberText(user), command: mention(command) }),
      ),
    ]);
  }

  async function respond<In extends Context>(
    interaction: ComponentInteraction | ModalSubmitInteraction,
    handler: Handler<In> | undefined,
    input: In,
    work: () => Work,
  ): Promise<void> {
    if (!handler) return turnDown(interaction, input.t('dispatch.unknown'));
    if (handler.answer === 'modal') {
      if (interaction.isModalSubmit()) throw new Error('Discord allows no modal in answer to a modal');
      return open(interaction, input, () => handler.run(input));
    }
    const shape = handler.answer;
    return answerLater({
      ...{ interaction, context: input, shape },
      // A reply is seen by the member only; an update is as public as the message that it changes.
      isPrivate: shape === 'reply' || (interaction.message?.flags.has(MessageFlags.Ephemeral) ?? true),
      work: handler.resumes && work(),
      run: () => handler.run(input),
    });
  }

  /** Runs what opens a modal; a refusal is said in its place. */
  async function open(
    interaction: ChatInputCommandInteraction | ComponentInteraction,
    context: Context,
    run: () => Promise<Parameters<typeof show>[1]>,
  ): Promise<void> {
    try {
      await show(interaction, ids.modal(await run(), ownerOf(context, true)));
    } catch (error) {
      if (error instanceof LostInteraction) throw error;
      await say(interaction, words(error, context));
    }
  }

  function choicesFor(interaction: AutocompleteInteraction): Choice[] {
    try {
      const { name, value } = interaction.options.getFocused(true);
      const command = stopping.signal.aborted ? undefined : byName.get(interaction.commandName);
      const context = contextOf(interaction, mention);
      if (isDenied(context, command?.permission)) return [];
      return fitChoices(command?.complete?.(context, value, name) ?? []);
    } catch (error) {
      logger.error({ err: error, interactionId: interaction.id }, 'choices could not be made');
      return [];
    }
  }

  async function route(interaction: Interaction): Promise<void> {
    try {
      if (interaction.isAutocomplete()) await complete(interaction, choicesFor(interaction));
      else if (isIncoming(interaction)) await answer(interaction);
      // A command or a select of a kind that this bot never made: of an older version, or of another program.
      else await say(interaction, wordsFor(interaction.locale)('dispatch.unknown'));
    } catch (error) {
      const about = {
        interactionId: interaction.id,
        type: interaction.type,
        ageMs: Date.now() - interaction.createdTimestamp,
      };
      if (error instanceof LostInteraction) {
        traces.became('lost');
        logger.info(
          { ...about, err: error.cause },
          'interaction lost: answered too late or elsewhere; is a second process running on this token?',
        );
      } else {
        traces.became(isRefused(error) ? 'undelivered' : 'unanswered');
        logger.error({ ...about, err: error }, 'an answer could not be delivered');
      }
    }
  }

  function tracked(work: Promise<void>): Promise<void> {
    const ended = work.finally(() => running.delete(ended));
    running.add(ended);
    return ended;
  }

  return {
    handle: (interaction) => {
      const name = 'commandName' in interaction ? interaction.commandName : '';
      const about = { interactionId: interaction.id, type: typeOf(interaction) };
      const command = byName.has(name) ? name : 'other';
      return tracked(traces.run({ ...about, command }, () => route(interaction)));
    },
    resume: (pending, replies) => {
      const { interactionId, work } = pending.interaction;
      const type = !work || 'options' in work ? 'command' : 'fields' in work ? 'modal' : 'component';
      const about = { interactionId, type, receivedAt: pending.at, isResumed: true } as const;
      const command = work && byName.has(work.command) ? work.command : 'other';
      return tracked(traces.run({ ...about, command }, () => resume(pending, replies)));
    },
    async drain(ms) {
      stopping.abort();
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
      await Promise.race([Promise.all(running), timeout]);
      if (running.size > 0) logger.warn({ running: running.size }, 'stopping before every answer was given');
    },
  };
}

function typeOf(interaction: Interaction): InteractionType {
  if (interaction.isCommand()) return 'command';
  if (interaction.isAutocomplete()) return 'autocomplete';
  if (interaction.isMessageComponent()) return 'component';
  return interaction.isModalSubmit() ? 'modal' : 'other';
}
