import type { APIModalInteractionResponseCallbackData } from 'discord.js';
import type { FormValue, Upload } from '../contract.ts';
import type { FieldValue } from '../rest/rules/modals.ts';
import { isUpload } from './options.ts';
import type { Resolved } from './payload.ts';

interface Field {
  readonly type: number;
  readonly id: number;
  readonly custom_id?: string;
  readonly value?: string;
  readonly options?: readonly { readonly value: string; readonly default?: boolean }[];
  readonly component?: Field;
  readonly components?: readonly Field[];
}

const TEXT_INPUT = 4;
const TEXT_DISPLAY = 10;
const RADIO_GROUP = 21;
const CHECKBOX = 23;

/** What was entered, in the form in which the rules check it: files by their names. */
export const checkable = (values: Readonly<Record<string, FormValue>>): Record<string, FieldValue> =>
  Object.fromEntries(
    Object.entries(values).map(([customId, value]) => [
      customId,
      typeof value === 'boolean' || typeof value === 'string'
        ? value
        : listOf(value).map((each) => (isUpload(each) ? each.filename : each)),
    ]),
  );

/** Rule 38: the tree that a submit sends: the modal's own, with what was entered and without what was only shown. */
export function submitted(
  modal: APIModalInteractionResponseCallbackData,
  values: Readonly<Record<string, FormValue>>,
  resolved: Resolved,
): readonly object[] {
  const entered = new Map(Object.entries(values));

  function fieldOf(field: Field): object {
    const { type, id, custom_id = '' } = field;
    if (type === TEXT_DISPLAY) return { type, id };
    if (field.component !== undefined) return { type, id, component: fieldOf(field.component) };
    if (field.components !== undefined) return { type, id, components: field.components.map(fieldOf) };
    return { type, id, custom_id, ...answerOf(field, entered.get(custom_id)) };
  }

  function answerOf(field: Field, value: FormValue | undefined): object {
    const preselected = (field.options ?? [])
      .filter((option) => option.default)
      .map((option) => option.value);
    if (field.type === TEXT_INPUT) return { value: value ?? field.value ?? '' };
    if (field.type === CHECKBOX) return { value: value === true };
    if (field.type === RADIO_GROUP) return { value: value ?? preselected[0] ?? null };
    const chosen = value === undefined || typeof value === 'boolean' ? preselected : listOf(value);
    return { values: chosen.map((each) => idOf(field.type, each)) };
  }

  function idOf(type: number, value: string | Upload): string {
    if (isUpload(value)) return resolved.file(value);
    if (type === 5) resolved.user(value);
    if (type === 6) resolved.role(value);
    if (type === 7) resolved.mentionable(value);
    if (type === 8) resolved.channel(value);
    return value;
  }

  return (modal.components as unknown as readonly Field[]).map(fieldOf);
}

const isList = (value: FormValue): value is readonly string[] | readonly Upload[] => Array.isArray(value);
const listOf = (value: Exclude<FormValue, boolean>): readonly (string | Upload)[] =>
  isList(value) ? value : [value];
