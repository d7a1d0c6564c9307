import type { APIEmbed } from 'discord.js';
import type { PressContext, Reply } from '../../src/interactions/command.ts';
import { button, rows } from '../../src/interactions/controls.ts';

export interface RefusedForm {
  readonly buttonId: string;
  readonly buttonLabel: string;
  readonly typed: readonly APIEmbed[];
  /** Reports that the form had no effect. Only shown if the submission is no longer waiting, so that it can't be opened again. */
  readonly noEffect: string;
}

/** Shows each value under its field's label, because Discord rejects empty embeds. */
export const typedEmbeds = (typed: Readonly<Record<string, string>>): readonly APIEmbed[] =>
  Object.entries(typed)
    .filter(([, value]) => value !== '')
    .map(([title, description]) => ({ title, description }));

export type FormToReopen = Omit<RefusedForm, 'noEffect'>;

export const formReply = ({
  buttonId,
  buttonLabel,
  typed,
}: FormToReopen): Pick<Reply, 'embeds' | 'components'> => ({
  embeds: typed,
  components: rows([button(buttonId, buttonLabel, 'primary')]),
});

/** Shows the values of a form that can't be opened again. No form reads them, because the embed has no title. */
export const noEffectEmbed = ({ noEffect, typed }: Pick<RefusedForm, 'noEffect' | 'typed'>): APIEmbed => ({
  description: [noEffect, ...typed.map(({ title, description }) => `**${title}**\n${description}`)].join(
    '\n',
  ),
});

/** Returns the value that {@link typedEmbeds} shows under this label in the button's message, or '' without one. */
export const typedBefore = ({ shown }: Pick<PressContext, 'shown'>, label: string): string =>
  String(shown.embeds.map(Object).find(({ title }) => title === label)?.description ?? '');
