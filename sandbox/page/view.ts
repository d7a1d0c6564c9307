import { InteractionType } from 'discord.js';
import { languages } from '../../src/words/languages.ts';
import type { Person } from '../discord/contract.ts';
import type { Guild } from '../discord/world/guilds.ts';
import type { Interaction, InteractionEvent } from '../discord/world/interactions.ts';
import type { SubmittedServer } from '../listing/service.ts';
import { isOfTeam, memberOf, ROLE_NAMES } from '../people.ts';
import type { Sandbox, SandboxEvent } from '../sandbox.ts';
import { isSlash, shownName } from '../slash-options.ts';
import { DISCORD_TROUBLES, SERVICE_TROUBLES, STEAM_TROUBLES } from '../troubles.ts';
import { DIRECT } from './client/words.ts';
import { commandViews } from './commands.ts';
import { type MessageView, messageView, viewerIn } from './messages.ts';
import type { ScenarioView } from './player.ts';
import type { SeatView } from './protocol.ts';
import { SCENARIOS } from './scenarios.ts';
import { inLanguage, type Texts } from './texts.ts';

/** The maximum number of messages on the page, which is more than fits on a screen. */
const MOST_MESSAGES = 60;

/** Discord's codes for the languages that the bot supports. */
const LOCALES = languages.flatMap((language) => language.locales);

export type Views = ReturnType<typeof createViews>;
/** Everything that the page shows to a user, except the trace. */
export type View = ReturnType<Views['of']>;
export type TroublesView = ReturnType<typeof troublesView>;

/** Builds each user's view of Discord, leaving out the messages that the user has dismissed. */
export function createViews(sandbox: Sandbox) {
  const { discord, listing, people } = sandbox;
  const dismissed = new Set<string>();
  const waiting = createWaiting();

  function guildOf({ guild }: Pick<SeatView, 'guild'>): Guild {
    const { guilds } = discord;
    const found = guilds.find(({ id }) => id === guild) ?? guilds[0] ?? discord.everyGuild[0];
    if (found === undefined) throw new Error('there is no guild');
    return found;
  }

  const seen = (where: { readonly channelId: string; readonly userId?: string }, guild: Guild) =>
    discord
      .messages(where)
      .filter(({ id }) => !dismissed.has(id))
      .slice(-MOST_MESSAGES)
      .map((message) => messageView(message, viewerIn({ discord, guild })));

  /** Finds the guild and the channel of a seat. Only admins and moderators can see #staff. */
  function placeOf({ role, locale, channel, ...seat }: SeatView) {
    const guild = guildOf(seat);
    const channels = discord
      .channels(guild)
      .filter(({ name }) => isOfTeam(role) || name !== 'staff')
      .map(({ id, name }) => ({ id, name }));
    const { userId } = memberOf(guild, role);
    const all = [...channels, { id: discord.directChannel(userId), name: DIRECT }];
    const { id: channelId, name } = all.find((each) => each.name === channel) ?? {
      id: guild.channelId,
      name: 'general',
    };
    return { role, locale, guild, channelId, channel: name, channels: all.map((each) => each.name) };
  }

  return {
    place: placeOf,
    /** Hides a private message that the user dismissed. */
    dismiss(message: string): void {
      dismissed.add(message);
    },
    /** @returns whether the event might have changed what users see */
    take(event: SandboxEvent): boolean {
      if (event.kind === 'interaction') waiting.take(event);
      if (event.kind === 'wire')
        return event.from === 'bot' && /\/commands(\/\d+)?$/.test(event.request.path);
      return event.kind !== 'log';
    },
    of(seat: SeatView, scenario: ScenarioView | undefined) {
      const place = placeOf(seat);
      const { role, locale, guild, channel, channels } = place;
      // Creates all members in advance, so users can mention or pick them.
      for (const each of ROLE_NAMES) people.at({ role: each, guild, locale });
      const me = people.at(place);
      const commands = me.commands();
      const { keys, submitted } = listing;
      const botName = discord.nameOf(discord.applicationId) ?? '';
      return {
        you: { role, guild: guild.id, channel, locale },
        /** Discord's codes for the languages that the user can choose. */
        locales: LOCALES,
        guilds: discord.guilds.map(({ id, name }) => ({ id, name })),
        channels,
        botName,
        messages: [...seen(me, guild), ...waiting.of(me, botName)]
          .filter(({ id }) => !dismissed.has(id))
          .sort((a, b) => a.at - b.at),
        commands: commandViews(commands.filter(isSlash), locale, { discord, guild }),
        messageCommands: commands
          .filter((command) => !isSlash(command))
          .map((command) => ({ name: command.name, label: shownName(command, locale) })),
        bot: sandbox.botState,
        troubles: {
          discord: troublesView(sandbox.discordTrouble, DISCORD_TROUBLES, locale),
          service: troublesView(sandbox.serviceTrouble, SERVICE_TROUBLES, locale),
          steam: troublesView(sandbox.steamTrouble, STEAM_TROUBLES, locale),
        },
        keys,
        held: submitted.map((server) => ({ game: server.game, address: addressOf(server) })),
        /** How many times the bot has broken a Discord rule. */
        broken: discord.breaches.length,
        scenarios: SCENARIOS.map(({ name, title, about }) => ({
          name,
          title: inLanguage(title, locale),
          about: inLanguage(about, locale),
        })),
        scenario,
      };
    },
  };
}

/** Lists the faults that the user can choose from, and the current one. */
const troublesView = (
  now: string,
  troubles: Readonly<Record<string, { readonly words: Texts }>>,
  locale: string,
) => ({
  now,
  all: Object.entries(troubles).map(([name, { words }]) => ({ name, words: inLanguage(words, locale) })),
});

function addressOf({ server, port, query_port }: SubmittedServer): string {
  const host = server.includes(':') ? `[${server}]` : server;
  return `${host}:${port}${query_port === undefined ? '' : ` (query port ${query_port})`}`;
}

/** Keeps track of commands that are still waiting for a reply or failed to get one in time. */
function createWaiting() {
  const waiting = new Map<string, { readonly interaction: Interaction; state: 'sending' | 'failed' }>();
  return {
    take({ interaction, state }: InteractionEvent): void {
      if (interaction.kind !== InteractionType.ApplicationCommand) return;
      if (state === 'sent') waiting.set(interaction.id, { interaction, state: 'sending' });
      else if (state === 'lost') waiting.set(interaction.id, { interaction, state: 'failed' });
      else waiting.delete(interaction.id);
    },
    of: ({ userId, channelId }: Person, botName: string): readonly MessageView[] =>
      [...waiting.values()]
        .filter((one) => one.interaction.userId === userId && one.interaction.channelId === channelId)
        .map(({ interaction, state }) => ({
          id: interaction.id,
          author: botName,
          bot: true,
          at: interaction.createdAt,
          edited: false,
          ephemeral: true,
          state,
          command: { user: interaction.userName, name: interaction.command?.name ?? '' },
          content: [],
          embeds: [],
          files: [],
          rows: [],
        })),
  };
}
