import {
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';
import type { Logger } from '../logger.ts';
import { memberText } from '../words/look.ts';
import { complete, createProgress, isRefused, LostInteraction, say, show } from './answers.ts';
import {
  type Choice,
  type Command,
  type Context,
  type Handler,
  isDenied,
  type PressContext,
  type SubmitContext,
} from './command.ts';
import { ownerOf, parseCustomId } from './components/custom-ids.ts';
import { createDeferral, type DeferralDeps, refuseModal } from './deferral.ts';
import { createDeliveries, type Deliveries } from './deliver.ts';
import {
  type ComponentInteraction,
  choiceOf,
  contextOf,
  controlOf,
  fieldsToKeep,
  handlerOf,
  type Incoming,
  isIncoming,
  optionsToKeep,
  typeOf,
  type Wording,
} from './incoming.ts';
import { fitChoices } from './limits.ts';
import { createLosses } from './losses.ts';
import { createResume, type PastReplies } from './resume.ts';
import type { Pending, Work } from './taken.ts';

export interface DispatchDeps extends Omit<DeferralDeps, 'deliveries'> {
  readonly commands: readonly Command[];
  readonly wording: Wording;
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

/** What answers an interaction. */
interface Parts extends DispatchDeps, ReturnType<typeof createDeferral> {
  readonly byName: ReadonlyMap<string, Command>;
  /** Aborted when the bot is to stop. */
  readonly stopping: AbortSignal;
  readonly deliveries: Deliveries;
  readonly lost: ReturnType<typeof createLosses>;
}

/** Interaction → command → answer, and errors → words. Nothing else talks back to Discord but `packets.ts`. */
export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { commands, traces, logger } = deps;
  const byName = new Map(commands.map((command) => [command.data.name, command]));
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const deliveries = createDeliveries();
  const deferral = createDeferral({ ...deps, deliveries });
  const lost = createLosses({ logger });
  const parts: Parts = { ...deps, ...deferral, byName, deliveries, lost, stopping: stopping.signal };
  const resume = createResume({ ...deps, deliveries, commands: byName, stopping: stopping.signal });

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
      return tracked(traces.run({ ...about, command }, () => route(parts, interaction)));
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

async function route(parts: Parts, interaction: Interaction): Promise<void> {
  const { traces, logger, lost } = parts;
  try {
    if (interaction.isAutocomplete()) await complete(interaction, choicesFor(parts, interaction));
    else if (isIncoming(interaction)) await answer(parts, interaction);
    // A command or a select of a kind that this bot never made: of an older version, or of another program.
    else await say(interaction, parts.wording.wordsFor(interaction.locale)('dispatch.unknown'));
  } catch (error) {
    const about = {
      interactionId: interaction.id,
      type: interaction.type,
      ageMs: Date.now() - interaction.createdTimestamp,
    };
    if (error instanceof LostInteraction) {
      traces.became('lost');
      lost(about, error.cause);
    } else {
      traces.became(isRefused(error) ? 'undelivered' : 'unanswered');
      logger.error({ ...about, err: error }, 'an answer could not be delivered');
    }
  }
}

function choicesFor(parts: Parts, interaction: AutocompleteInteraction): Choice[] {
  const { byName, stopping, wording, logger } = parts;
  try {
    const { name, value } = interaction.options.getFocused(true);
    const command = stopping.aborted ? undefined : byName.get(interaction.commandName);
    const context = contextOf(interaction, wording);
    if (isDenied(context, command?.permission)) return [];
    return fitChoices(command?.complete?.(context, value, name) ?? []);
  } catch (error) {
    logger.error({ err: error, interactionId: interaction.id }, 'choices could not be made');
    return [];
  }
}

async function answer(parts: Parts, interaction: Incoming): Promise<void> {
  const context = contextOf(interaction, parts.wording);
  // A payload may be so odd that it cannot even be told what is to be done; the member is told all the same.
  const begin = await plan(parts, interaction, context).catch(
    (error: unknown) => () => say(interaction, parts.words(error, context)),
  );
  return begin();
}

type Begin = () => Promise<void>;

async function plan(parts: Parts, interaction: Incoming, context: Context): Promise<Begin> {
  const { stopping } = parts;
  if (stopping.aborted) return turnDown(parts, interaction, context.t('dispatch.stopping'));
  if (context.guildId === '') return turnDown(parts, interaction, context.t('dispatch.guildOnly'));
  if (interaction.isChatInputCommand()) return planCommand(parts, interaction, context);
  if (interaction.isMessageContextMenuCommand()) return planMessageCommand(parts, interaction, context);
  return planControl(parts, interaction, context);
}

function planCommand(parts: Parts, interaction: ChatInputCommandInteraction, context: Context): Begin {
  const command = parts.byName.get(interaction.commandName);
  if (!command || 'useOn' in command) return turnDown(parts, interaction, context.t('dispatch.unknown'));
  if (isDenied(context, command.permission)) return deny(parts, interaction, context, command.data.name);
  const input = { ...context, options: interaction.options };
  if (command.audience === 'none') return open(parts, interaction, context, () => command.run(input));
  const modal = command.opens?.(input);
  if (modal) return open(parts, interaction, context, modal);
  const isPrivate = true;
  const run = () => command.run(input);
  if (command.isAtOnce) return () => parts.answerAtOnce({ interaction, context, isPrivate, run });
  const options = optionsToKeep(interaction.options);
  const work = command.resumes && { command: command.data.name, options };
  return () => parts.answerLater({ interaction, context, isPrivate, shape: 'reply', work, run });
}

function planMessageCommand(
  parts: Parts,
  interaction: MessageContextMenuCommandInteraction,
  context: Context,
): Begin {
  const command = parts.byName.get(interaction.commandName);
  if (!command || !('useOn' in command)) return turnDown(parts, interaction, context.t('dispatch.unknown'));
  if (isDenied(context, command.permission)) return deny(parts, interaction, context, command.data.name);
  const { content: text } = interaction.targetMessage;
  const run = () => command.useOn({ ...context, text });
  return () => parts.answerLater({ interaction, context, isPrivate: true, shape: 'reply', run });
}

/** A button, a select or a modal: found by the id that was signed. */
function planControl(
  parts: Parts,
  interaction: ComponentInteraction | ModalSubmitInteraction,
  context: Context,
): Begin {
  const { ids, byName, traces, deliveries, stopping } = parts;
  const id = ids.open(interaction.customId, { guildId: context.guildId, userId: context.user.id });
  if (id === undefined)
    return turnDown(parts, interaction, context.t(`dispatch.stale.${controlOf(interaction)}`));
  const { command: name, action, argument } = parseCustomId(id);
  const command = byName.get(name);
  if (command) traces.named(name);
  if (interaction.isModalSubmit()) {
    const field = (id: string) => interaction.fields.getTextInputValue(id);
    const handler = handlerOf(command?.submits, action);
    if (isDenied(context, handler?.permission ?? command?.permission)) {
      return deny(parts, interaction, context, name, action);
    }
    const work = () => ({ command: name, action, argument, fields: fieldsToKeep(interaction) });
    return respond<SubmitContext>(parts, interaction, {
      handler,
      input: { ...context, argument, field },
      work,
    });
  }
  deliveries.pressed(interaction.message.interactionMetadata?.id, interaction.customId);
  const handler = handlerOf(command?.presses, action);
  if (isDenied(context, handler?.permission ?? command?.permission)) {
    return deny(parts, interaction, context, name, action);
  }
  const choice = choiceOf(interaction);
  const input = { ...context, argument, ...choice, progress: createProgress(interaction), stopping };
  const { values } = choice;
  const work = () => ({ command: name, action, argument, values });
  return respond<PressContext>(parts, interaction, { handler, input, work });
}

interface Responding<In extends Context> {
  readonly handler: Handler<In> | undefined;
  readonly input: In;
  readonly work: () => Work;
}

function respond<In extends Context>(
  parts: Parts,
  interaction: ComponentInteraction | ModalSubmitInteraction,
  { handler, input, work }: Responding<In>,
): Begin {
  if (!handler) return turnDown(parts, interaction, input.t('dispatch.unknown'));
  if (handler.answer === 'modal') {
    if (interaction.isModalSubmit()) throw new Error('Discord allows no modal in answer to a modal');
    return open(parts, interaction, input, () => handler.run(input));
  }
  const shape = handler.answer;
  return () =>
    parts.answerLater({
      ...{ interaction, context: input, shape },
      // A reply is seen by the member only; an update is as public as the message that it changes.
      isPrivate: shape === 'reply' || (interaction.message?.flags.has(MessageFlags.Ephemeral) ?? true),
      work: handler.resumes && work(),
      run: () => handler.run(input),
    });
}

/** Runs what opens a modal; a refusal is said in its stead. */
function open(
  parts: Parts,
  interaction: ChatInputCommandInteraction | ComponentInteraction,
  context: Context,
  run: () => Promise<Parameters<typeof show>[1]>,
): Begin {
  return async () => {
    try {
      await show(interaction, parts.ids.modal(await run(), ownerOf(context, true)));
    } catch (error) {
      if (error instanceof LostInteraction) throw error;
      await refuseModal(parts, { interaction, context }, error);
    }
  };
}

function turnDown({ traces }: Parts, interaction: Incoming, why: string): Begin {
  return () => {
    traces.became('refused');
    return say(interaction, why);
  };
}

/** Says so to the member, to the operator and to the admins. Nothing that was entered is told to anybody. */
function deny(
  parts: Parts,
  interaction: Incoming,
  { interactionId, guildId, user, t }: Context,
  ...[command, action]: readonly [command: string, action?: string]
): Begin {
  const { wording, tellGuild, logger } = parts;
  const used = { command, ...(action !== undefined && { action }) };
  return async () => {
    logger.info({ interactionId, guildId, ...used }, 'refused: the member lacks the permission');
    await Promise.all([
      turnDown(parts, interaction, t('permission.manageGuild'))(),
      tellGuild(guildId, (words) =>
        words('guildLog.notAllowed', { member: memberText(user), command: wording.mention(command) }),
      ),
    ]);
  };
}
