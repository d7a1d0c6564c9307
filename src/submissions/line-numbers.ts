/** The numbers of some of a list's lines. The lines' text isn't stored. */
export interface LineNumbers {
  /** The numbers of the first lines, such as `12` or `3-7`. */
  readonly lines: readonly string[];
  /** The number of further lines. */
  readonly more: number;
  readonly count: number;
}

const MAX_LABELS_KEPT = 20;

/** @param labels the added lines' labels in order, see `lineLabel` */
export function withNumbers(
  before: LineNumbers | undefined,
  labels: readonly string[],
): LineNumbers | undefined {
  if (labels.length === 0) return before;
  const { lines, more, count } = before ?? { lines: [], more: 0, count: 0 };
  const ranges = rangesOf(labels);
  const kept = more > 0 ? [] : ranges.slice(0, MAX_LABELS_KEPT - lines.length);
  const inKept = kept.reduce((sum, range) => sum + range.count, 0);
  return {
    lines: [...lines, ...kept.map(({ from, to }) => (from === to ? from : `${from}-${to}`))],
    more: more + labels.length - inKept,
    count: count + labels.length,
  };
}

export const labelsIn = ({ lines }: LineNumbers): readonly string[] =>
  lines.flatMap((range) => {
    const [from = '', to = from] = range.split('-');
    const count = to === from ? 1 : Number(to) - Number(from) + 1;
    return count === 1 ? from : Array.from({ length: count }, (_, index) => String(Number(from) + index));
  });

export function withoutNumbers(
  before: LineNumbers | undefined,
  labels: ReadonlySet<string>,
): LineNumbers | undefined {
  if (before === undefined) return undefined;
  const kept = withNumbers(
    undefined,
    labelsIn(before).filter((label) => !labels.has(label)),
  );
  const { lines = [], more = 0, count = 0 } = kept ?? {};
  const all = { lines, more: more + before.more, count: count + before.more };
  return all.count === 0 ? undefined : all;
}

interface Range {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

function rangesOf(labels: readonly string[]): readonly Range[] {
  const ranges: Range[] = [];
  for (const label of labels) {
    const last = ranges.at(-1);
    if (last && Number(last.to) + 1 === Number(label)) {
      ranges[ranges.length - 1] = { ...last, to: label, count: last.count + 1 };
    } else ranges.push({ from: label, to: label, count: 1 });
  }
  return ranges;
}
