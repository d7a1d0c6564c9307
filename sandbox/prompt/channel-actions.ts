import { PermissionFlagsBits } from 'discord.js';
import type { Channel } from '../discord/contract.ts';
import { USUAL_BOT_PERMISSIONS } from '../discord/world/channels.ts';
import type { Guild } from '../discord/world/guilds.ts';
import { BadLine } from './bad-line.ts';
import type { Action, Session } from './session.ts';

/** What can be taken from the bot, by the word for it. */
const PERMISSIONS = {
  view: PermissionFlagsBits.ViewChannel,
  send: PermissionFlagsBits.SendMessages,
  embed: PermissionFlagsBits.EmbedLinks,
} as const;

/** The roles of the guild where one is, as they are written: `@staff`. */
export const roleNames = ({ sandbox: { discord }, guild }: Session): readonly string[] => {
  const here = discord.guilds[guild];
  return here ? discord.roles(here).map(({ name }) => name.replace(/^@*/, '@')) : [];
};

/** The channels of the guild where one is, as they are written: `#general`. */
export const channelNames = (session: Session): readonly string[] =>
  channelsHere(session).map(({ name }) => `#${name}`);

/** What concerns the text channels of the guild. */
export const CHANNEL_ACTIONS: readonly Action[] = [
  {
    name: 'read',
    usage: '#CHANNEL',
    help: 'show what everybody can read in a channel',
    words: channelNames,
    run(session, argument) {
      const { id, name } = channelNamed(session, argument);
      const messages = session.sandbox.discord.messages({ channelId: id });
      if (messages.length === 0) session.print(`Nothing is written in #${name}.`);
      for (const message of messages) session.print(session.draw(message));
    },
  },
  {
    name: 'forbid',
    usage: '#CHANNEL view|send|embed',
    help: 'take from the bot: View Channel, Send Messages, Embed Links; several with spaces',
    words: channelNames,
    run(session, argument) {
      const [name = '', ...words] = argument.split(/\s+/);
      const channel = channelNamed(session, name);
      const unknown = words.find((word) => !Object.hasOwn(PERMISSIONS, word));
      if (words.length === 0 || unknown !== undefined)
        throw new BadLine('forbid takes a channel and what is forbidden there: view, send or embed.');
      const taken = words.reduce((bits, word) => bits | PERMISSIONS[word as keyof typeof PERMISSIONS], 0n);
      const { discord } = session.sandbox;
      discord.guildEvents.setBotPermissions(guildHere(session), channel.id, USUAL_BOT_PERMISSIONS & ~taken);
      session.print(`In #${channel.name} the bot may no longer: ${words.join(', ')}.`);
    },
  },
  {
    name: 'allow',
    usage: '#CHANNEL',
    help: 'let the bot do in a channel what it may by default',
    words: channelNames,
    run(session, argument) {
      const { id, name } = channelNamed(session, argument);
      const { discord } = session.sandbox;
      discord.guildEvents.setBotPermissions(guildHere(session), id, USUAL_BOT_PERMISSIONS);
      session.print(`In #${name} the bot may do what it may by default.`);
    },
  },
  {
    name: 'delete',
    usage: '#CHANNEL',
    help: 'delete a channel',
    words: channelNames,
    run(session, argument) {
      const { id, name } = channelNamed(session, argument);
      session.sandbox.discord.guildEvents.removeChannel(guildHere(session), id);
      session.print(`#${name} was deleted.`);
    },
  },
];

/** What concerns the roles of the guild. */
export const ROLE_ACTIONS: readonly Action[] = [
  {
    name: 'role',
    usage: '@NAME [closed]',
    help: 'make a role that anyone may mention; closed: one that only those with the permission may mention',
    run(session, argument) {
      const [, name, closed] = /^@(\S+)(\s+closed)?$/.exec(argument) ?? [];
      if (name === undefined) throw new BadLine('role takes a name that begins with @, and perhaps closed.');
      const mentionable = closed === undefined;
      session.sandbox.discord.guildEvents.addRole(guildHere(session), { name, mentionable });
      session.print(`There is a role @${name}; ${mentionable ? 'anyone' : 'not everyone'} may mention it.`);
    },
  },
  {
    name: 'unrole',
    usage: '@NAME',
    help: 'delete a role',
    words: roleNames,
    run(session, argument) {
      const { discord } = session.sandbox;
      const guild = guildHere(session);
      const role = discord.roles(guild).find(({ id, name }) => id !== guild.id && `@${name}` === argument);
      if (!role) throw new BadLine(`There is no role "${argument}" that can be deleted.`);
      discord.guildEvents.removeRole(guild, role.id);
      session.print(`${argument} was deleted.`);
    },
  },
];

function guildHere({ sandbox, guild }: Session): Guild {
  const here = sandbox.discord.guilds[guild];
  if (!here) throw new BadLine(`There is no guild ${guild + 1} any more.`);
  return here;
}

function channelsHere(session: Session): readonly Channel[] {
  const guild = session.sandbox.discord.guilds[session.guild];
  return guild ? session.sandbox.discord.channels(guild) : [];
}

function channelNamed(session: Session, argument: string): Channel {
  const found = channelsHere(session).find(({ name }) => argument === `#${name}`);
  if (found) return found;
  throw new BadLine(`There is no channel "${argument}" here; there is ${channelNames(session).join(', ')}.`);
}
