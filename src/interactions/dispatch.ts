import { type APIInteractionResponse, InteractionResponseType, InteractionType } from 'discord.js';
import { type DiscordApi, isRejectedByDiscord, LostInteractionError } from '../discord/api.ts';
import type { CommandPermissions } from '../discord/command-permissions.ts';
import { type Choice, fitChoices } from '../discord/limits.ts';
import type { Access } from '../guilds/access.ts';
import { UnreadableSettingsError } from '../guilds/settings.ts';
import { waitAtMost } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { memberText } from '../words/escape.ts';
import type { Translate } from '../words/words.ts';
import { type Answering, type InFlight, isRecorded } from './answer.ts';
import {
  type Actions,
  type Command,
  type Commands,
  type Context,
  contextOf,
  type NotifyGuild,
  type Reply,
  type Wording,
} from './command.ts';
import { linkButton, rows } from './controls.ts';
import { firstResponse } from './deliver.ts';
import { type Action, findAction } from './find-action.ts';
import { type Interaction, type Request, readInteraction, readReplyTarget } from './interaction.ts';
import type { InteractionStore } from './interaction-store.ts';
import { createProgress } from './progress.ts';
import { createLosses, INTERACTION_TYPES, type Trace, type Traces } from './traces.ts';
import { UserError } from './user-error.ts';

export interface DispatchDeps extends Commands {
  readonly api: DiscordApi;
  readonly access: Access;
  readonly commandPermissions: Pick<CommandPermissions, 'deniesAll'>;
  /** Where blocked users can ask why they were blocked. */
  readonly supportUrl: string | undefined;
  readonly wording: Wording;
  readonly answering: Answering;
  readonly interactionStore: Pick<InteractionStore, 'isOwned'>;
  readonly traces: Pick<Traces, 'run'>;
  readonly notifyGuild: NotifyGuild;
  /** Called with the guild's Discord locale for each interaction in a guild that installed the application. */
  readonly onUse: (guildId: string, guildLocale: string) => void;
  readonly logger: Logger;
}

/** Creates the dispatcher, which finds each interaction's command and sends the reply. Commands never call Discord. */
export function createDispatcher(deps: DispatchDeps) {
  const { api, wording, logger } = deps;
  const commands = new Map<string, Actions & Partial<Command>>([
    ...Object.entries(deps.actions),
    ...deps.commands.map((command) => [command.data.name, command] as const),
  ]);
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const lost = createLosses(logger);
  const { answer, refuse } = deps.answering;

  async function route(interaction: Interaction, trace: Trace): Promise<void> {
    if (interaction.isInstalledInGuild) deps.onUse(interaction.guildId, interaction.guildLocale);
    const context = contextOf(interaction, wording);
    const progress = createProgress(api, interaction, () => deps.interactionStore.isOwned(interaction.id));
    const inFlight = { interaction, context, trace, progress };
    const { request } = interaction;
    if (request.kind === 'autocomplete') {
      return api.respond(interaction, suggestions(await choicesFor(inFlight, request)));
    }
    const { t } = inFlight.context;
    if (stopping.signal.aborted) return refuse(inFlight, 'stopping', t('dispatch.stopping'));
    if (interaction.guildId === '') return refuse(inFlight, 'outside-guild', t('dispatch.guildOnly'));
    const action = findAction(commands, inFlight, stopping.signal);
    if (!action) return refuse(inFlight, 'stale', t('dispatch.stale'));
    trace.command = action.command;
    const blocked = blockedFrom(action.command, interaction);
    if (blocked) return refuse(inFlight, `blocked-${blocked}`, blockedReply(t, blocked));
    if (action.permission !== undefined && !interaction.isAdmin) return deny(inFlight, action);
    return answer(inFlight, withIntegrations(action, context));
  }

  /**
   * Rejects the member before the action runs if admins deny them the commands that the action replaces. Only waits for
   * Discord if the interaction has been acknowledged.
   */
  function withIntegrations(action: Action, context: Context): Action {
    const { replaces } = action;
    if (replaces === undefined) return action;
    return {
      ...action,
      async run() {
        if (await deps.commandPermissions.deniesAll(replaces, context, isRecorded(action))) {
          throw new UserError(context.t('permission.denied'), 'permission');
        }
        return action.run();
      },
    };
  }

  const blockedFrom = (command: string, { guildId, user }: Interaction) =>
    commands.get(command)?.isNeverBlocked ? undefined : deps.access.blocked(guildId, user.id);

  const blockedReply = (t: Translate, blocked: 'guild' | 'user'): Reply => ({
    content: t(`dispatch.blocked.${blocked}`, { privacy: wording.mention('privacy') }),
    components: rows([deps.supportUrl !== undefined && linkButton(deps.supportUrl, t('help.support'))]),
  });

  async function choicesFor(
    { interaction, context, trace }: InFlight,
    { name, typed, option }: Extract<Request, { kind: 'autocomplete' }>,
  ): Promise<readonly Choice[]> {
    const command = stopping.signal.aborted ? undefined : commands.get(name);
    if (!command?.complete) return [];
    trace.command = name;
    const isDenied = command.permission !== undefined && !interaction.isAdmin;
    if (isDenied || blockedFrom(name, interaction)) return [];
    try {
      return await command.complete(context, typed, option);
    } catch (error) {
      // Unreadable settings are already logged elsewhere and shouldn't be logged again for every keystroke.
      if (!(error instanceof UnreadableSettingsError)) {
        const { interactionId, guildId } = context;
        logger.error(
          { err: error, interactionId, guildId },
          'could not offer choices for an option; showing none',
        );
      }
      return [];
    }
  }

  /** Notifies the operator and the admins without repeating the member's input. */
  async function deny(inFlight: InFlight, { command, action }: Action): Promise<void> {
    const { interactionId, guildId, user, t } = inFlight.context;
    logger.info({ interactionId, guildId, command, action }, 'denied: the member lacks the permission');
    // Some commands are open to all members, but have buttons that require a permission.
    const isCommandOpen = commands.get(command)?.permission === undefined;
    const key = isCommandOpen ? 'guildLog.buttonNotAllowed' : 'guildLog.notAllowed';
    const named = { member: memberText(user), command: wording.mention(command) };
    await Promise.all([
      refuse(inFlight, 'permission', t('permission.needed')),
      deps.notifyGuild(guildId, (words) => `🚫 ${words(key, named)}`),
    ]);
  }

  async function handleOne(interaction: Interaction): Promise<void> {
    const about = { interactionId: interaction.id, guildId: interaction.guildId || undefined };
    const arrival = { ...about, type: INTERACTION_TYPES[interaction.request.kind] };
    await deps.traces.run(arrival, async (trace) => {
      try {
        await route(interaction, trace);
      } catch (error) {
        const ageMs = Date.now() - interaction.receivedAt;
        if (error instanceof LostInteractionError) {
          trace.outcome = 'lost';
          lost({ ...about, ageMs }, error.cause);
        } else {
          trace.outcome = isRejectedByDiscord(error) ? 'undelivered' : 'unanswered';
          logger.error({ ...about, ageMs, err: error }, 'could not deliver a reply to a member');
        }
      }
    });
  }

  async function respondUnreadable(payload: unknown, receivedAt: number, error: unknown): Promise<void> {
    const { type, locale } = Object(payload);
    // Only the stack frame is logged, because the error message may quote the member's input.
    const at = error instanceof Error ? /^ {4}at .*/m.exec(error.stack ?? '')?.[0].trim() : undefined;
    logger.warn({ type, at }, 'could not read an interaction; replying with an error');
    try {
      const interaction = readReplyTarget(payload, receivedAt);
      const words = wording.wordsFor(locale)('dispatch.unreadable');
      const isTyping = type === InteractionType.ApplicationCommandAutocomplete;
      await api.respond(interaction, isTyping ? suggestions([]) : firstResponse(words));
    } catch (err) {
      if (!(err instanceof LostInteractionError))
        logger.warn({ err }, 'could not deliver the error to a member');
    }
  }

  function tracked(work: Promise<void>): Promise<void> {
    const ended = work.finally(() => running.delete(ended));
    running.add(ended);
    return ended;
  }

  return {
    /** Never throws. */
    async handle(payload: unknown): Promise<void> {
      const receivedAt = Date.now();
      let interaction: Interaction;
      try {
        interaction = readInteraction(payload, receivedAt);
      } catch (error) {
        return respondUnreadable(payload, receivedAt, error);
      }
      await tracked(handleOne(interaction));
    },
    /**
     * Stops accepting interactions, and waits at most `ms` milliseconds for the current ones to end.
     * @returns the number of interactions that haven't ended
     */
    async drain(ms: number): Promise<number> {
      stopping.abort();
      await waitAtMost(ms, Promise.all(running));
      return running.size;
    },
  };
}

const suggestions = (choices: readonly Choice[]): APIInteractionResponse => ({
  type: InteractionResponseType.ApplicationCommandAutocompleteResult,
  data: { choices: fitChoices(choices) },
});
