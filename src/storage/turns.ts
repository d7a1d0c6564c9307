/** Runs a change once the changes of the same thing that were asked for before have ended, well or not. */
export type InTurn = <Result>(thing: string, change: () => Promise<Result>) => Promise<Result>;

/** Changes that read a record and write it back lose each other's work unless they take turns. */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return (thing, change) => {
    const result = (last.get(thing) ?? Promise.resolve()).then(change);
    const ended = result
      .catch(() => undefined)
      .then(() => {
        if (last.get(thing) === ended) last.delete(thing);
      });
    last.set(thing, ended);
    return result;
  };
}
