/** Counts the turns that the event loop gives to others while a task runs. */
export async function turnsDuring(task: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  try {
    await task();
  } finally {
    clearImmediate(next);
  }
  return turns;
}
