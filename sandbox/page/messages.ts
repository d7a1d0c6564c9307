import type {
  APIAttachment,
  APIButtonComponent,
  APIEmbed,
  APIMessage,
  APISelectMenuComponent,
} from 'discord.js';
import { type Here, isSelect, offersOf, rowsOf } from '../discord/client/components.ts';
import { modalFields, modalTexts } from '../discord/client/modal-form.ts';
import type { DiscordStandIn, SeenModal } from '../discord/contract.ts';
import type { Guild } from '../discord/world/guilds.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { type Mark, marksOf } from '../markdown.ts';

export interface Where {
  readonly discord: DiscordStandIn;
  readonly guild: Guild;
}

/** The view of a user who looks at messages. */
export interface Looking {
  /** Returns the name of a member, a channel or a role by its id. */
  readonly nameOf: (id: string) => string | undefined;
  readonly here: Here;
  /** The number of lines shown of an attached text before the user expands it. */
  readonly lines: number;
}

/** The number of lines that Discord shows of a text file before the user expands it. */
const PREVIEW_LINES = 6;
const PREVIEW_UNITS = 1_500;

/** `sending` and `failed` are for a command without a reply: none yet, or none in time. */
type MessageState = 'written' | 'thinking' | 'sending' | 'failed';
export type ModalView = ReturnType<typeof modalView>;
export type MessageView = ReturnType<typeof messageView>;
export type EmbedView = ReturnType<typeof embedView>;
export type FileView = ReturnType<typeof fileView>;
export type ButtonView = ReturnType<typeof buttonView>;
export type SelectView = ReturnType<typeof selectView>;

export const lookingAt = ({ discord, guild }: Where): Looking => ({
  nameOf: discord.nameOf,
  here: { channels: discord.channels(guild), roles: discord.roles(guild) },
  lines: PREVIEW_LINES,
});

/** Builds the view of a message for the page. */
export function messageView(message: SeenMessage, { nameOf, here, lines }: Looking) {
  const { current } = message;
  const marks = (text: string | undefined) => marksOf(text ?? '', nameOf);
  return {
    id: current.id,
    author: current.author.global_name ?? current.author.username,
    bot: current.author.bot ?? false,
    /** Milliseconds since 1970. */
    at: Date.parse(current.timestamp),
    // Discord doesn't count the reply to a deferred interaction as an edit.
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
 * Returns the user and the command that the message replies to: `admin used /setkey`. Discord has deprecated the field
 * with the name, but still sends it.
 */
function commandOf({ interaction_metadata: origin, interaction }: APIMessage) {
  if (origin === undefined || interaction === undefined) return undefined;
  return { user: origin.user.global_name ?? origin.user.username, name: interaction.name };
}

const embedView = (embed: APIEmbed, marks: (text: string | undefined) => readonly Mark[]) => ({
  /** The colour in CSS notation. */
  color: embed.color === undefined ? '' : `#${embed.color.toString(16).padStart(6, '0')}`,
  title: embed.title ?? '',
  description: marks(embed.description),
  footer: embed.footer?.text ?? '',
});

/** Builds the view of a file, with the first lines of a text. */
function fileView(message: SeenMessage, { filename: name, size, url }: APIAttachment, most: number) {
  const text = message.file(name)?.toString('utf8') ?? '';
  const lines = text.slice(0, PREVIEW_UNITS).split(/\r?\n/).slice(0, most);
  return { name, size, url, preview: lines.join('\n').trimEnd() };
}

/** Builds the view of a modal for the page and the prompt. */
export const modalView = (
  { data, interactionId }: SeenModal,
  nameOf: (id: string) => string | undefined,
) => ({
  /** Identifies the modal when it is submitted. */
  id: interactionId,
  title: data.title,
  texts: modalTexts(data).map((text) => marksOf(text, nameOf)),
  fields: modalFields(data),
});

function controlsOf(message: APIMessage, here: Here) {
  return rowsOf(message).map((row) =>
    row.map((control) => (isSelect(control) ? selectView(control, here) : buttonView(control))),
  );
}

const selectView = (select: APISelectMenuComponent, here: Here) => ({
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
    /** The custom id; for a link, its URL. */
    id: 'custom_id' in button ? button.custom_id : url,
    label: 'label' in button ? (button.label ?? '') : '',
    style: button.style,
    disabled: button.disabled ?? false,
    /** The URL of a link; empty for other buttons. */
    url,
  };
}
