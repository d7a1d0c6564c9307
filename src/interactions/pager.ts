import type { APIButtonComponent } from 'discord.js';
import { LIMITS } from '../discord/limits.ts';
import type { Translate } from '../words/words.ts';
import type { PressContext } from './command.ts';
import { button, customId, type SelectOption, select } from './controls.ts';

/** A page of something long. The custom ids of its buttons hold all of its state. */
export interface Page {
  /** From 1. */
  readonly number: number;
  /** At least 1. */
  readonly pages: number;
  /** How many items stand before this page, and how many the page shows at most. */
  readonly offset: number;
  readonly limit: number;
}

export interface PageOptions {
  readonly count: number;
  readonly perPage: number;
  /** A number out of range becomes the nearest page, and no number the first page: anybody may have written it. */
  readonly wanted: number;
}

export function pageOf({ count, perPage, wanted }: PageOptions): Page {
  const pages = Math.max(1, Math.ceil(count / perPage));
  const number = Math.min(Math.max(Number.isInteger(wanted) ? wanted : 1, 1), pages);
  return { number, pages, offset: (number - 1) * perPage, limit: perPage };
}

export interface TurnOptions {
  readonly command: string;
  /** The handler that shows another page; it reads its argument with {@link readPage}. */
  readonly action: string;
  /** What else the other page has to know. */
  readonly state?: string;
}

export function pageButtons(
  { t }: { readonly t: Translate },
  { number, pages }: Page,
  { command, action, state = '' }: TurnOptions,
): readonly APIButtonComponent[] {
  const to = (page: number, label: string) =>
    button(customId(command, action, writePage(page, state)), label);
  return [
    ...(number > 1 ? [to(number - 1, t('pager.previous'))] : []),
    ...(number < pages ? [to(number + 1, t('pager.next'))] : []),
  ];
}

/** "Page 2 of 3" below an embed; nothing when there is one page only. */
export const pageFooter = (
  { t }: { readonly t: Translate },
  { number: page, pages }: Page,
): { readonly footer?: { readonly text: string } } =>
  pages === 1 ? {} : { footer: { text: t('pager.page', { page, pages }) } };

/** A page and what else it has to know as the argument of a custom id. */
export const writePage = (page: number, state: string): string => `${page}:${state}`;

/** The reverse of {@link writePage}; page 1 for what is no number. The state may hold colons. */
export function readPage(argument: string) {
  const [wanted = '', ...state] = argument.split(':');
  return { wanted: Number.parseInt(wanted, 10) || 1, state: state.join(':') };
}

export interface PagedSelectOptions {
  /** See `customId`; what is given to it stands behind the action. */
  readonly id: (argument: string) => string;
  /** All of them, on however many pages. */
  readonly options: readonly SelectOption[];
  /** From 1; anything else is brought into range. */
  readonly wanted: number;
  readonly placeholder: (page: Page) => string;
  /** Exactly one option is chosen; otherwise any number. */
  readonly isSingle?: true;
}

/** A select of more options than one takes: a page of them, and which page it is. */
export function pagedSelect({ id, options, wanted, placeholder, isSingle }: PagedSelectOptions) {
  const { page, offered } = pageWith(options, wanted);
  return {
    page,
    control: select({
      id: id(String(page.number)),
      placeholder: placeholder(page),
      options: offered,
      ...(!isSingle && { least: 0 }),
    }),
  };
}

export type ChosenOnPage = ReturnType<typeof chosenOnPage>;

/**
 * What was chosen on a page; what is chosen on the other pages is unknown here.
 * @param argument the custom id's
 * @returns the values that the page offers now, and those of them that were chosen
 */
export function chosenOnPage(
  options: readonly SelectOption[],
  { argument, values }: Pick<PressContext, 'argument' | 'values'>,
) {
  const { wanted } = readPage(argument);
  const offered = new Set(pageWith(options, wanted).offered.map(({ value }) => value));
  return { offered, chosen: values.filter((value) => offered.has(value)) };
}

function pageWith(options: readonly SelectOption[], wanted: number) {
  const page = pageOf({ count: options.length, perPage: LIMITS.choices, wanted });
  return { page, offered: options.slice(page.offset, page.offset + page.limit) };
}
