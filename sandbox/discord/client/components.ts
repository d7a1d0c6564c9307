import type { APIMessage } from 'discord.js';
import type { Channel } from '../world/channels.ts';
import type { Role } from '../world/guilds.ts';

/** Any component of a message: what a member's Discord needs to know of it. */
export interface ShownComponent {
  readonly type: number;
  readonly id?: number;
  readonly custom_id?: string;
  readonly label?: string;
  readonly style?: number;
  readonly disabled?: boolean;
  readonly min_values?: number;
  readonly max_values?: number;
  readonly channel_types?: readonly number[];
  readonly options?: readonly { readonly label: string; readonly value: string }[];
  readonly components?: readonly ShownComponent[];
  readonly accessory?: ShownComponent;
}

const BUTTON = 2;
const LINK_STYLES = [5, 6];
const ROLE_SELECT = 6;
const CHANNEL_SELECT = 8;
const SELECTS = [3, 5, 6, 7, 8];

/** Every component of a message, those inside rows, sections and containers too. */
export function allComponents(message: APIMessage): readonly ShownComponent[] {
  const below = (component: ShownComponent): ShownComponent[] => [
    component,
    ...(component.components ?? []).flatMap(below),
    ...(component.accessory === undefined ? [] : below(component.accessory)),
  ];
  return ((message.components ?? []) as readonly ShownComponent[]).flatMap(below);
}

/** The button with that label, or with that custom id; or why it cannot be pressed. */
export function findButton(message: APIMessage, labelOrId: string): ShownComponent | string {
  const buttons = allComponents(message).filter(({ type }) => type === BUTTON);
  const button =
    buttons.find(({ label }) => label === labelOrId) ??
    buttons.find(({ custom_id }) => custom_id === labelOrId);
  if (button === undefined) return `there is no button ${labelOrId}`;
  if (button.disabled === true) return `the button ${labelOrId} is disabled`;
  if (LINK_STYLES.includes(button.style ?? 0))
    return `the button ${labelOrId} does not send anything to the bot`;
  return button;
}

/**
 * The select that offers all of these, by label or value, with the values it would send; or why there is none.
 * @param customId of the one that is meant, where several offer the same
 */
export function findSelect(
  message: APIMessage,
  wanted: readonly string[],
  here: Here | undefined = undefined,
  customId?: string,
): { readonly select: ShownComponent; readonly values: readonly string[] } | string {
  const selects = allComponents(message).filter(
    ({ type, custom_id }) => SELECTS.includes(type) && (customId === undefined || custom_id === customId),
  );
  const fitting = selects.flatMap((select) => {
    const values = wanted.flatMap((want) => offered(select, want, here) ?? []);
    return values.length === wanted.length ? [{ select, values }] : [];
  })[0];
  if (fitting === undefined) return `no select offers ${wanted.join(', ')}`;
  const { min_values = 1, max_values = 1, disabled } = fitting.select;
  if (disabled === true) return 'the select is disabled';
  if (wanted.length < min_values || wanted.length > max_values)
    return `the select takes ${min_values} to ${max_values} values`;
  return fitting;
}

/** What a guild has to be chosen from. */
interface Here {
  readonly channels: ReadonlyMap<string, Pick<Channel, 'name' | 'type'>>;
  readonly roles: ReadonlyMap<string, Pick<Role, 'name'>>;
}

/** Selects of members, roles and channels have no list of their own: the id is the value. */
function offered(
  { type, options, channel_types = [] }: ShownComponent,
  want: string,
  { channels, roles }: Here = { channels: new Map(), roles: new Map() },
): string | undefined {
  if (type === CHANNEL_SELECT)
    return [...channels]
      .filter(([, channel]) => channel_types.length === 0 || channel_types.includes(channel.type))
      .find(([id, { name }]) => [id, `#${name}`].includes(want))?.[0];
  // @everyone is offered too.
  if (type === ROLE_SELECT)
    return [...roles].find(([id, { name }]) =>
      [id, `@${name}`, name.replace(/^@*/, '@')].includes(want),
    )?.[0];
  if (options === undefined) return /^\d{17,20}$/.test(want) ? want : undefined;
  return options.find(({ label, value }) => label === want || value === want)?.value;
}
