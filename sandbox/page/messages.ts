import type { APIEmbed, APIMessage } from 'discord.js';
import type { DiscordStandIn } from '../discord/contract.ts';
import type { Guild } from '../discord/world/guilds.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { marksOf } from './markup.ts';
import type {
  ButtonView,
  Choice,
  EmbedView,
  FileView,
  MessageView,
  PartView,
  SelectView,
} from './protocol.ts';

type Discord = Pick<DiscordStandIn, 'nameOf' | 'channels' | 'members' | 'roles'>;
export interface Where {
  readonly discord: Discord;
  readonly guild: Guild;
}

/** What Discord shows of a text file without a press. */
const PREVIEW_LINES = 6;
const PREVIEW_UNITS = 1_500;

/** A message as the page draws it; `undefined` once it was deleted. */
export function messageView(message: SeenMessage, where: Where): MessageView | undefined {
  const { current } = message;
  if (current === undefined) return undefined;
  const marks = (text: string | undefined) => marksOf(text ?? '', where.discord.nameOf);
  return {
    id: current.id,
    author: current.author.global_name ?? current.author.username,
    bot: current.author.bot ?? false,
    at: Date.parse(current.timestamp),
    // What fills a deferred answer in is no edit to Discord.
    edited: current.edited_timestamp !== null && current.interaction_metadata === undefined,
    ephemeral: message.ephemeral,
    state: message.loading ? 'thinking' : 'written',
    command: commandOf(current),
    content: marks(current.content),
    embeds: current.embeds.map((embed) => embedView(embed, where)),
    files: current.attachments.map(({ filename, size }) => fileView(message, filename, size)),
    rows: rowsOf((current.components ?? []) as readonly Component[], where),
  };
}

/** The name is in a field that is deprecated, and that Discord still sends. */
function commandOf({ interaction_metadata: origin, interaction }: APIMessage): MessageView['command'] {
  if (origin === undefined || interaction === undefined) return undefined;
  return { user: origin.user.global_name ?? origin.user.username, name: interaction.name };
}

function embedView(embed: APIEmbed, { discord }: Where): EmbedView {
  const marks = (text: string | undefined) => marksOf(text ?? '', discord.nameOf);
  return {
    color: embed.color === undefined ? '' : `#${embed.color.toString(16).padStart(6, '0')}`,
    author: embed.author?.name ?? '',
    title: embed.title ?? '',
    url: embed.url ?? '',
    description: marks(embed.description),
    fields: (embed.fields ?? []).map(({ name, value, inline = false }) => ({
      name,
      value: marks(value),
      inline,
    })),
    footer: embed.footer?.text ?? '',
  };
}

function fileView(message: SeenMessage, name: string, size: number): FileView {
  const text = message.file(name)?.toString('utf8') ?? '';
  const isText = text !== '' && !text.includes('\0') && !text.includes('\ufffd');
  const lines = text.slice(0, PREVIEW_UNITS).split(/\r?\n/).slice(0, PREVIEW_LINES);
  return { name, size, preview: isText ? lines.join('\n').trimEnd() : '' };
}

/** What is read of a component, of whatever type. */
export interface Component {
  readonly type: number;
  readonly custom_id?: string;
  readonly label?: string;
  readonly emoji?: { readonly name?: string };
  readonly style?: number;
  readonly url?: string;
  readonly disabled?: boolean;
  readonly placeholder?: string;
  readonly content?: string;
  readonly min_values?: number;
  readonly max_values?: number;
  readonly channel_types?: readonly number[];
  readonly default_values?: readonly { readonly id: string }[];
  readonly options?: readonly {
    readonly label: string;
    readonly value: string;
    readonly description?: string;
    readonly default?: boolean;
  }[];
  readonly components?: readonly Component[];
  readonly component?: Component;
  readonly accessory?: Component;
}

/** Types of component (Discord docs: Component Reference). */
export const TYPE = {
  row: 1,
  button: 2,
  text: 4,
  users: 5,
  roles: 6,
  mentionables: 7,
  channels: 8,
  words: 10,
} as const;

/** Rows as they stand; what holds other components is a row of each. */
function rowsOf(components: readonly Component[], where: Where): readonly (readonly PartView[])[] {
  return components.flatMap((component) => {
    const { type, components: inside = [], accessory } = component;
    if (type === TYPE.row) return [inside.flatMap((each) => partOf(each, where))];
    const own = partOf(component, where);
    const below = rowsOf([...inside, ...(accessory === undefined ? [] : [accessory])], where);
    return [...(own.length > 0 ? [own] : []), ...below];
  });
}

function partOf(component: Component, where: Where): PartView[] {
  if (component.type === TYPE.button) return [buttonView(component)];
  if (component.type === TYPE.words)
    return [{ kind: 'text', marks: marksOf(component.content ?? '', where.discord.nameOf) }];
  return isSelect(component) ? [selectView(component, where)] : [];
}

export const isSelect = ({ type }: Component): boolean =>
  type === 3 || (type >= TYPE.users && type <= TYPE.channels);

const buttonView = ({ custom_id, label, emoji, style, disabled, url }: Component): ButtonView => ({
  kind: 'button',
  id: custom_id ?? '',
  label: [emoji?.name ?? '', label ?? ''].filter((word) => word !== '').join(' '),
  style: style ?? 2,
  disabled: disabled ?? false,
  url: url ?? '',
});

const selectView = (component: Component, where: Where): SelectView => ({
  kind: 'select',
  id: component.custom_id ?? '',
  placeholder: component.placeholder ?? '',
  least: component.min_values ?? 1,
  most: component.max_values ?? 1,
  disabled: component.disabled ?? false,
  choices: choicesOf(component, where),
});

/** What a select offers: its own options, or who and what is in the guild. */
export function choicesOf(component: Component, { discord, guild }: Where): readonly Choice[] {
  const { type, options, channel_types = [], default_values = [] } = component;
  if (options !== undefined)
    return options.map(({ label, value, description = '', default: chosen = false }) => ({
      label,
      value,
      description,
      chosen,
    }));
  const here = (things: readonly { readonly id: string; readonly name: string }[], sign: string): Choice[] =>
    things.map(({ id, name }) => ({
      label: name.startsWith(sign) ? name : `${sign}${name}`,
      value: id,
      description: '',
      chosen: default_values.some((value) => value.id === id),
    }));
  const members = () => here(discord.members(guild), '@');
  const roles = () => here(discord.roles(guild), '@');
  if (type === TYPE.users) return members();
  if (type === TYPE.roles) return roles();
  if (type === TYPE.mentionables) return [...members(), ...roles()];
  const fits = (channel: { readonly type: number }) =>
    channel_types.length === 0 || channel_types.includes(channel.type);
  return here(discord.channels(guild).filter(fits), '#');
}
