import type { APIButtonComponent } from 'discord.js';
import { LIMITS } from '../discord/limits.ts';
import type { Translate } from '../words/words.ts';
import type { PressContext } from './command.ts';
import { button, customId, type SelectOption, select } from './controls.ts';

/** A page of a long list. The custom ids of its buttons contain all of its state. */
export interface Page {
  /** Starts at 1. */
  readonly number: number;
  /** At least 1. */
  readonly pages: number;
  /** The number of items before this page, and the maximum number on it. */
  readonly offset: number;
  readonly limit: number;
}

export interface PageOptions {
  readonly count: number;
  readonly perPage: number;
  /**
   * A number out of range becomes the nearest page, and a value that isn't an integer becomes the first page. It may be
   * forged.
   */
  readonly wanted: number;
}

export function pageOf({ count, perPage, wanted }: PageOptions): Page {
  const pages = Math.max(1, Math.ceil(count / perPage));
  const number = Math.min(Math.max(Number.isInteger(wanted) ? wanted : 1, 1), pages);
  return { number, pages, offset: (number - 1) * perPage, limit: perPage };
}

export interface TurnOptions {
  readonly command: string;
  /** The action that shows another page. It parses its argument with {@link readPage}. */
  readonly action: string;
  /** Additional state for the other page. */
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

/** Returns "Page 2 of 3" as an embed's footer; nothing if there is only one page. */
export const pageFooter = (
  { t }: { readonly t: Translate },
  { number: page, pages }: Page,
): { readonly footer?: { readonly text: string } } =>
  pages === 1 ? {} : { footer: { text: t('pager.page', { page, pages }) } };

/** Builds the argument of a custom id from a page number and additional state. */
export const writePage = (page: number, state: string): string => `${page}:${state}`;

/** Parses an argument built by {@link writePage}. Without a number, the page is 1. The state can contain colons. */
export function readPage(argument: string) {
  const [wanted = '', ...state] = argument.split(':');
  return { wanted: Number.parseInt(wanted, 10) || 1, state: state.join(':') };
}

export interface PagedSelectOptions {
  /** Builds the custom id. Its argument is added after the action; see `customId`. */
  readonly id: (argument: string) => string;
  /** The options of all pages. */
  readonly options: readonly SelectOption[];
  /** Starts at 1; a number out of range becomes the nearest page. */
  readonly wanted: number;
  readonly placeholder: (page: Page) => string;
  /** Whether exactly one option has to be chosen; otherwise any number is possible. */
  readonly isSingle?: true;
}

/** Builds a select for one page of options, because a select can't contain all of them. Also returns that page. */
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

export type PageChoice = ReturnType<typeof chosenOnPage>;

/**
 * Returns the values chosen on one page. The choices on other pages aren't known here.
 * @param argument the argument of the custom id
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
