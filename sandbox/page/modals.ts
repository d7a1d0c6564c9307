import { ComponentType } from 'discord.js';
import { modalFields } from '../discord/client/modal-form.ts';
import type { DiscordStandIn, SeenModal } from '../discord/contract.ts';
import { marksOf } from '../markdown.ts';
import type { ModalView } from './protocol.ts';

/** A modal as the page shows it. */
export const modalView = (
  { data, interactionId }: SeenModal,
  { nameOf }: Pick<DiscordStandIn, 'nameOf'>,
): ModalView => ({
  id: interactionId,
  title: data.title,
  words: data.components
    .filter((part) => part.type === ComponentType.TextDisplay)
    .map(({ content }) => marksOf(content, nameOf)),
  fields: modalFields(data),
});
