import type { Person } from '../discord/contract.ts';
import type { Guild } from '../discord/world/guilds.ts';
import type { InteractionEvent } from '../discord/world/interactions.ts';
import type { SubmittedServer } from '../listing/service.ts';
import { ROLES, type Role } from '../people.ts';
import { BEHAVIOURS } from '../prompt/service-actions.ts';
import type { Sandbox, SandboxEvent } from '../sandbox.ts';
import { commandViews, labelOf } from './commands.ts';
import { messageView } from './messages.ts';
import type { MessageView, ScenarioView, SeatView, View } from './protocol.ts';
import { SCENARIOS } from './scenarios.ts';

/** More than fits on a screen; the oldest are not shown. */
const MOST_MESSAGES = 60;

/** What a person sees now, and what of it they have put away. */
export interface Views {
  of(seat: SeatView, scenario: ScenarioView | undefined): View;
  /** @returns whether anything may look otherwise now */
  take(event: SandboxEvent): boolean;
  /** A private message that this person dismisses. */
  dismiss(seat: SeatView, message: string): void;
  guild(seat: SeatView): Guild;
}

export function createViews(sandbox: Sandbox): Views {
  const { discord, listing, people } = sandbox;
  const dismissed = new Set<string>();
  const waiting = createWaiting();

  function guildOf({ guild }: Pick<SeatView, 'guild'>): Guild {
    const found = discord.everyGuild.find(({ id }) => id === guild) ?? discord.everyGuild[0];
    if (found === undefined) throw new Error('there is no guild');
    return found;
  }

  const seen = (where: { readonly channelId: string; readonly userId?: string }, guild: Guild) =>
    discord
      .messages(where)
      .filter(({ id }) => !dismissed.has(id))
      .slice(-MOST_MESSAGES)
      .flatMap((message) => messageView(message, { discord, guild }) ?? []);

  return {
    guild: guildOf,
    dismiss(_seat, message) {
      dismissed.add(message);
    },
    take(event) {
      if (event.kind === 'interaction') waiting.take(event);
      if (event.kind === 'wire')
        return event.from === 'bot' && /\/commands(\/\d+)?$/.test(event.request.path);
      return event.kind !== 'log';
    },
    of(seat, scenario) {
      const guild = guildOf(seat);
      const { role, locale } = seat;
      // All of them are there to be mentioned and picked.
      for (const each of Object.keys(ROLES) as Role[]) people.at({ role: each, guild, locale });
      const me = people.at({ role, guild, locale });
      const channels = discord.channels(guild);
      const commands = me.commands();
      const { mode, keys, submitted } = listing;
      return {
        you: { role, guild: guild.id, locale, name: me.name },
        guilds: discord.everyGuild.map(({ id, name }) => ({ id, name })),
        channel: discord.nameOf(me.channelId) ?? '',
        messages: [...seen(me, guild), ...waiting.of(me, discord.nameOf(discord.applicationId) ?? '')]
          .filter(({ id }) => !dismissed.has(id))
          .sort((a, b) => a.at - b.at),
        elsewhere: channels
          .filter(({ id }) => id !== me.channelId)
          .map(({ id, name }) => ({ channel: name, messages: seen({ channelId: id }, guild) })),
        commands: commandViews(commands, locale, { discord, guild }),
        messageCommands: commands
          .filter(({ type }) => Number(type) === 3)
          .map((command) => ({ name: command.name, label: labelOf(command, locale) })),
        bot: sandbox.botState,
        service: {
          kind: mode.kind,
          kinds: Object.entries(BEHAVIOURS).map(([kind, words]) => ({ kind, words })),
          keys,
          held: submitted.map((server) => ({ game: server.game, address: addressOf(server) })),
        },
        broken: discord.breaches.length,
        scenarios: SCENARIOS.map(({ name, title }) => ({ name, title })),
        scenario,
      };
    },
  };
}

function addressOf({ server, port, query_port }: SubmittedServer): string {
  const host = server.includes(':') ? `[${server}]` : server;
  return `${host}:${port}${query_port === undefined ? '' : ` (query port ${query_port})`}`;
}

/** Commands that have no answer yet, or got none in time: a person's Discord shows those, and nobody else's. */
function createWaiting() {
  const commands = new Map<
    string,
    { readonly event: InteractionEvent; readonly at: number; state: 'sending' | 'failed' }
  >();
  return {
    take(event: InteractionEvent): void {
      const { id, kind } = event.interaction;
      if (kind !== 2) return;
      const known = commands.get(id);
      if (event.state === 'sent') commands.set(id, { event, at: Date.now(), state: 'sending' });
      else if (event.state === 'lost' && known !== undefined) known.state = 'failed';
      else commands.delete(id);
    },
    of({ userId, channelId, name }: Person, botName: string) {
      return [...commands.values()]
        .filter(
          ({ event: { interaction } }) =>
            interaction.userId === userId && interaction.channelId === channelId,
        )
        .map(
          ({ event: { interaction }, at, state }): MessageView => ({
            id: interaction.id,
            author: botName,
            bot: true,
            at,
            edited: false,
            ephemeral: true,
            state,
            command: { user: name, name: interaction.commandName ?? '' },
            content: [],
            embeds: [],
            files: [],
            rows: [],
          }),
        );
    },
  };
}
