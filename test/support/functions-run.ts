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
    await session.post('Debugger.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // Everything that was loaded before has been counted.
    await session.post('Profiler.takePreciseCoverage');
    await during();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.stopPreciseCoverage');
    const ownScripts = result.filter(({ url }) => pathOf(url) !== undefined);
    const sources = await Promise.all(
      ownScripts.map(({ scriptId }) => session.post('Debugger.getScriptSource', { scriptId })),
    );
    return byFile(
      ownScripts,
      sources.map(({ scriptSource }) => scriptSource),
    );
  } finally {
    session.disconnect();
  }
}

/** The path of a file of the product from the project's root. */
function pathOf(url: string): string | undefined {
  const path = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url);
  return /^(src|commands)\//.test(path) ? path : undefined;
}

/** A file as a whole, and what it is wrapped in, begin before this character; nothing of its own does. */
const WRAPPER = 100;
/** What stands before a function that the test runner adds, by which others read what a file exports. */
const EXPORTED = /__vite_ssr_exportName__\("[^"]+", $/;

function byFile(
  scripts: readonly Profiler.ScriptCoverage[],
  sources: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [index, { url, functions }] of scripts.entries()) {
    const own = ({ startOffset }: Profiler.CoverageRange) =>
      startOffset > WRAPPER && !EXPORTED.test((sources[index] ?? '').slice(startOffset - 100, startOffset));
    const run = functions.filter(({ ranges: [range] }) => range && range.count > 0 && own(range));
    const path = pathOf(url);
    if (path !== undefined && run.length > 0) {
      found.set(
        path,
        run.map(({ functionName }) => functionName),
      );
    }
  }
  return found;
}
