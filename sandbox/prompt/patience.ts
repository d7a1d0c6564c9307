/** Nothing came of an action in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** @throws NoAnswer when it takes longer than `ms` milliseconds */
export async function patiently<T>(coming: Promise<T>, ms: number): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new NoAnswer(`No answer came within ${ms / 1000} seconds.`)),
    ms,
  );
  try {
    return await Promise.race([coming, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
