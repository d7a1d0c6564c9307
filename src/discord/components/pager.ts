import type { APIButtonComponent } from 'discord.js';
import type { Translate } from '../../words/words.ts';
import { button } from './controls.ts';
import { customId } from './custom-ids.ts';

/** A page of something long. All there is to know of it is in the custom ids of its buttons. */
export interface Page {
  /** From 1. */
  readonly number: number;
  /** At least 1. */
  readonly pages: number;
  /** How many stand before this page, and how many it shows at most. */
  readonly offset: number;
  readonly limit: number;
}

export interface PageOptions {
  readonly count: number;
  readonly perPage: number;
  /** What is out of range, or no number, becomes the nearest page or the first: it may come from anybody. */
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

/** The buttons to the pages before and after; none when there is one page only. */
export function pageButtons(
  { t }: { readonly t: Translate },
  { number, pages }: Page,
  { command, action, state = '' }: TurnOptions,
): readonly APIButtonComponent[] {
  if (pages === 1) return [];
  const to = (page: number, label: string) =>
    button(customId(command, action, writePage(page, state)), label, { disabled: page < 1 || page > pages });
  return [to(number - 1, t('pager.previous')), to(number + 1, t('pager.next'))];
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
export function readPage(argument: string): { readonly wanted: number; readonly state: string } {
  const [wanted = '', ...state] = argument.split(':');
  return { wanted: Number.parseInt(wanted, 10) || 1, state: state.join(':') };
}
