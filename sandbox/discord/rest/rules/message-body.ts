/** The body of a message as it comes in a request, once Discord's schema has accepted it. */
export interface MessageBody {
  readonly content?: string | null;
  readonly embeds?: readonly EmbedBody[] | null;
  readonly components?: readonly ComponentBody[] | null;
  readonly attachments?: readonly { readonly id: string | number }[] | null;
  readonly allowed_mentions?: AllowedMentions;
  readonly poll?: unknown;
  readonly flags?: number | null;
}

export type AllowedMentions =
  | {
      readonly parse?: readonly (string | null)[] | null;
      readonly users?: readonly (string | null)[] | null;
      readonly roles?: readonly (string | null)[] | null;
    }
  | null
  | undefined;

export interface EmbedBody {
  readonly title?: string | null;
  readonly description?: string | null;
  readonly url?: string | null;
  readonly timestamp?: string | null;
  readonly author?: {
    readonly name?: string | null;
    readonly url?: string | null;
    readonly icon_url?: string | null;
  } | null;
  readonly footer?: { readonly text?: string | null; readonly icon_url?: string | null } | null;
  readonly image?: { readonly url?: string | null } | null;
  readonly thumbnail?: { readonly url?: string | null } | null;
  readonly fields?: readonly { readonly name: string; readonly value: string }[] | null;
}

/** Any component of a message or a modal: the fields of all types, of which each has some. */
export interface ComponentBody {
  readonly type: number;
  readonly id?: number | null;
  readonly custom_id?: string | null;
  readonly components?: readonly ComponentBody[] | null;
  readonly accessory?: ComponentBody | null;
  readonly component?: ComponentBody | null;
  readonly style?: number | null;
  readonly label?: string | null;
  readonly url?: string | null;
  readonly sku_id?: string | null;
  readonly emoji?: { readonly id?: string | null; readonly name?: string | null } | null;
  readonly disabled?: boolean | null;
  readonly required?: boolean | null;
  readonly options?: readonly SelectOption[] | null;
  readonly default_values?: readonly { readonly id: string; readonly type: string }[] | null;
  readonly min_values?: number | null;
  readonly max_values?: number | null;
  readonly min_length?: number | null;
  readonly max_length?: number | null;
  readonly file_types?: readonly string[] | null;
  readonly value?: string | null;
  readonly content?: string | null;
  readonly media?: { readonly url: string } | null;
  readonly file?: { readonly url: string } | null;
  readonly items?: readonly { readonly media: { readonly url: string } }[] | null;
}

export interface SelectOption {
  readonly label: string;
  readonly value: string;
  readonly default?: boolean | null;
  readonly emoji?: ComponentBody['emoji'];
}

/** Discord docs: Components, component types. */
export const componentType = {
  actionRow: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  textDisplay: 10,
  thumbnail: 11,
  mediaGallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
  radioGroup: 21,
  checkboxGroup: 22,
  checkbox: 23,
} as const;

/** Discord docs: Message, message flags. */
export const messageFlag = {
  suppressEmbeds: 1 << 2,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  voiceMessage: 1 << 13,
  componentsV2: 1 << 15,
} as const;
