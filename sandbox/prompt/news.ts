import type { MessageEvent, SeenMessage } from '../discord/world/messages.ts';
import type { SandboxEvent } from '../sandbox.ts';
import type { Session } from './session.ts';
import { isFinished } from './show.ts';

/** What was written where the person at the prompt is, and not by what they typed: another front end's doing. */
export interface News {
  /** @returns whether there is something to show */
  take(event: SandboxEvent): boolean;
  /** Prints what this person can see and has not seen yet. Not while a line is carried out: its answer is no news. */
  show(): void;
}

export function createNews(session: Session): News {
  const changed = new Map<string, MessageEvent>();

  function isNews({ message, onlyFor }: MessageEvent): boolean {
    const { userId, channelId } = session.me();
    const isHere = message.channelId === channelId && (onlyFor === undefined || onlyFor === userId);
    return isHere && isFinished(message) && message.id !== session.said && !session.hasDrawn(message);
  }

  return {
    take(event) {
      if (event.kind !== 'message') return false;
      const { message, change } = event;
      changed.delete(message.id);
      if (change === 'deleted') return false;
      changed.set(message.id, event);
      return isNews(event);
    },
    show() {
      const news = [...changed.values()].filter(isNews);
      changed.clear();
      for (const { message } of news) {
        session.print(`${writtenBy(message)}${session.draw(message)}`);
        // What this person asked for elsewhere can be pressed and picked on here as well.
        if (message.current?.interaction_metadata?.user.id === session.me().userId) session.message = message;
      }
    },
  };
}

/** Who wrote it and on which command, as Discord has it above a message. */
function writtenBy({ current }: SeenMessage): string {
  if (current === undefined) return '';
  const { author, interaction, interaction_metadata: origin } = current;
  const name = author.global_name ?? author.username;
  if (!author.bot) return `${name}: `;
  if (interaction === undefined || origin === undefined) return `${name}:\n`;
  const user = origin.user.global_name ?? origin.user.username;
  return `${name} (${user} used ${interaction.name}):\n`;
}
