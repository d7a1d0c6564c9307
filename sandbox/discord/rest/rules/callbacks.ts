import {
  InteractionApplicationCommandAutocompleteCallbackIntegerDataSchema,
  InteractionApplicationCommandAutocompleteCallbackNumberDataSchema,
  InteractionApplicationCommandAutocompleteCallbackStringDataSchema,
} from 'discord-api-spec/zod';
import type { UploadedFile } from './attachments.ts';
import { type ChoiceBody, optionType } from './command-body.ts';
import { choiceFlaws } from './command-options.ts';
import { invalidForm, notAChoice, notAnObject, type Path, type Refusal, required } from './flaws.ts';
import { type CurrentMessage, checkMessage, deferFlagFlaws } from './messages.ts';
import { checkModal } from './modals.ts';
import { shapeFlaws, valueAt } from './shape.ts';

export interface CallbackSituation {
  readonly kind: 'command' | 'component' | 'modal' | 'autocomplete';
  /** Whether the interaction came from a message: a component always, a modal when a component opened it. */
  readonly hasSourceMessage: boolean;
  /** That message as it is now, for type 7. */
  readonly current?: CurrentMessage | undefined;
  /** The files that came with the request. */
  readonly files?: readonly UploadedFile[];
  /** Bytes for each file. */
  readonly attachmentSizeLimit?: number;
  /** Whether a channel may be preselected; without it every channel may. */
  readonly channelExists?: (id: string) => boolean;
  /** For `autocomplete`: the type of the option that is being completed. Default: string. */
  readonly focusedOptionType?: number | undefined;
}

/** Discord docs: Receiving and Responding, Interaction Callback Type. */
export const callbackType = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  update: 7,
  suggestions: 8,
  modal: 9,
} as const;

const { message, deferredMessage, deferredUpdate, update, suggestions, modal } = callbackType;
const AT: Path = ['data'];

/** Rules 5, 27, 29–37 and 44 for the body of `POST /interactions/{id}/{token}/callback`. */
export function checkCallback(body: unknown, situation: CallbackSituation): Refusal | undefined {
  if (!isObject(body)) return invalidForm([notAnObject(27, [])]);
  const type = valueAt(body, ['type']);
  const data = valueAt(body, AT);
  if (type === undefined || type === null) return invalidForm([required(27, ['type'])]);
  const allowed = allowedTypes(situation);
  if (!allowed.some((each) => each === type)) return invalidForm([notAChoice(27, ['type'], allowed)]);
  switch (type) {
    case message:
      return checkMessage(data ?? {}, { ...situation, for: 'callback', at: AT });
    case update:
      return checkMessage(data ?? {}, { ...situation, for: 'update', at: AT });
    case deferredMessage:
      if (!isObject(data ?? {})) return invalidForm([notAnObject(29, AT)]);
      return invalidForm(deferFlagFlaws(valueAt(data, ['flags']), AT));
    case suggestions:
      return checkSuggestions(data, situation.focusedOptionType ?? optionType.string);
    case modal:
      return data === undefined || data === null ? invalidForm([required(37, AT)]) : checkModal(data, AT);
    default:
      return undefined;
  }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Rule 27. PONG (1) is for HTTP endpoints, 10 is deprecated, 12 is for Activities: none of them is accepted. */
function allowedTypes({ kind, hasSourceMessage }: CallbackSituation): readonly number[] {
  if (kind === 'autocomplete') return [suggestions];
  return [
    message,
    deferredMessage,
    ...(hasSourceMessage ? [deferredUpdate, update] : []),
    ...(kind === 'modal' ? [] : [modal]),
  ];
}

/** Rule 31. */
function checkSuggestions(data: unknown, type: number): Refusal | undefined {
  const path = [...AT, 'choices'];
  const choices = valueAt(data, ['choices']);
  if (choices === undefined || choices === null) return invalidForm([required(31, path)]);
  const schema =
    type === optionType.integer
      ? InteractionApplicationCommandAutocompleteCallbackIntegerDataSchema
      : type === optionType.number
        ? InteractionApplicationCommandAutocompleteCallbackNumberDataSchema
        : InteractionApplicationCommandAutocompleteCallbackStringDataSchema;
  const shape = shapeFlaws(data, { schema, rule: () => 31, at: AT });
  if (shape.length > 0) return invalidForm(shape);
  const given = choices as readonly (ChoiceBody | null)[];
  // The schema lets `null` pass for a choice; nobody documents what it would mean.
  const missing = given.flatMap((choice, index) => (choice === null ? [required(31, [...path, index])] : []));
  return invalidForm(
    missing.length > 0 ? missing : choiceFlaws(given as readonly ChoiceBody[], type, path, 31),
  );
}
