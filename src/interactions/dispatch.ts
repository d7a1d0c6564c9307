import {
  type APIInteractionResponse,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
} from 'discord.js';
import { type DiscordApi, isRefused, isUncertain, LostInteraction } from '../discord/api.ts';
import { fitChoices } from '../discord/limits.ts';
import { SettingsUnreadable } from '../guilds/settings.ts';
import { atMost } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { UndecryptableError } from '../storage/encryption.ts';
import { StoreError } from '../storage/store-error.ts';
import { UserError } from '../user-error.ts';
import { memberText } from '../words/escape.ts';
import type { Translate } from '../words/words.ts';
import type { WorkTurns } from '../work-turns.ts';
import {
  type Choice,
  type Command,
  type Context,
  contextOf,
  type Permission,
  type PressAnswers,
  type Reply,
  type Wording,
} from './command.ts';
import { type Modal, parseCustomId } from './controls.ts';
import {
  type Announcing,
  type Answer,
  announce,
  createProgress,
  deliver,
  firstResponse,
  messageWritten,
  type Progress,
  sayOneOf,
  sendingResponse,
  sourceOf,
  updateResponse,
  type Writers,
} from './deliver.ts';
import type { GuildLog } from './guild-log.ts';
import {
  type Asked,
  type Interaction,
  ownValue,
  readAnswerable,
  readInteraction,
  type Shown,
} from './interaction.ts';
import { createLosses, INTERACTION_TYPES, type Trace, type Traces } from './traces.ts';
import type { Unanswered } from './unanswered.ts';

export interface DispatchDeps extends Announcing {
  readonly api: DiscordApi;
  readonly commands: readonly Command[];
  readonly wording: Wording;
  readonly unanswered: Pick<
    Unanswered,
    'underWay' | 'take' | 'begin' | 'isLatest' | 'stateOf' | 'answered' | 'undeliverable'
  >;
  readonly writers: Writers;
  readonly traces: Pick<Traces, 'run'>;
  readonly tellGuild: GuildLog['tell'];
  /** Told the guild of every interaction that the guild's own installation authorised. */
  readonly onUse: (guildId: string) => void;
  readonly myTurn: WorkTurns;
  readonly logger: Logger;
}

export interface Dispatcher {
  /** Answers what the gateway sends as INTERACTION_CREATE; never throws. */
  handle(payload: unknown): Promise<void>;
  /** Takes no new interaction, and resolves when those under way have ended, or after `ms` milliseconds. */
  drain(ms: number): Promise<void>;
}

/** What an interaction asks for, found among the commands. */
interface Action {
  readonly command: string;
  /** Of a button, a select or a modal. */
  readonly action?: string;
  readonly permission: Permission | undefined;
  readonly answers: PressAnswers;
  readonly isLarge?: true | undefined;
  readonly run: () => Promise<Reply | Modal>;
}

/** One interaction on its way through this file. */
interface Asking {
  readonly interaction: Interaction;
  readonly context: Context;
  readonly trace: Trace;
  readonly progress: Progress;
}

/** Interaction → command → answer, and errors → words. Commands never call Discord: this and `unanswered.ts` do. */
export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { api, commands, wording, unanswered, writers, traces, tellGuild, onUse, myTurn, logger } = deps;
  const byName = new Map(commands.map((command) => [command.data.name, command]));
  const running = new Set<Promise<void>>();
  const { underWay } = unanswered;
  const stopping = new AbortController();
  const lost = createLosses(logger);
  /** Ends with the large answers that were asked for until now. */
  let largeAnswers: Promise<unknown> | undefined;

  async function route(interaction: Interaction, trace: Trace): Promise<void> {
    if (interaction.isInstalledInGuild) onUse(interaction.guildId);
    const context = contextOf(interaction, wording);
    const asking = { interaction, context, trace, progress: createProgress(api, interaction) };
    const { asked } = interaction;
    if (asked.kind === 'autocomplete') return suggest(asking, asked);
    const { t } = asking.context;
    if (stopping.signal.aborted) return turnDown(asking, t('dispatch.stopping'));
    if (interaction.guildId === '') return turnDown(asking, t('dispatch.guildOnly'));
    const action = findAction(asking);
    if (!action) return turnDown(asking, t('dispatch.stale'));
    trace.command = action.command;
    if (action.permission !== undefined && !interaction.isAdmin) return deny(asking, action);
    switch (action.answers) {
      case 'form':
        return openForm(asking, action);
      case 'at once':
      case 'update at once':
        return answerAtOnce(asking, action);
      case 'later':
      case 'update':
      case 'sending':
        return action.isLarge ? answerLarge(asking, action) : answerLater(asking, action);
    }
  }

  /** @returns `undefined` where it is nothing of this bot's, or no longer */
  function findAction(asking: Asking): Action | undefined {
    const { interaction, context } = asking;
    const { asked } = interaction;
    switch (asked.kind) {
      case 'command':
        return commandAction(asked, context);
      case 'message-command':
        return messageAction(asked, context);
      case 'button':
      case 'menu':
      case 'form':
        return controlAction(asked, asking);
      default:
        return undefined;
    }
  }

  function commandAction(
    { name, options }: Extract<Asked, { kind: 'command' }>,
    context: Context,
  ): Action | undefined {
    const command = byName.get(name);
    if (!command?.run) return undefined;
    const { answers, permission } = command;
    return {
      command: name,
      permission,
      answers: typeof answers === 'function' ? answers(options) : answers,
      run: async () => command.run?.({ ...context, options }) ?? {},
    };
  }

  function messageAction(
    { name, text }: Extract<Asked, { kind: 'message-command' }>,
    context: Context,
  ): Action | undefined {
    const command = byName.get(name);
    if (!command?.useOn) return undefined;
    return {
      command: name,
      permission: command.permission,
      answers: 'later',
      run: async () => command.useOn?.({ ...context, text }) ?? {},
    };
  }

  function controlAction(
    asked: Extract<Asked, { kind: 'button' | 'menu' | 'form' }>,
    { context, progress }: Asking,
  ): Action | undefined {
    const { command: name, action, argument } = parseCustomId(asked.customId);
    const command = byName.get(name);
    if (asked.kind === 'form') {
      const handler = ownValue(command?.submits, action);
      if (!handler) return undefined;
      const field = (id: string) => ownValue(asked.fields, id) ?? '';
      return {
        command: name,
        action,
        permission: handler.permission ?? command?.permission,
        answers: handler.answers,
        run: () => handler.run({ ...context, argument, field }),
      };
    }
    const handler = ownValue(command?.presses, action);
    if (!handler) return undefined;
    const { values, isRoleMentionable, channelPermissions } = asked;
    return {
      command: name,
      action,
      permission: handler.permission ?? command?.permission,
      answers: handler.answers,
      isLarge: handler.isLarge,
      run: () =>
        handler.run({
          ...context,
          argument,
          values,
          isRoleMentionable,
          channelPermissions,
          progress: progress.show,
          stopping: stopping.signal,
        }),
    };
  }

  async function suggest(
    { interaction, context, trace }: Asking,
    { name, typed, option }: Extract<Asked, { kind: 'autocomplete' }>,
  ): Promise<void> {
    const command = stopping.signal.aborted ? undefined : byName.get(name);
    if (command) trace.command = name;
    const isDenied = command?.permission !== undefined && !interaction.isAdmin;
    const choices = isDenied
      ? []
      : await (command?.complete?.(context, typed, option) ?? Promise.resolve([])).catch((error: unknown) => {
          // That is logged once, not with every key stroke.
          if (error instanceof SettingsUnreadable) return [];
          logger.error({ err: error, interactionId: interaction.id }, 'choices could not be made');
          return [];
        });
    await api.respond(interaction, suggestions(choices));
  }

  const say = ({ interaction }: Asking, text: string) => api.respond(interaction, firstResponse(text));

  async function turnDown(asking: Asking, why: string): Promise<void> {
    asking.trace.outcome = 'refused';
    await say(asking, why);
  }

  /** Says so to the member, to the operator and to the admins. Nothing that was entered is told to anybody. */
  async function deny(asking: Asking, { command, action }: Action): Promise<void> {
    const { interactionId, guildId, user, t } = asking.context;
    logger.info({ interactionId, guildId, command, action }, 'refused: the member lacks the permission');
    // Members may use a command and yet not all of its buttons.
    const isCommandOpen = byName.get(command)?.permission === undefined;
    const key = isCommandOpen ? 'guildLog.buttonNotAllowed' : 'guildLog.notAllowed';
    const named = { member: memberText(user), command: wording.mention(command) };
    await Promise.all([
      turnDown(asking, t('permission.needed')),
      tellGuild(guildId, (words) => `🚫 ${words(key, named)}`),
    ]);
  }

  /** What a member reads in place of an answer: a UserError's own words, or what to do; everything else is logged whole. */
  function wordsFor(error: unknown, { context, trace }: Asking): string {
    const { t, interactionId, guildId } = context;
    if (error instanceof UserError) {
      trace.outcome = 'refused';
      return error.message;
    }
    if (error instanceof SettingsUnreadable) {
      trace.outcome = 'refused';
      const whoReads = context.isAdmin ? 'admin' : 'member';
      return t(`failure.settings.${whoReads}`, { settings: context.mention('settings') });
    }
    const reference = trace.failed();
    logger.error({ err: error, reference, interactionId, guildId }, 'an interaction failed');
    const cause = error instanceof StoreError || error instanceof UndecryptableError ? 'store' : 'unexpected';
    return `${t(`failure.${cause}`)}\n-# ${t('dispatch.reference', { reference })}`;
  }

  /** What a member reads whose answer Discord does not take. What was done was done. */
  function notTaken(error: unknown, { context, trace }: Asking): string {
    const { t, mention, interactionId, guildId } = context;
    const reference = trace.failed();
    logger.error({ err: error, reference, interactionId, guildId }, 'Discord did not take an answer');
    const says = t('failure.notTaken', { submissions: mention('submissions') });
    return `${says}\n-# ${t('dispatch.reference', { reference })}`;
  }

  /** Carries an action out. */
  async function answerOf(asking: Asking, action: Action): Promise<Answer> {
    try {
      const reply = (await action.run()) as Reply;
      if (reply.isRefusal) asking.trace.outcome = 'refused';
      return reply;
    } catch (error) {
      return wordsFor(error, asking);
    }
  }

  async function openForm(asking: Asking, action: Action): Promise<void> {
    try {
      const modal = (await action.run()) as Modal;
      await api.respond(asking.interaction, { type: InteractionResponseType.Modal, data: modal });
    } catch (error) {
      if (error instanceof LostInteraction) throw error;
      await say(asking, wordsFor(error, asking));
    }
  }

  /** Nothing is done before the first response, and it is all there is: should it fail, the member asks again. */
  async function answerAtOnce(asking: Asking, action: Action): Promise<void> {
    const { interaction } = asking;
    const answer = await answerOf(asking, action);
    const isUpdate = action.answers === 'update at once' && typeof answer !== 'string';
    const writer = writers.open(messageWritten(interaction, isUpdate));
    const respond = (said: Answer) =>
      api.respond(
        interaction,
        isUpdate && typeof said !== 'string' ? updateResponse(said) : firstResponse(said),
      );
    try {
      if (isUpdate) writer.begin();
      await sayOneOf(answer, respond, (error) => notTaken(error, asking));
    } finally {
      writer.close();
    }
  }

  /** One after the other. Its memory is free again once Discord has the files. */
  function answerLarge(asking: Asking, action: Action): Promise<void> {
    const mine = answerLater(asking, action, largeAnswers);
    const all = Promise.allSettled([largeAnswers, mine]).finally(() => {
      if (largeAnswers === all) largeAnswers = undefined;
    });
    largeAnswers = all;
    return mine;
  }

  /**
   * Record, acknowledge, carry out, answer, note: a crash anywhere in between leaves nobody waiting.
   * @param before what has to end before it is carried out; the member is told
   */
  async function answerLater(asking: Asking, action: Action, before?: Promise<unknown>): Promise<void> {
    const { interaction, context, trace, progress } = asking;
    const shown = action.answers === 'later' ? undefined : sourceOf(interaction)?.shown;
    const message = messageWritten(interaction, shown !== undefined);
    if (underWay.has(interaction.id)) throw new LostInteraction('The interaction was delivered twice');
    if (writers.isAwaited(message)) return turnDown(asking, context.t('again.busy'));
    const writer = writers.open(message);
    underWay.add(interaction.id);
    try {
      if (!(await isTaken(asking, shown))) return;
      await acknowledge(asking, action, shown);
      trace.acknowledged();
      if (before) progress.show({ content: asking.context.t('again.waiting') });
      await before;
      await myTurn(interaction.guildId);
      const answer = await answerOf(asking, action);
      await progress.settled();
      // While the database is away nobody takes anything over.
      const isOurs = await unanswered.begin(interaction.id, message).catch(() => true);
      if (!isOurs) throw new LostInteraction('Another process has taken the interaction over');
      const instead = (error: unknown) => notTaken(error, asking);
      const isLatest = () => unanswered.isLatest(interaction.id, message).catch(() => true);
      await deliver({ api, interaction, shown, progress, writer, isLatest, instead }, answer).catch(
        async (error: unknown) => {
          // What Discord did not take for another reason stays recorded, and is told of soon.
          if (isRefused(error)) await unanswered.undeliverable(interaction);
          throw error;
        },
      );
      trace.answered();
      await unanswered.answered(interaction.id);
      if (typeof answer !== 'string' && answer.announcement) {
        await announce(deps, interaction, answer.announcement).catch((error: unknown) => {
          logger.warn({ err: error, interactionId: interaction.id }, 'an announcement could not be made');
        });
      }
    } finally {
      writer.close();
      underWay.delete(interaction.id);
    }
  }

  /** Whether the interaction is recorded now. Where it cannot be, its member is told. @throws LostInteraction */
  async function isTaken(asking: Asking, shown: Shown | undefined): Promise<boolean> {
    let isNew: boolean;
    try {
      isNew = await unanswered.take(asking.interaction, shown);
    } catch (error) {
      await say(asking, wordsFor(error, asking));
      return false;
    }
    if (!isNew) throw new LostInteraction('The interaction was delivered twice');
    return true;
  }

  /** @throws LostInteraction when it was not acknowledged in time */
  async function acknowledge(
    { interaction, context }: Asking,
    { answers }: Action,
    shown: Shown | undefined,
  ): Promise<void> {
    try {
      await api.respond(interaction, acknowledgement(context.t, answers, shown !== undefined));
    } catch (error) {
      // It may have been taken all the same; then the member sees "thinking…". Should nobody know, it stays recorded.
      const state = isUncertain(error) ? await unanswered.stateOf(interaction) : 'gone';
      if (state !== 'gone') return;
      await unanswered.answered(interaction.id);
      throw error;
    }
  }

  async function handleOne(interaction: Interaction): Promise<void> {
    const arrival = { interactionId: interaction.id, type: INTERACTION_TYPES[interaction.asked.kind] };
    await traces.run(arrival, async (trace) => {
      try {
        await route(interaction, trace);
      } catch (error) {
        const about = { interactionId: interaction.id, ageMs: Date.now() - interaction.receivedAt };
        if (error instanceof LostInteraction) {
          trace.outcome = 'lost';
          lost(about, error.cause);
        } else {
          trace.outcome = isRefused(error) ? 'undelivered' : 'unanswered';
          logger.error({ ...about, err: error }, 'an answer could not be delivered');
        }
      }
    });
  }

  /** Answers what cannot be read, so that the member does not wait for nothing. */
  async function sayUnreadable(payload: unknown, receivedAt: number, error: unknown): Promise<void> {
    const { type, locale } = Object(payload);
    // Its message may quote what a member wrote.
    const at = error instanceof Error ? /^ {4}at .*/m.exec(error.stack ?? '')?.[0].trim() : undefined;
    logger.warn({ type, at }, 'an interaction could not be read');
    try {
      const interaction = readAnswerable(payload, receivedAt);
      const words = wording.wordsFor(String(locale))('dispatch.unreadable');
      const isTyping = type === InteractionType.ApplicationCommandAutocomplete;
      await api.respond(interaction, isTyping ? suggestions([]) : firstResponse(words));
    } catch (err) {
      if (!(err instanceof LostInteraction)) logger.warn({ err }, 'an answer could not be delivered');
    }
  }

  function tracked(work: Promise<void>): Promise<void> {
    const ended = work.finally(() => running.delete(ended));
    running.add(ended);
    return ended;
  }

  return {
    async handle(payload) {
      const receivedAt = Date.now();
      let interaction: Interaction;
      try {
        interaction = readInteraction(payload, receivedAt);
      } catch (error) {
        return sayUnreadable(payload, receivedAt, error);
      }
      await tracked(handleOne(interaction));
    },
    async drain(ms) {
      stopping.abort();
      await atMost(ms, Promise.all(running));
      if (running.size > 0) logger.warn({ running: running.size }, 'stopping before every answer was given');
    },
  };
}

function acknowledgement(t: Translate, answers: PressAnswers, isUpdate: boolean): APIInteractionResponse {
  if (!isUpdate) {
    const data = { flags: MessageFlags.Ephemeral as const };
    return { type: InteractionResponseType.DeferredChannelMessageWithSource, data };
  }
  if (answers === 'sending') return sendingResponse(t('again.sending'));
  return { type: InteractionResponseType.DeferredMessageUpdate };
}

const suggestions = (choices: readonly Choice[]): APIInteractionResponse => ({
  type: InteractionResponseType.ApplicationCommandAutocompleteResult,
  data: { choices: fitChoices(choices) },
});
