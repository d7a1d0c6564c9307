import type {
  APIAttachment,
  APIButtonComponent,
  APIEmbed,
  APIMessage,
  APISelectMenuComponent,
} from 'discord.js';
import { isSelect, offersOf, rowsOf, type SelectSources } from '../discord/client/components.ts';
import { modalFields, modalTexts } from '../discord/client/modal-form.ts';
import type { DiscordStandIn, SeenModal } from '../discord/contract.ts';
import type { Guild } from '../discord/world/guilds.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { type Mark, marksOf } from '../markdown.ts';

export interface GuildInDiscord {
  readonly discord: DiscordStandIn;
  readonly guild: Guild;
}

/** A user who reads messages, and what this user can see. */
export interface Viewer {
  /** Returns the name of the member, channel or role with this id. */
  readonly nameOf: (id: string) => string | undefined;
  readonly here: SelectSources;
  /** How many lines of an attached text file to show before the user expands it. */
  readonly lines: number;
}

/** How many lines of a text file Discord shows before the user expands it. */
const PREVIEW_LINES = 6;
const PREVIEW_UNITS = 1_500;

/** For commands, `sending` means that the bot hasn't replied yet, and `failed` that it didn't reply in time. */
type MessageState = 'written' | 'thinking' | 'sending' | 'failed';
export type ModalView = ReturnType<typeof modalView>;
export type MessageView = ReturnType<typeof messageView>;
export type EmbedView = ReturnType<typeof embedView>;
export type FileView = ReturnType<typeof fileView>;
export type ButtonView = ReturnType<typeof buttonView>;
export type SelectView = ReturnType<typeof selectView>;

export const viewerIn = ({ discord, guild }: GuildInDiscord): Viewer => ({
  nameOf: discord.nameOf,
  here: { channels: discord.channels(guild), roles: discord.roles(guild), members: discord.members(guild) },
  lines: PREVIEW_LINES,
});

/** Converts a message to what the page shows. */
export function messageView(message: SeenMessage, { nameOf, here, lines }: Viewer) {
  const { current } = message;
  const marks = (text: string | undefined) => marksOf(text ?? '', nameOf);
  return {
    id: current.id,
    author: current.author.global_name ?? current.author.username,
    bot: current.author.bot ?? false,
    /** In milliseconds since 1970. */
    at: Date.parse(current.timestamp),
    // Discord doesn't mark a deferred reply as edited.
    edited: current.edited_timestamp !== null && current.interaction_metadata === undefined,
    ephemeral: message.ephemeral,
    state: stateOf(message),
    command: commandOf(current),
    content: marks(current.content),
    embeds: current.embeds.map((embed) => embedView(embed, marks)),
    files: current.attachments.map((file) => fileView(message, file, lines)),
    rows: controlsOf(current, here),
  };
}

const stateOf = ({ loading }: SeenMessage): MessageState => (loading ? 'thinking' : 'written');

/**
 * Returns the user and the command that the message replies to, for `admin used /setkey`. `interaction` is deprecated, but
 * Discord still sends it.
 */
function commandOf({ interaction_metadata: origin, interaction }: APIMessage) {
  if (origin === undefined || interaction === undefined) return undefined;
  return { user: origin.user.global_name ?? origin.user.username, name: interaction.name };
}

const embedView = (embed: APIEmbed, marks: (text: string | undefined) => readonly Mark[]) => ({
  /** The embed's colour in CSS notation. */
  color: embed.color === undefined ? '' : `#${embed.color.toString(16).padStart(6, '0')}`,
  title: embed.title ?? '',
  description: marks(embed.description),
  footer: embed.footer?.text ?? '',
});

/** Describes an attached file, with its first lines if it is a text file. */
function fileView(message: SeenMessage, { filename: name, size, url }: APIAttachment, most: number) {
  const text = message.file(name)?.toString('utf8') ?? '';
  const lines = text.slice(0, PREVIEW_UNITS).split(/\r?\n/).slice(0, most);
  return { name, size, url, preview: lines.join('\n').trimEnd() };
}

/** Converts a modal to what the page and the prompt show. */
export const modalView = (
  { data, interactionId }: SeenModal,
  nameOf: (id: string) => string | undefined,
) => ({
  /** The id that the page sends back when the user submits the modal. */
  id: interactionId,
  title: data.title,
  texts: modalTexts(data).map((text) => marksOf(text, nameOf)),
  fields: modalFields(data),
});

function controlsOf(message: APIMessage, here: SelectSources) {
  return rowsOf(message).map((row) =>
    row.map((control) => (isSelect(control) ? selectView(control, here) : buttonView(control))),
  );
}

const selectView = (select: APISelectMenuComponent, here: SelectSources) => ({
  kind: 'select' as const,
  id: select.custom_id,
  placeholder: select.placeholder ?? '',
  least: select.min_values ?? 1,
  most: select.max_values ?? 1,
  disabled: select.disabled ?? false,
  offers: offersOf(select, here),
});

function buttonView(button: APIButtonComponent) {
  const url = 'url' in button ? button.url : '';
  return {
    kind: 'button' as const,
    /** The button's custom id, or the URL if it is a link. */
    id: 'custom_id' in button ? button.custom_id : url,
    label: 'label' in button ? (button.label ?? '') : '',
    style: button.style,
    disabled: button.disabled ?? false,
    /** The URL if the button is a link; otherwise, an empty string. */
    url,
  };
}
