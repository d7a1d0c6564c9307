import type { APIButtonComponent } from 'discord.js';
import type { Translate } from '../words/words.ts';
import { button, customId } from './controls.ts';

/** A page of a long list. All of its state is stored in the custom ids of its buttons. */
export interface Page {
  /** Starts at 1. */
  readonly number: number;
  /** At least 1. */
  readonly pages: number;
  readonly offset: number;
  readonly limit: number;
}

export interface PageOptions {
  readonly count: number;
  readonly perPage: number;
  /** The requested page, as an integer, which can be forged. A number out of range selects the nearest page. */
  readonly wanted: number;
}

export function pageOf({ count, perPage, wanted }: PageOptions): Page {
  const pages = Math.max(1, Math.ceil(count / perPage));
  const number = Math.min(Math.max(wanted, 1), pages);
  return { number, pages, offset: (number - 1) * perPage, limit: perPage };
}

export interface TurnOptions {
  readonly command: string;
  /** Its handler parses the argument with {@link readPage}. */
  readonly action: string;
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

/** Returns an embed footer such as "Page 2 of 3", or an empty result if there is only one page. */
export const pageFooter = (
  { t }: { readonly t: Translate },
  { number: page, pages }: Page,
): { readonly footer?: { readonly text: string } } =>
  pages === 1 ? {} : { footer: { text: t('pager.page', { page, pages }) } };

export const writePage = (page: number, state: string): string => `${page}:${state}`;

/** Defaults to page 1. The state may contain colons. */
export function readPage(argument: string) {
  const [wanted = '', ...state] = argument.split(':');
  const number = Number.parseInt(wanted, 10);
  return { wanted: Number.isNaN(number) ? 1 : number, state: state.join(':') };
}
