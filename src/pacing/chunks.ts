export function* chunksOf<Element>(list: readonly Element[], size: number): Generator<readonly Element[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}
