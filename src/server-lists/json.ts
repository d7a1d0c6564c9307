import { columnsOf, unreadRow } from './csv.ts';
import { EMPTY_ROW, type RawRow, type RowProblem, shown, type TypedRow } from './row.ts';

/** Fields of an object; an export of a database has some dozens. */
const MAX_FIELDS = 100;

/** An element of a JSON array as a row: an object with the listing API's field names (§2.1), in any spelling. */
export function rowOfElement(value: unknown, line: number): RawRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadRow(line, '', { code: 'not-an-object' });
  }
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) {
    return unreadRow(line, '', { code: 'too-many-cells', found: entries.length, most: MAX_FIELDS });
  }
  const columns = columnsOf(entries.map(([name]) => name));
  let problem: RowProblem | undefined;
  const read = (field: keyof TypedRow, expected: 'text' | 'number'): string => {
    const [name = field, content = ''] = entries[columns[field]] ?? [];
    if (content === null || content === '') return '';
    if (typeof content === 'string' || typeof content === 'number') return shown(String(content));
    problem ??= { code: 'wrong-type', field: shown(name), expected };
    return '';
  };
  const typed: TypedRow = {
    ...EMPTY_ROW,
    server: read('server', 'text'),
    port: read('port', 'number'),
    queryPort: read('queryPort', 'number'),
    game: read('game', 'text'),
  };
  return problem ? { line, typed, problem } : { line, typed };
}
