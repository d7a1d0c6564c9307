import {
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  InteractionResponseType,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
} from 'discord.js';
import type { Logger } from '../logger.ts';
import { createFairStart } from '../pauses.ts';
import { isOver, UserError } from '../user-error.ts';
import { memberText } from '../words/words.ts';
import {
  type Choice,
  type Command,
  type Context,
  PERMISSION_BITS,
  type Permission,
  type Reply,
  type Wording,
} from './command.ts';
import type { Modal } from './components/controls.ts';
import { createDeliveries, ownerOf, say } from './deliver.ts';
import { type Asked, contextOf, type Incoming, isIncoming, optionsToKeep, typeOf } from './incoming.ts';
import { fitChoices } from './limits.ts';
import { askedByControl, createButtonRemoval, type PressesDeps } from './presses.ts';
import { isRefused, LostInteraction, respondFirst } from './rest.ts';
import { createResume, type PastReplies, type Pending } from './resume.ts';
import { createDeferral, type DeferralDeps } from './taken.ts';
import { createFailureWords, createLosses } from './traces.ts';

export interface DispatchDeps extends Omit<DeferralDeps, 'deliveries' | 'words'> {
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
interface Parts
  extends DispatchDeps,
    Pick<PressesDeps, 'byName' | 'stopping'>,
    Pick<DeferralDeps, 'words' | 'deliveries'>,
    ReturnType<typeof createDeferral> {
  readonly answerPress: ReturnType<typeof createButtonRemoval>;
  readonly lost: ReturnType<typeof createLosses>;
  readonly fairly: ReturnType<typeof createFairStart>;
}

/** Interaction → command → answer, and errors → words. Nothing else talks back to Discord but `incoming.ts`. */
export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { commands, traces, logger } = deps;
  const byName = new Map(commands.map((command) => [command.data.name, command]));
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const shared = {
    ...deps,
    ...{ byName, deliveries: createDeliveries(), stopping: stopping.signal },
    words: createFailureWords(deps),
  };
  const deferral = createDeferral(shared);
  const answerPress = createButtonRemoval({ answer: deferral.answerLater, logger });
  const lost = createLosses({ logger });
  const parts: Parts = { ...shared, ...deferral, answerPress, lost, fairly: createFairStart() };
  const resume = createResume({ ...shared, commands: byName });

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
    if (interaction.isAutocomplete()) await complete(parts, interaction);
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

function complete(parts: Parts, interaction: AutocompleteInteraction): Promise<void> {
  const choices = choicesFor(parts, interaction);
  return respondFirst(interaction, {
    type: InteractionResponseType.ApplicationCommandAutocompleteResult,
    data: { choices },
  });
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
  let begin: Begin;
  try {
    begin = plan(parts, interaction, context);
  } catch (error) {
    // A payload may be so odd that it cannot even be told what is to be done; the member is told all the same.
    begin = () => say(interaction, parts.words(error, context));
  }
  await begin();
}

type Begin = () => Promise<void>;

function plan(parts: Parts, interaction: Incoming, context: Context): Begin {
  const { t } = context;
  const refuse = (why: string) => () => turnDown(parts, interaction, why);
  if (parts.stopping.aborted) return refuse(t('dispatch.stopping'));
  if (context.guildId === '') return refuse(t('dispatch.guildOnly'));
  const asked = whatIsAsked(parts, interaction, context);
  if (typeof asked === 'string') return () => turnDownStale(parts, { interaction, context }, asked);
  if (isDenied(context, asked.permission)) return () => deny(parts, { interaction, context, asked });
  const answer = asked.answer();
  const fairly = (run: () => Promise<Reply>) => parts.fairly(context.guildId, run);
  switch (answer?.shape) {
    case undefined:
      return () => turnDownStale(parts, { interaction, context }, t('dispatch.unknown'));
    case 'modal':
      return () => open(parts, { interaction, context }, answer.open);
    case 'at-once':
      return () => parts.answerAtOnce({ interaction, context, run: answer.run });
    case 'reply':
      return () => parts.answerLater({ interaction, context, ...answer, run: fairly(answer.run) });
    case 'update':
      return () => parts.answerPress({ interaction, context, ...answer, run: fairly(answer.run) });
  }
}

/** Whether somebody lacks the permission that this needs; without one, nobody does. */
const isDenied = ({ permissions }: Context, permission: Permission | undefined): boolean =>
  permission !== undefined && !permissions.has(PERMISSION_BITS[permission]);

/** @returns a sentence where it is nothing of this bot's */
function whatIsAsked(parts: Parts, interaction: Incoming, context: Context): Asked | string {
  if (interaction.isChatInputCommand()) return askedByCommand(parts, interaction, context);
  if (interaction.isMessageContextMenuCommand()) return askedOnMessage(parts, interaction, context);
  return askedByControl(interaction, context, parts);
}

function askedByCommand(
  { byName }: Parts,
  interaction: ChatInputCommandInteraction,
  context: Context,
): Asked | string {
  const command = byName.get(interaction.commandName);
  if (!command || 'useOn' in command) return context.t('dispatch.unknown');
  const { name } = command.data;
  return {
    ...{ command: name, permission: command.permission },
    answer() {
      const input = { ...context, options: interaction.options };
      if (command.audience === 'none') return { shape: 'modal', open: () => command.run(input) };
      const modal = command.opens?.(input);
      if (modal) return { shape: 'modal', open: modal };
      const run = () => command.run(input);
      if (command.isAtOnce) return { shape: 'at-once', run };
      const options = optionsToKeep(interaction.options);
      return {
        ...{ shape: 'reply', isPrivate: true, run },
        work: command.resumes && { command: name, options },
      };
    },
  };
}

function askedOnMessage(
  { byName }: Parts,
  interaction: MessageContextMenuCommandInteraction,
  context: Context,
): Asked | string {
  const command = byName.get(interaction.commandName);
  if (!command || !('useOn' in command)) return context.t('dispatch.unknown');
  const { content: text } = interaction.targetMessage;
  return {
    ...{ command: command.data.name, permission: command.permission },
    answer: () => ({ shape: 'reply', isPrivate: true, run: () => command.useOn({ ...context, text }) }),
  };
}

interface Asking {
  readonly interaction: Incoming;
  readonly context: Context;
}

/** Runs what opens a modal; a refusal is said in its stead. */
async function open(parts: Parts, asking: Asking, make: () => Promise<Modal>): Promise<void> {
  const { interaction, context } = asking;
  try {
    const modal = await make();
    const custom_id = parts.ids.seal(modal.custom_id, ownerOf(context, true));
    await respondFirst(interaction, {
      type: InteractionResponseType.Modal,
      data: { ...modal, custom_id },
    });
  } catch (error) {
    if (error instanceof LostInteraction) throw error;
    if (interaction.isCommand() || !isOver(error)) return say(interaction, parts.words(error, context));
    await answerOver(parts, asking, error);
  }
}

/** Says so beside the message, and takes its buttons away. */
const answerOver = ({ answerPress }: Parts, asking: Asking, error: unknown): Promise<void> =>
  answerPress({ ...asking, shape: 'update', isPrivate: true, run: () => Promise.reject(error) });

/**
 * Refuses what is nothing of this bot's, or no longer. Its buttons go where only the member sees them: in a public
 * message those of somebody else may work, and anyone can press them.
 */
function turnDownStale(parts: Parts, asking: Asking, why: string): Promise<void> {
  const { interaction } = asking;
  const isPrivate = interaction.isMessageComponent() && interaction.message.flags.has(MessageFlags.Ephemeral);
  if (!isPrivate) return turnDown(parts, interaction, why);
  parts.traces.became('refused');
  return answerOver(parts, asking, new UserError(why, { isOver: true }));
}

function turnDown({ traces }: Parts, interaction: Incoming, why: string): Promise<void> {
  traces.became('refused');
  return say(interaction, why);
}

/** Says so to the member, to the operator and to the admins. Nothing that was entered is told to anybody. */
async function deny(
  parts: Parts,
  { interaction, context, asked }: Asking & { readonly asked: Asked },
): Promise<void> {
  const { wording, tellGuild, logger } = parts;
  const { interactionId, guildId, user, t } = context;
  const { command, action } = asked;
  const used = { command, ...(action !== undefined && { action }) };
  logger.info({ interactionId, guildId, ...used }, 'refused: the member lacks the permission');
  await Promise.all([
    turnDown(parts, interaction, t('permission.manageGuild')),
    tellGuild(guildId, (words) =>
      words('guildLog.notAllowed', { member: memberText(user), command: wording.mention(command) }),
    ),
  ]);
}
