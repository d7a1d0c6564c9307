import { formatAddress, isMeantAsAddress, parseAddress } from '../addresses/address.ts';
import { unwrapped } from '../addresses/pasted-text.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { describedBy, type Field, type FieldName, fieldCalled } from './field-names.ts';
import { type NamedGame, SEVERAL } from './named-game.ts';
import {
  gameOf,
  MAX_WORDS_BESIDE_LENGTH,
  type RawRow,
  sanitised,
  sanitisedAddress,
  type TypedRow,
  unclearPort,
  withPort,
} from './row.ts';

/** A value in a document, with the name of its column or key, or '' without a name. */
export interface Cell {
  readonly name: string;
  readonly text: string;
}

export interface CellRow {
  readonly row: RawRow;
  /** The game named in an unlabelled cell, if no cell is labelled as the game. */
  readonly beside?: NamedGame | undefined;
}

/**
 * A port as firewalls write it, such as `27015/udp` or `27015 TCP/UDP`, or as pandas does if the column has empty cells, such
 * as `27015.0` (pandas docs: Integer NA).
 */
const PORT_WITH_UNIT = /^(\d{1,6})(?:\.0|[\s/]{0,3}(?:udp|tcp)(?:[\s/+,]{1,3}(?:udp|tcp))?)$/iu;

const portText = (text: string): string => PORT_WITH_UNIT.exec(text)?.[1] ?? text;

export const isNoPort = (text: string): boolean => /^(?:-?0|-1)?$/u.test(text);

type ByField = ReadonlyMap<Field | undefined, readonly Cell[]>;

/** Whether a cell is named as the game's, known or not. A column named just "alias" can be the alias of something else. */
export function isGameCell({ name }: Cell): boolean {
  const called = fieldCalled(name);
  return called?.field === 'game' && called.rank < 2;
}

/** A column named just "alias" holds a game only if the game is known. It can also hold another address. */
function fieldOfCell(cell: Cell, games: GameIndex): FieldName | undefined {
  const called = fieldCalled(cell.name);
  const isAlias = called?.field === 'game' && !isGameCell(cell) && gameOf(cell.text, games) === undefined;
  return isAlias && isMeantAsAddress(cell.text) ? { field: 'server', rank: 1 } : called;
}

/** Groups the non-empty cells by field. Within each field, the cells with the most specific names come first. */
function byField(cells: readonly Cell[], games: GameIndex): ByField {
  const ranked = cells
    .filter(({ text }) => text.trim() !== '')
    .map((cell) => ({ ...cell, called: fieldOfCell(cell, games) }))
    .toSorted((one, other) => (one.called?.rank ?? 0) - (other.called?.rank ?? 0));
  return Map.groupBy(ranked, ({ called }) => called?.field);
}

export const hasAddress = (cells: readonly Cell[]): boolean =>
  cells.some(({ name, text }) => fieldCalled(name)?.field === 'server' && isMeantAsAddress(text));

/** Returns the addresses in the cells with the most specific name, or else the first cell labelled as an address. */
function serversIn(cells: ByField): readonly string[] {
  const called = cells.get('server') ?? [];
  const isValid = ({ text }: Cell) => parseAddress(text).ok;
  const isMeant = ({ text }: Cell) => isMeantAsAddress(text);
  const best = called.length < 2 ? undefined : (called.find(isValid) ?? called.find(isMeant));
  if (best === undefined) return [called[0]?.text ?? ''];
  const same = called.filter(({ name, text }) => name === best.name && isMeantAsAddress(text));
  return [...new Set(same.map(({ text }) => text))];
}

/** Returns the ports that players connect to. If two columns disagree, returns one port marked as unclear. */
function portsIn(cells: ByField): { readonly ports: readonly string[]; readonly isOfGame: boolean } {
  const ofGame = cells.get('gamePort') ?? [];
  const called = ofGame.length > 0 ? ofGame : (cells.get('port') ?? []);
  const byName = [...Map.groupBy(called, ({ name }) => name).values()].map(
    (same) => new Set(same.map(({ text }) => portText(sanitised(unwrapped(text))))),
  );
  // A column with a single port is more likely to hold the right one than a column with several.
  const single = byName.filter(({ size }) => size === 1).flatMap((ports) => [...ports]);
  if (new Set(single).size > 1) return { ports: [unclearPort(single[0] ?? '')], isOfGame: false };
  const [ports = []] = single.length > 0 ? [single.slice(0, 1)] : byName;
  return { ports: [...ports], isOfGame: ofGame.length > 0 };
}

/** Returns the names in a record, to recognise its address by. Other cells might hold a password. */
export const namesBeside = (cells: readonly Cell[]): string => {
  const isName = ({ name }: Cell) => /name|nick|title/iu.test(name) || describedBy(name) === 'person';
  const names = cells.filter((cell) => isName(cell) && /^(?!\d{4}-\d\d).*\p{L}/u.test(cell.text));
  return sanitised(names.map(({ text }) => text.trim()).join(', '), MAX_WORDS_BESIDE_LENGTH);
};

function queryPortIn(cells: ByField): string {
  const called = (cells.get('queryPort') ?? []).filter(
    // A column named just "query" can hold anything, so only numbers in it count as ports.
    ({ name, text }) => fieldCalled(name)?.rank === 0 || /^-?\d+$/u.test(text),
  );
  const [address] = (cells.get('queryPort') ?? []).map(({ text }) => parseAddress(text));
  if (called.length === 0 && address?.ok) return String(address.address.port ?? '');
  const text = portText(sanitised(unwrapped(called[0]?.text ?? '')));
  return isNoPort(text) ? '' : text;
}

function gameIn(cells: ByField, games: GameIndex): string {
  const [called] = cells.get('game') ?? [];
  // A column named "type" can describe anything, so only known games in it count.
  return (called ?? cells.get('type')?.find(({ text }) => gameOf(text, games) !== undefined))?.text ?? '';
}

/** Finds the game in cells without a name, or in the server's display name. */
function gameBesideIn(cells: ByField, games: GameIndex): NamedGame | undefined {
  const unnamed = cells.get(undefined)?.filter(({ name }) => name === '') ?? [];
  const some = [...unnamed, ...(cells.get('name') ?? [])];
  const [alias, ...others] = new Set(some.flatMap(({ text }) => gameOf(text, games) ?? []));
  if (alias === undefined) return undefined;
  return others.length === 0 ? { kind: 'mentioned', alias } : SEVERAL;
}

/** Builds several rows from a table record or JSON object with several addresses or ports. */
export function rowsOfCells(record: readonly Cell[], line: number, games: GameIndex): readonly CellRow[] {
  const cells = byField(record, games);
  const { ports, isOfGame } = portsIn(cells);
  // Keeps brackets, because a game's name can end with a bracket.
  const game = sanitised(gameIn(cells, games));
  const beside = game === '' ? gameBesideIn(cells, games) : undefined;
  const queryPort = queryPortIn(cells);
  const servers = serversIn(cells);
  // It's unclear which of several ports belongs to which of several addresses.
  const clear = servers.length > 1 && ports.length > 1 ? [unclearPort(ports[0] ?? '')] : ports;
  return servers.flatMap((text) => {
    const typed: TypedRow = { server: sanitisedAddress(unwrapped(text)), port: '', queryPort, game };
    return withPorts(typed, { ports: clear, isOfGame }, unclearPortIn(cells)).map((row) => ({
      row: { line, typed: row },
      beside,
    }));
  });
}

const unclearPortIn = (cells: ByField): string | undefined =>
  cells.get('unclearPort')?.find(({ text }) => /^\d+$/u.test(portText(text)))?.text;

function withPorts(
  typed: TypedRow,
  { ports, isOfGame }: ReturnType<typeof portsIn>,
  unclear: string | undefined,
): readonly TypedRow[] {
  const [first = '', ...others] = ports;
  if (first === '' && unclear === undefined) return [typed];
  if (isOfGame && others.length === 0) return [withPort(typed, first, true)];
  if (first !== '' && others.length === 0) return [{ ...typed, port: first }];
  const parsed = parseAddress(typed.server);
  if (first === '') {
    const isMissing = parsed.ok && parsed.address.port === undefined && unclear !== undefined;
    return [isMissing ? { ...typed, port: unclearPort(portText(unclear)) } : typed];
  }
  if (!parsed.ok) return [{ ...typed, port: unclearPort(first) }];
  // Keeps only the address, so that any text around it isn't repeated for each port.
  const server = formatAddress(parsed.address);
  return ports.map((port) => ({ ...typed, server, port }));
}
