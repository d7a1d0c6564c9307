/** Matches a formula, even after characters that spreadsheets ignore and after quotes. */
const FORMULA = /^[\s"\p{Cc}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u;

/**
 * Returns the cells of a CSV file that a spreadsheet might run as formulas, whichever delimiter it splits lines at. Splits
 * the lines even inside quotes, as some spreadsheets do.
 */
export const formulasIn = (file: string): readonly string[] =>
  [',', ';', '|', '\t']
    .flatMap((delimiter) => file.split('\r\n').flatMap((line) => line.split(delimiter)))
    .filter((cell) => FORMULA.test(cell));
