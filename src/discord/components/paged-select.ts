import { createHash } from 'node:crypto';
import { LIMITS } from '../limits.ts';
import { type Control, type SelectOption, select } from './controls.ts';
import { type Page, pageOf, readPage, writePage } from './pager.ts';

export interface PagedSelectOptions {
  /** See `customId`; what is given to it stands behind the action. */
  readonly id: (argument: string) => string;
  /** All of them, on however many pages. */
  readonly options: readonly SelectOption[];
  /** From 1; anything else is brought into range. */
  readonly wanted: number;
  readonly placeholder: (page: Page) => string;
}

/** A select of more options than one takes, of which any may be chosen: a page of them, and which page it is. */
export function pagedSelect({ id, options, wanted, placeholder }: PagedSelectOptions): {
  readonly control: Control | undefined;
  readonly page: Page;
} {
  const { page, offered, mark } = pageWith(options, wanted);
  const argument = writePage(page.number, mark);
  return {
    page,
    control: select({ id: id(argument), placeholder: placeholder(page), options: offered, any: true }),
  };
}

export interface ChosenOnPage {
  readonly wanted: number;
  /** The values that the page offers. */
  readonly offered: ReadonlySet<string>;
  /** Those of them that were chosen. */
  readonly chosen: readonly string[];
}

/**
 * What was chosen on a page; what is chosen on others is unknown here.
 * @param argument the custom id's
 * @returns `undefined` when the page offers other options by now: one that was not on it could be taken for one that
 * was taken back
 */
export function chosenOnPage(
  options: readonly SelectOption[],
  { argument, values }: { readonly argument: string; readonly values: readonly string[] },
): ChosenOnPage | undefined {
  const { wanted, state } = readPage(argument);
  const { offered, mark } = pageWith(options, wanted);
  if (state !== mark) return undefined;
  const there = new Set(offered.map(({ value }) => value));
  return { wanted, offered: there, chosen: values.filter((value) => there.has(value)) };
}

/** The mark tells whether a page still offers the same when something is chosen on it. */
function pageWith(options: readonly SelectOption[], wanted: number) {
  const page = pageOf({ count: options.length, perPage: LIMITS.choices, wanted });
  const offered = options.slice(page.offset, page.offset + page.limit);
  const mark = createHash('sha256')
    .update(JSON.stringify(offered.map(({ value }) => value)))
    .digest('base64url')
    .slice(0, 12);
  return { page, offered, mark };
}
