import { ComponentType, type Message } from 'discord.js';
import type { Logger } from '../logger.ts';
import { isOver } from '../user-error.ts';
import type { Incoming } from './incoming.ts';

export interface ButtonRemovalDeps {
  readonly logger: Logger;
}

type Run<Done> = () => Promise<Done>;

/**
 * Takes the buttons away from messages that are over, except for links. A second press finds the list gone that a first
 * one has just submitted, while the report on it, with buttons of its own, comes or has come into the same message. So
 * only the last of those under way does it, and only while the message still has what was pressed: Discord has no
 * "change it if it is still so".
 */
export function createButtonRemoval({ logger }: ButtonRemovalDeps) {
  /** How many presses and windows are being answered that may change a message, by its id. */
  const underway = new Map<string, number>();

  function ended(id: string): void {
    const others = (underway.get(id) ?? 1) - 1;
    if (others > 0) underway.set(id, others);
    else underway.delete(id);
  }

  /** Answers a press or a window. Fails as that does; that the buttons stay is no failure. */
  return async function answerPress<Done>(
    interaction: Incoming,
    run: Run<Done>,
    answer: (run: Run<Done>) => Promise<void>,
  ): Promise<void> {
    if (interaction.isCommand() || !interaction.message) return answer(run);
    const { customId, message } = interaction;
    underway.set(message.id, (underway.get(message.id) ?? 0) + 1);
    let over = false;
    const watched = () =>
      run().catch((error: unknown) => {
        over = isOver(error);
        throw error;
      });
    await answer(watched).finally(() => ended(message.id));
    if (!over || underway.has(message.id)) return;
    try {
      const now = await interaction.fetchReply();
      if (!customIdsIn(now).includes(customId)) return;
      await interaction.editReply({ components: linksIn(now), allowedMentions: { parse: [] } });
    } catch (error) {
      logger.info({ err: error, interactionId: interaction.id }, 'a message that is over keeps its buttons');
    }
  };
}

const rowsOf = ({ components }: Pick<Message, 'components'>) =>
  components.flatMap((row) => (row.type === ComponentType.ActionRow ? [row.toJSON()] : []));

const customIdsIn = (message: Pick<Message, 'components'>): readonly string[] =>
  rowsOf(message)
    .flatMap(({ components }) => components)
    .flatMap((control) => ('custom_id' in control ? [control.custom_id] : []));

const linksIn = (message: Pick<Message, 'components'>) =>
  rowsOf(message).flatMap(({ type, components }) => {
    const links = components.filter((control) => 'url' in control);
    return links.length > 0 ? [{ type, components: links }] : [];
  });
