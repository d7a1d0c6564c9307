import { type APIAttachment, type APIEmbed, type APIMessage, ButtonStyle, ComponentType } from 'discord.js';
import { isSelect, offersOf, rowsOf } from '../discord/client/components.ts';
import type { DiscordStandIn } from '../discord/contract.ts';
import type { Guild } from '../discord/world/guilds.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { type Mark, marksOf } from '../markdown.ts';
import type { ButtonView, EmbedView, FileView, MessageView, SelectView } from './protocol.ts';

export interface Where {
  readonly discord: DiscordStandIn;
  readonly guild: Guild;
}

/** What Discord shows of a text file without a press. */
const PREVIEW_LINES = 6;
const PREVIEW_UNITS = 1_500;

/** A message as the page draws it. */
export function messageView(message: SeenMessage, where: Where): MessageView {
  const { current } = message;
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
    embeds: current.embeds.map((embed) => embedView(embed, marks)),
    files: current.attachments.map((file) => fileView(message, file)),
    rows: controlsOf(current, where),
  };
}

/** The name is in a field that is deprecated, and that Discord still sends. */
function commandOf({ interaction_metadata: origin, interaction }: APIMessage): MessageView['command'] {
  if (origin === undefined || interaction === undefined) return undefined;
  return { user: origin.user.global_name ?? origin.user.username, name: interaction.name };
}

const embedView = (embed: APIEmbed, marks: (text: string | undefined) => readonly Mark[]): EmbedView => ({
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
});

function fileView(message: SeenMessage, { filename: name, size, url }: APIAttachment): FileView {
  const text = message.file(name)?.toString('utf8') ?? '';
  const lines = text.slice(0, PREVIEW_UNITS).split(/\r?\n/).slice(0, PREVIEW_LINES);
  return { name, size, url, preview: lines.join('\n').trimEnd() };
}

function controlsOf(message: APIMessage, { discord, guild }: Where): MessageView['rows'] {
  const here = { channels: discord.channels(guild), roles: discord.roles(guild) };
  return rowsOf(message).map((row) =>
    row.map((control): ButtonView | SelectView => {
      const { disabled = false } = control;
      if (isSelect(control))
        return {
          kind: 'select',
          id: control.custom_id,
          placeholder: control.placeholder ?? '',
          least: control.min_values ?? 1,
          most: control.max_values ?? 1,
          disabled,
          offers: offersOf(control, here),
        };
      return {
        kind: 'button',
        id: 'custom_id' in control ? control.custom_id : '',
        label: 'label' in control ? (control.label ?? '') : '',
        style: control.style,
        disabled,
        url: 'url' in control ? control.url : '',
      };
    }),
  );
}

/** The button that the message offers first: the next thing to do. */
export function mainButton({ current }: SeenMessage): string | undefined {
  const buttons = rowsOf(current)
    .flat()
    .filter((control) => control.type === ComponentType.Button)
    .filter(({ disabled, style }) => disabled !== true && style !== ButtonStyle.Danger);
  return buttons.flatMap((button) => ('custom_id' in button ? [button.custom_id] : []))[0];
}
