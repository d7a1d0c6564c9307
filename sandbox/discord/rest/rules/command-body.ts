/** A command as it comes in a request, once Discord's schema has accepted it: only what the rules look at. */
export interface CommandBody extends Named {
  /** 1 CHAT_INPUT (default), 2 USER, 3 MESSAGE, 4 PRIMARY_ENTRY_POINT. */
  readonly type?: number | null;
  readonly options?: readonly OptionBody[] | null;
  readonly contexts?: readonly number[] | null;
  readonly integration_types?: readonly number[] | null;
}

export interface OptionBody extends Named {
  readonly type: number;
  readonly required?: boolean | null;
  readonly autocomplete?: boolean | null;
  readonly choices?: readonly ChoiceBody[] | null;
  readonly options?: readonly OptionBody[] | null;
  readonly min_length?: number | null;
  readonly max_length?: number | null;
  readonly min_value?: number | null;
  readonly max_value?: number | null;
  readonly channel_types?: readonly number[] | null;
  readonly file_types?: readonly string[] | null;
}

export interface ChoiceBody {
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly value: string | number;
}

export interface Named {
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly description?: string | null;
  readonly description_localizations?: Localizations;
}

export type Localizations = Readonly<Record<string, string | null>> | null | undefined;

/** Discord docs: Application Commands, option types. */
export const optionType = {
  subcommand: 1,
  group: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const;

export const isSubcommand = ({ type }: { readonly type: number }): boolean =>
  type === optionType.subcommand || type === optionType.group;
