/**
 * What a spreadsheet takes for the beginning of a formula: these four characters, also in full width and as small
 * forms, which some versions read as the same (Unicode NFKC makes them so).
 */
const FORMULA = "(?='*[=+\\-@＝＋－＠﹦﹢﹣﹫])";
const BEGINS = new RegExp(`^${FORMULA}`, 'u');
const DISARMED = new RegExp(`^'${FORMULA}`, 'u');

/** A cell that no spreadsheet runs: with an apostrophe in front, which it takes for "this is text". */
export const disarmed = (cell: string): string => cell.replace(BEGINS, "'");

/** The reverse of {@link disarmed}. */
export const rearmed = (cell: string): string => cell.replace(DISARMED, '');
