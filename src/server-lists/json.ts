import { isMeantAsAddress } from '../addresses/address.ts';
import { addressesIn } from '../addresses/addresses-in.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { type Cell, type CellRow, hasAddress, isGameCell, namesBeside, rowsOfCells } from './cells.ts';
import { hasOwnPort } from './csv.ts';
import {
  describedBy,
  type Field,
  fieldCalled,
  GAME_FIELDS,
  isNameOfOther,
  PORT_FIELDS,
} from './field-names.ts';
import type { JsonField, JsonNode, Place } from './json-tree.ts';
import { isIdentity, type Shape, shapeOfPath, shapeOfRecord } from './list-shape.ts';
import { EMPTY_ROW, gameOf, type RowProblem, sanitised, type TypedRow, unclearPort } from './row.ts';

/** A server found in an object: the object's own fields, and fields from the objects inside and around it. */
interface FoundServer extends Place {
  readonly cells: readonly Cell[];
  /** The names of fields that contain a list or an object without any readable value. */
  readonly odd: readonly string[];
  readonly ownCells: readonly Cell[];
  readonly path: Path;
}

/** Names of the fields around a value, outermost first. */
type Path = readonly string[];

interface FoundInside {
  readonly servers: readonly FoundServer[];
  /** Objects with a port or a game but without an address. The address may be in a surrounding object. */
  readonly parts: readonly FoundServer[];
  readonly texts: readonly TextLine[];
  /** The places of values that were ignored because they don't describe game servers. */
  readonly leftOut: readonly Place[];
}

interface TextLine extends Place {
  readonly text: string;
  readonly shape: Shape;
}

const NOTHING: FoundInside = { servers: [], parts: [], texts: [], leftOut: [] };
const leavingOut = ({ line, at }: Place): FoundInside => ({ ...NOTHING, leftOut: [{ line, at }] });

const merged = (some: readonly FoundInside[]): FoundInside => ({
  servers: some.flatMap(({ servers }) => servers),
  parts: some.flatMap(({ parts }) => parts),
  texts: some.flatMap(({ texts }) => texts),
  leftOut: some.flatMap(({ leftOut }) => leftOut),
});

const isEmpty = ({ servers, parts, texts, leftOut }: FoundInside): boolean =>
  servers.length + parts.length + texts.length + leftOut.length === 0;

type Fields = ReadonlySet<Field | undefined>;
const PORTS: Fields = new Set<Field>(['port', 'gamePort', 'unclearPort']);
const UNSURE_PORTS: Fields = new Set<Field>(['port', 'unclearPort']);
const GAME_PORT: Fields = new Set<Field>(['gamePort']);
const QUERY_PORT: Fields = new Set<Field>(['queryPort']);
const ALL_BUT_PORTS: Fields = new Set<Field>(['game', 'type', 'queryPort']);

const fieldOf = (name: string): Field | undefined => fieldCalled(name)?.field;

const cellsOf = ({ cells }: Pick<FoundServer, 'cells'>, fields: Fields): readonly Cell[] =>
  cells.filter(({ name, text }) => fields.has(fieldOf(name)) && text.trim() !== '');

const isScalar = (node: JsonNode): node is JsonNode & { readonly text: string } => 'text' in node;

/**
 * Returns a field's name, prefixed with the name of the field `around` it if that's clearer, as in
 * `"query": {"port": 27016}` and `"ports": {"game": 27015}`.
 */
function nameInside(around: string, name: string): string {
  if (!PORT_FIELDS.has(fieldOf(around))) return name;
  const whole = `${around} ${name}`;
  const field = fieldOf(whole);
  // A name that is clear on its own keeps its meaning, as in `"27015/udp": {"HostIp": …}`.
  const isVaguer = field === undefined || (field === 'unclearPort' && fieldOf(name) !== undefined);
  return isVaguer ? name : whole;
}

interface JsonServers extends Pick<FoundInside, 'texts' | 'leftOut'> {
  readonly rows: readonly (CellRow & Place)[];
}

/**
 * Finds servers at any depth: objects with an address in any field, and strings that are addresses. The port or game of an
 * object without an address is assigned to the nearest surrounding object with an address. Without such an object, the
 * member has to correct the row.
 */
export function serversOfTree(tree: JsonNode, games: GameIndex): JsonServers {
  const isGame = (text: string) => gameOf(text, games) !== undefined;
  const elements = tree.kind === 'list' ? tree.items : [tree];
  const inside = merged(elements.map(insideElement));
  const parts = inside.parts.filter(isRow);
  const rows = [...inside.servers, ...parts].flatMap(({ line, at, cells, odd, ownCells, path }) => {
    const shape = shapeOfRecord([...ownCells, ...odd.map((name) => ({ name, text: '' }))], path, games);
    const words = namesBeside(ownCells);
    return rowsOfCells(cells, line, games).map(({ row, beside }) => ({
      line,
      at,
      row: { ...row, problem: wrongType(row.typed, odd), shape, findWords: () => words },
      beside,
    }));
  });
  const others = elements
    .filter(({ kind }) => kind === 'number' || kind === 'nothing')
    .map(({ line, at }) => ({
      line,
      at,
      row: { line, typed: EMPTY_ROW, problem: { code: 'not-an-object' } as const },
    }));
  return { rows: [...rows, ...others], texts: inside.texts, leftOut: inside.leftOut };

  /** Whether a part becomes a row. A part with only a query port doesn't, because that port could belong to anything. */
  function isRow(part: FoundServer): boolean {
    return cellsOf(part, PORTS).length > 0 || namesGame(part);
  }

  /** Expects every element of the outermost list to be a server. */
  function insideElement(node: JsonNode): FoundInside {
    if (node.kind === 'text') return { ...NOTHING, texts: [{ ...node, shape: 'list' }] };
    if (node.kind === 'number' || node.kind === 'nothing') return NOTHING;
    const inside = insideOf(node, []);
    return isEmpty(inside) ? leavingOut(node) : inside;
  }

  function insideOf(node: JsonNode, path: Path): FoundInside {
    if (node.kind === 'object') return insideObject(node.fields, node, path);
    return node.kind === 'list' ? insideList(node.items, node, path) : NOTHING;
  }

  function insideList(items: readonly JsonNode[], place: Place, path: Path): FoundInside {
    const name = path.at(-1) ?? '';
    const text = recordText(items);
    if (text !== undefined) return { ...NOTHING, texts: [{ ...place, text, shape: shapeOfPath(path) }] };
    const found = items.map((item) => insideOf(item, path));
    const areServers = found.some(({ servers }) => servers.length > 0);
    const empty = items.filter(({ kind }, index) => kind === 'object' && isEmpty(found[index] ?? NOTHING));
    const texts = items.filter((item) => item.kind === 'text');
    const areAddresses = fieldOf(name) === 'server' || texts.some(({ text }) => hasOwnPort(text));
    return merged([
      ...(areServers ? found.map(withPartsAsServers) : found),
      ...(areAddresses ? texts.map((each) => insideText(each, path)) : []),
      ...(areServers ? empty.map(leavingOut) : []),
    ]);
  }

  /** Turns parts into servers without an address. In a list of servers, a part doesn't belong to the items next to it. */
  function withPartsAsServers(inside: FoundInside): FoundInside {
    return { ...inside, servers: [...inside.servers, ...inside.parts.filter(isRow)], parts: [] };
  }

  function insideObject(fields: readonly JsonField[], { line, at }: Place, path: Path): FoundInside {
    const name = path.at(-1) ?? '';
    const cells: Cell[] = [];
    const odd: string[] = [];
    const { records, otherFields } = byColumn(fields);
    const below = records.map(({ address, record }) => insideObject(record, address, path));
    const byValue: FoundInside[] = [];
    const areAllAddresses = fields.every(([key]) => isMeantAsAddress(key));
    for (const [key, node] of otherFields) {
      const called = nameInside(name, key);
      const field = fieldCalled(called);
      if (field?.field === 'other') continue;
      if (field === undefined && isAddressKey(key, node, areAllAddresses)) {
        below.push(insideObject(withKeyAsAddress(key, node), node, path));
      } else if (isScalar(node)) {
        cells.push({ name: called, text: node.text });
        if (field === undefined && hasOwnPort(node.text)) {
          const inside = insideText(node, [...path, key]);
          byValue.push(isGame(key) ? withGameUnlessNamed(inside, key) : inside);
        }
      } else if (node.kind === 'list' && field !== undefined && !isListOfServers(field)) {
        const pair = field.field === 'server' ? pairText(node.items) : undefined;
        const texts = pair === undefined ? node.items.filter(isScalar).map(({ text }) => text) : [pair];
        cells.push(...texts.map((text) => ({ name: called, text })));
        const others = node.items.filter((item) => !isScalar(item));
        const inside = insideList(others, node, [...path, called]);
        if (isEmpty(inside)) odd.push(called);
        below.push(inside);
      } else if (node.kind !== 'nothing') {
        const inside = withoutParts(insideOf(node, [...path, called]), describedBy(called) === 'person');
        if (node.kind === 'list') cells.push(...identitiesIn(node.items, called));
        const game = field?.field === 'game' && isEmpty(inside) ? gameWithin(node) : undefined;
        if (game !== undefined) cells.push({ name: called, text: game });
        else if (isEmpty(inside)) odd.push(called);
        below.push(field === undefined && isGame(key) ? withGameUnlessNamed(inside, key) : inside);
      }
    }
    const named = PORTS.has(fieldOf(name)) ? portsByName(cells) : cells;
    const own = { line, at, cells: named, odd, ownCells: named, path };
    // In an object without any server fields, each address is a separate server.
    const areByThemselves = !isServer(own) && !isPart(own);
    return joined(own, merged(areByThemselves ? [...below, ...byValue] : below));
  }

  function withKeyAsAddress(key: string, node: JsonNode): readonly JsonField[] {
    const { line, at } = node;
    const address: JsonField = ['address', { line, at, kind: 'text', text: key }];
    if (node.kind === 'list') return [address, ['ports', node]];
    if (node.kind !== 'object')
      return isScalar(node) && isGame(node.text) ? [address, ['game', node]] : [address];
    return [address, ...node.fields];
  }

  function joined(object: FoundServer, below: FoundInside): FoundInside {
    const isAddressed = isServer(object);
    const own = !isAddressed && isPart(object) ? withAddressByValue(object) : object;
    const isWhole = isServer(own);
    if ((isWhole || own !== object) && own.cells.some(({ text }) => isNameOfOther(text)))
      return leavingOut(own);
    const ofAll = cellsOf(own, GAME_FIELDS);
    const servers = below.servers.map((found) => ofGame(found, ofAll));
    if (isWhole) return { ...below, servers: [...withParts(own, below.parts), ...servers], parts: [] };
    if (servers.length > 0) return withUnclearPort(own, withFieldsBeside(own, { ...below, servers }));
    return own !== object ? { ...below, parts: [own, ...below.parts] } : below;
  }

  function gameWithin(node: JsonNode): string | undefined {
    if (node.kind === 'text') return isGame(node.text) ? node.text : undefined;
    if (node.kind !== 'object') return undefined;
    for (const [, inside] of node.fields) {
      const game = gameWithin(inside);
      if (game !== undefined) return game;
    }
    return undefined;
  }

  /** Gives the only server inside an object the game, game port and query port next to it. */
  function withFieldsBeside(own: FoundServer, inside: FoundInside): FoundInside {
    const [only, ...others] = inside.servers;
    if (only === undefined || others.length > 0) return inside;
    let server = withFieldsOf(only, own);
    const parts: FoundServer[] = [];
    for (const part of inside.parts) {
      const whole = cellsOf(part, UNSURE_PORTS).length > 0 ? server : withFieldsOf(server, part);
      if (whole === server) parts.push(part);
      server = whole;
    }
    return { ...inside, servers: [server], parts };
  }

  function withFieldsOf(server: FoundServer, part: FoundServer): FoundServer {
    const cells = [GAME_PORT, QUERY_PORT].flatMap((field) =>
      cellsOf(server, field).length > 0 ? [] : cellsOf(part, field),
    );
    if (namesGame(part) && !namesGame(server)) cells.push(...cellsOf(part, GAME_FIELDS));
    return cells.length === 0 ? server : { ...server, cells: [...server.cells, ...cells] };
  }

  function isPart(found: FoundServer): boolean {
    return cellsOf(found, PORT_FIELDS).length > 0 || namesGame(found);
  }

  function namesGame(found: Pick<FoundServer, 'cells'>): boolean {
    return cellsOf(found, GAME_FIELDS).some((cell) => isGameCell(cell) || isGame(cell.text));
  }

  function ofGame(found: FoundServer, cells: readonly Cell[]): FoundServer {
    return namesGame(found) ? found : { ...found, cells: [...found.cells, ...cells] };
  }

  function withGameUnlessNamed(inside: FoundInside, game: string): FoundInside {
    const cells = [{ name: 'game', text: game }];
    return {
      ...inside,
      servers: inside.servers.map((found) => ofGame(found, cells)),
      parts: inside.parts.map((found) => ofGame(found, cells)),
    };
  }
}

const isServer = ({ cells }: FoundServer): boolean => hasAddress(cells);

/** Leaves out the parts in a list of people, whose ports and games aren't those of a server. */
const withoutParts = (inside: FoundInside, areOfPeople: boolean): FoundInside =>
  areOfPeople ? { ...inside, parts: [], leftOut: [] } : inside;

const identitiesIn = (items: readonly JsonNode[], name: string): readonly Cell[] =>
  items.flatMap((item) => (isScalar(item) && isIdentity(item.text) ? [{ name, text: item.text }] : []));

/** Whether a field's name is as general as `servers`. A port next to such a list might not belong to the servers in it. */
const isListOfServers = ({ field, rank }: { readonly field: Field; readonly rank: number }): boolean =>
  field === 'server' && rank > 2;

/** Returns a list such as `["8.8.8.8", 27015]` as an address with its port. */
function pairText([host, port, ...others]: readonly JsonNode[]): string | undefined {
  if (host?.kind !== 'text' || port === undefined || !isScalar(port) || others.length > 0) return undefined;
  const isPair = isBareAddress(host) && /^\d{1,6}$/u.test(port.text);
  return isPair ? `${host.text} ${port.text}` : undefined;
}

/** Returns a list such as `["One", "8.8.8.8", 27015]` as a line of a table. */
function recordText(items: readonly JsonNode[]): string | undefined {
  const isNumber = (node: JsonNode) => isScalar(node) && /^\d{1,5}$/u.test(node.text);
  const isRecord = items.some(isBareAddress) && items.some(isNumber);
  if (!isRecord || items.some(({ kind }) => kind === 'list' || kind === 'object')) return undefined;
  return items.map((item) => (isScalar(item) ? item.text.replaceAll('\t', ' ') : '')).join('\t');
}

const isBareAddress = (node: JsonNode): boolean =>
  node.kind === 'text' && isMeantAsAddress(node.text) && !hasOwnPort(node.text);

function insideText({ line, at, text }: Place & { readonly text: string }, path: Path): FoundInside {
  if (isMeantAsAddress(text) && !/\s/u.test(text.trim())) {
    const cells = [{ name: 'address', text }];
    return { ...NOTHING, servers: [{ line, at, cells, odd: [], ownCells: cells, path }] };
  }
  return addressesIn(text).length > 0
    ? { ...NOTHING, texts: [{ line, at, text, shape: shapeOfPath(path) }] }
    : leavingOut({ line, at });
}

function isAddressKey(key: string, { kind }: JsonNode, areAllAddresses: boolean): boolean {
  const isNumber = /^\d{1,3}(?:\.\d{1,3}){3}$|:.*:/u.test(key) && isMeantAsAddress(key);
  return isNumber || hasOwnPort(key) || (areAllAddresses && (kind === 'object' || kind === 'list'));
}

/** Treats a field with an unknown name as the address if it contains an address with a port. */
const withAddressByValue = (found: FoundServer): FoundServer => ({
  ...found,
  cells: found.cells.map(({ name, text }) => {
    const isFree = fieldOf(name) === undefined || fieldOf(name) === 'name';
    return { name: isFree && hasOwnPort(text) ? 'address' : name, text };
  }),
});

/** Renames the port in a list item such as `{"name": "query", "port": 27016}` to show which port it is. */
function portsByName(cells: readonly Cell[]): readonly Cell[] {
  const name = cells.find((cell) => fieldOf(cell.name) === 'name')?.text;
  if (name === undefined) return cells;
  return cells.map((cell) =>
    fieldOf(cell.name) === 'port' ? { ...cell, name: `${sanitised(name)} port` } : cell,
  );
}

const lacksPort = (found: FoundServer): boolean =>
  cellsOf(found, PORTS).length === 0 &&
  !found.cells.some(({ name, text }) => fieldOf(name) === 'server' && hasOwnPort(text));

/** Merges a server with the objects nested in it. If the server lacks a port, each part with a port becomes a server. */
function withParts(own: FoundServer, parts: readonly FoundServer[]): readonly FoundServer[] {
  const isPort = (part: FoundServer) => lacksPort(own) && cellsOf(part, PORTS).length > 0;
  const ofAll = parts.filter((part) => !isPort(part)).flatMap((part) => cellsOf(part, ALL_BUT_PORTS));
  const whole = { ...own, cells: [...own.cells, ...ofAll] };
  const withPort = parts.filter(isPort);
  if (withPort.length === 0) return [whole];
  return withPort.map((part) => ({ ...whole, cells: [...whole.cells, ...part.cells] }));
}

/** A table that is stored by column, such as `{"ip": ["8.8.8.8", "8.8.4.4"], "port": [1, 2]}`. */
interface TableByColumn {
  readonly records: readonly { readonly address: JsonNode; readonly record: readonly JsonField[] }[];
  readonly otherFields: readonly JsonField[];
}

/** Finds the records in an object that has a list of addresses, and a list of ports or games of the same length. */
function byColumn(fields: readonly JsonField[]): TableByColumn {
  const lists = fields.flatMap(([key, node]) =>
    node.kind === 'list' && !node.items.some(({ kind }) => kind === 'list' || kind === 'object')
      ? [{ key, items: node.items }]
      : [],
  );
  const addresses = lists.find(({ key }) => fieldOf(key) === 'server')?.items ?? [];
  const columns = lists.filter(({ items }) => items.length === addresses.length);
  const isTable = columns.some(({ key }) => PORTS.has(fieldOf(key)) || GAME_FIELDS.has(fieldOf(key)));
  if (addresses.length < 2 || !isTable) return { records: [], otherFields: fields };
  const names = new Set(columns.map(({ key }) => key));
  return {
    records: addresses.map((address, index) => ({
      address,
      record: columns.flatMap(({ key, items }): readonly JsonField[] => {
        const item = items[index];
        return item === undefined ? [] : [[key, item]];
      }),
    })),
    otherFields: fields.filter(([key]) => !names.has(key)),
  };
}

/**
 * Passes the port of an object without an address on to the servers inside that lack a port. Marks the port as unclear,
 * because it may belong to something else.
 */
function withUnclearPort(own: FoundServer, inside: FoundInside): FoundInside {
  const isOne = inside.servers.length === 1;
  const [stray] = [own, ...(isOne ? inside.parts : [])].flatMap((found) => cellsOf(found, PORTS));
  if (stray === undefined || !inside.servers.some(lacksPort)) return inside;
  const cell = { name: 'port', text: unclearPort(stray.text) };
  return {
    ...inside,
    servers: inside.servers.map((found) =>
      lacksPort(found) ? { ...found, cells: [...found.cells, cell] } : found,
    ),
    parts: isOne ? [] : inside.parts,
  };
}

/** Reports a field with an unreadable list or object, unless another field provides the value. */
function wrongType({ server, port, game }: TypedRow, odd: readonly string[]): RowProblem | undefined {
  for (const name of odd) {
    const field = fieldOf(name);
    if ((field === 'server' && server === '') || (field === 'game' && game === '')) {
      return { code: 'wrong-type', field: sanitised(name), expected: 'text' };
    }
    if ((field === 'port' || field === 'gamePort') && port === '' && !hasOwnPort(server)) {
      return { code: 'wrong-type', field: sanitised(name), expected: 'number' };
    }
  }
  return undefined;
}
