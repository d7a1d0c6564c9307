import { type Profiler, Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The functions that ran in the product's files while something was done, by V8's own coverage: under each file its
 * functions' names. What a file does when it is loaded does not count.
 */
export async function functionsRun(
  during: () => Promise<unknown>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // Everything that was loaded before has been counted.
    await session.post('Profiler.takePreciseCoverage');
    await during();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.stopPreciseCoverage');
    return byFile(result);
  } finally {
    session.disconnect();
  }
}

/** A file as a whole, and what it is wrapped in, begin before this character; nothing of its own does. */
const WRAPPER = 100;

function byFile(scripts: readonly Profiler.ScriptCoverage[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { url, functions } of scripts) {
    const path = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url);
    if (!/^(src|commands)\//.test(path)) continue;
    const run = functions.filter(
      ({ ranges: [range] }) => range && range.count > 0 && range.startOffset > WRAPPER,
    );
    if (run.length > 0)
      found.set(
        path,
        run.map(({ functionName }) => functionName),
      );
  }
  return found;
}
