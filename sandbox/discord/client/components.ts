import {
  type APIComponentInMessageActionRow,
  type APIMessage,
  type APISelectMenuComponent,
  ComponentType,
} from 'discord.js';
import type { Channel } from '../world/channels.ts';

/** Returns the buttons and selects of a message, grouped by row. */
export const rowsOf = ({
  components = [],
}: Pick<APIMessage, 'components'>): readonly (readonly APIComponentInMessageActionRow[])[] =>
  components.flatMap((row) => (row.type === ComponentType.ActionRow ? [row.components] : []));

type NamedItem = Pick<Channel, 'id' | 'name'>;

interface Pressable {
  readonly id: number | undefined;
  readonly custom_id: string;
}

/** Finds a button by its label or custom id. If the user can't press it, returns the reason. */
export function findButton(message: APIMessage, labelOrId: string): Pressable | string {
  const buttons = rowsOf(message)
    .flat()
    .filter((component) => component.type === ComponentType.Button);
  const button =
    buttons.find((each) => 'label' in each && each.label === labelOrId) ??
    buttons.find((each) => 'custom_id' in each && each.custom_id === labelOrId);
  if (button === undefined) return `there is no button ${labelOrId}`;
  if (button.disabled === true) return `the button ${labelOrId} is disabled`;
  if (!('custom_id' in button)) return `the button ${labelOrId} does not send anything to the bot`;
  return { id: button.id, custom_id: button.custom_id };
}

/** The guild's channels, roles and members, which a select can list. */
export interface SelectSources {
  readonly channels: readonly Channel[];
  readonly roles: readonly NamedItem[];
  readonly members: readonly NamedItem[];
}

/** An option of a select, and whether the user has chosen it. */
export interface Offer {
  readonly label: string;
  readonly value: string;
  readonly isChosen: boolean;
}

/** Returns the options of a select. Channels are labelled `#name`, and roles and members `@name`. */
export function offersOf(
  select: APISelectMenuComponent,
  { channels, roles, members }: SelectSources,
): readonly Offer[] {
  if (select.type === ComponentType.StringSelect)
    return select.options.map(({ label, value, default: isChosen = false }) => ({ label, value, isChosen }));
  const chosen = preselected(select);
  const offer = ({ id, name }: NamedItem, sign: string): Offer => ({
    label: name.startsWith(sign) ? name : `${sign}${name}`,
    value: id,
    isChosen: chosen.includes(id),
  });
  // Role selects also list @everyone.
  if (select.type === ComponentType.RoleSelect) return roles.map((role) => offer(role, '@'));
  if (select.type === ComponentType.UserSelect) return members.map((member) => offer(member, '@'));
  if (select.type !== ComponentType.ChannelSelect) return [];
  const types: readonly number[] = select.channel_types ?? [];
  return channels
    .filter(({ type }) => types.length === 0 || types.includes(type))
    .map((channel) => offer(channel, '#'));
}

/** Returns the default values of a select. */
export function preselected(select: APISelectMenuComponent): readonly string[] {
  if (select.type !== ComponentType.StringSelect) return (select.default_values ?? []).map(({ id }) => id);
  return select.options.filter((option) => option.default).map(({ value }) => value);
}

export const isSelect = (component: APIComponentInMessageActionRow): component is APISelectMenuComponent =>
  component.type !== ComponentType.Button;

/**
 * Finds the select that offers all of these labels or values. Returns the select and the values to send, or the reason why
 * the user can't choose them.
 * @param about `customId` is needed if several selects have the same options
 */
export function findSelect(
  message: APIMessage,
  wanted: readonly string[],
  about: { readonly here: SelectSources; readonly customId: string | undefined },
): { readonly select: APISelectMenuComponent; readonly values: readonly string[] } | string {
  for (const select of rowsOf(message).flat().filter(isSelect)) {
    if (about.customId !== undefined && select.custom_id !== about.customId) continue;
    const offers = offersOf(select, about.here);
    const values = wanted.flatMap(
      (want) => offers.find(({ label, value }) => label === want || value === want)?.value ?? [],
    );
    if (offers.length === 0 || values.length < wanted.length) continue;
    const { min_values = 1, max_values = 1, disabled } = select;
    if (disabled === true) return 'the select is disabled';
    if (wanted.length < min_values || wanted.length > max_values)
      return `the select accepts ${min_values} to ${max_values} values`;
    return { select, values };
  }
  return `no select offers ${wanted.join(', ')}`;
}
