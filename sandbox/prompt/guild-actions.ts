import { setTimeout as sleep } from 'node:timers/promises';
import type { DiscordStandIn } from '../discord/contract.ts';
import type { Guild } from '../discord/world/guilds.ts';
import { oneText } from './assignments.ts';
import { BadLine } from './bad-line.ts';
import type { Action, Session } from './session.ts';

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
    help: 'remove the bot from this guild; restart twice, and it has found out',
    run(session) {
      const guild = here(session);
      if (!isIn(session, guild)) throw new BadLine(`The bot is not in ${guild.name}; join lets it in.`);
      session.sandbox.discord.guildEvents.remove(guild);
      session.print(
        `The bot was removed from ${guild.name}. It looks when it starts, and believes it the second time.`,
      );
    },
  },
  {
    name: 'join',
    usage: '["NAME"]',
    help: 'let the bot into this guild again, or into a new one of that name',
    run(session, argument) {
      const { sandbox, print } = session;
      if (argument !== '') {
        const { id } = sandbox.discord.guildEvents.add({ name: oneText(argument) });
        session.guild = session.guilds.findIndex((guild) => guild.id === id);
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

/** The check comes right after a start; a bot that makes none must not be waited for. */
const CHECK_WITHIN_MS = 2_000;
/** What follows from the list of guilds is done in a few milliseconds. */
const CHECK_TAKES_MS = 200;

/**
 * Waits until a bot that was started has looked which guilds it is in, so that the next line finds it done.
 * @param before how many requests there were before the start
 */
export async function guildsChecked(
  discord: Pick<DiscordStandIn, 'requests'>,
  before: number,
): Promise<void> {
  const isRead = () => discord.requests.slice(before).some(({ path }) => path.includes('/users/@me/guilds'));
  const deadline = Date.now() + CHECK_WITHIN_MS;
  while (!isRead() && Date.now() < deadline) await sleep(20);
  if (isRead()) await sleep(CHECK_TAKES_MS);
}

function here({ guild, guilds }: Session): Guild {
  const found = guilds[guild];
  if (!found) throw new BadLine(`There is no guild ${guild + 1}.`);
  return found;
}

const isIn = ({ sandbox }: Session, { id }: Guild) => sandbox.discord.guilds.some((guild) => guild.id === id);
