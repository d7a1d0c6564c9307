import type { Guild } from '../contract.ts';
import type { Action } from './actions.ts';
import { oneText } from './assignments.ts';
import { BadLine } from './bad-line.ts';
import type { Session } from './session.ts';

/** What happens to the guilds that the bot is in. */
export const GUILD_ACTIONS: readonly Action[] = [
  {
    name: 'guild',
    usage: 'NUMBER',
    help: 'go to another guild',
    words: ({ guilds }) => guilds.map((_, i) => String(i + 1)),
    run(session, argument) {
      const { guilds } = session;
      if (!/^\d+$/.test(argument) || !guilds[Number(argument) - 1])
        throw new BadLine(`guild takes a number from 1 to ${guilds.length}.`);
      session.guild = Number(argument) - 1;
      whereYouAre(session);
    },
  },
  {
    name: 'leave',
    usage: '',
    help: 'remove the bot from this guild; it finds out at its checks, one of which is at its start',
    run(session) {
      const guild = here(session);
      if (!isIn(session, guild)) throw new BadLine(`The bot is not in ${guild.name}; join lets it in.`);
      session.sandbox.discord.guildEvents.remove(guild);
      session.print(
        `The bot was removed from ${guild.name}. It checks at its start: restart. join lets it in again.`,
      );
    },
  },
  {
    name: 'join',
    usage: '["NAME"]',
    help: 'let the bot into this guild again, or into a new one of that name',
    run(session, argument) {
      const { guilds, sandbox, print } = session;
      if (argument !== '') {
        session.guild = guilds.push(sandbox.discord.guildEvents.add({ name: oneText(argument) })) - 1;
        whereYouAre(session);
        return;
      }
      const guild = here(session);
      if (isIn(session, guild))
        throw new BadLine(`The bot is in ${guild.name} already; join "NAME" makes a new one.`);
      sandbox.discord.guildEvents.recover(guild);
      print(`The bot is in ${guild.name} again.`);
    },
  },
  {
    name: 'outage',
    usage: '[over]',
    help: 'let this guild have an outage at Discord, or end it',
    words: () => ['over'],
    run(session, argument) {
      if (argument !== '' && argument !== 'over') throw new BadLine('outage takes nothing, or over.');
      const guild = here(session);
      if (!isIn(session, guild)) throw new BadLine(`The bot is not in ${guild.name}; join lets it in.`);
      const { guildEvents } = session.sandbox.discord;
      if (argument === 'over') guildEvents.recover(guild);
      else guildEvents.outage(guild);
      session.print(
        argument === 'over' ? `${guild.name} is back.` : `${guild.name} has an outage. outage over ends it.`,
      );
    },
  },
];

export function whereYouAre(session: Session): void {
  session.print(`You are ${session.role} in guild ${session.guild + 1}, ${here(session).name}.`);
}

function here({ guild, guilds }: Session): Guild {
  const found = guilds[guild];
  if (!found) throw new BadLine(`There is no guild ${guild + 1}.`);
  return found;
}

const isIn = ({ sandbox }: Session, { id }: Guild) => sandbox.discord.guilds.some((guild) => guild.id === id);
