import fs from 'node:fs';
import util from 'node:util';

/**
 * Reads a file of variables in the format of Node's `--env-file`, with or without a byte order mark. Written in JavaScript,
 * which Node loads faster than TypeScript.
 * @param {string} path
 * @returns {{ values: Record<string, string>, complaints: string[], isReadable: boolean }} the variables, and a sentence
 * for each problem; a missing file has no variables
 */
export function readDotEnv(path) {
  const unreadable = (complaint) => ({ values: {}, complaints: [complaint], isReadable: false });
  let bytes;
  try {
    bytes = fs.readFileSync(path);
  } catch ({ code }) {
    if (code === 'ENOENT') return { values: {}, complaints: [], isReadable: true };
    if (code === 'EISDIR') {
      return unreadable(
        `${path} is a folder instead of a file. Docker creates a folder if it mounts a missing file: remove the folder`,
      );
    }
    return unreadable(`could not read ${path} (${code})`);
  }
  if (isUtf16(bytes)) return unreadable(`${path} is saved as UTF-16 ("Unicode"): save it as UTF-8`);
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const values = util.parseEnv(text);
  return { values, complaints: [...complaintsOf(path, text, values)], isReadable: true };
}

/** Whether the bytes are UTF-16: they begin with a byte order mark or contain a zero byte, as every Latin letter does. */
const isUtf16 = (bytes) =>
  bytes.length > 1 &&
  ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff) || bytes.includes(0));

function* complaintsOf(path, text, values) {
  if (Object.keys(values).length === 0) {
    yield `${path} does not set any variable: write each as NAME=value, on its own line, and save the file as UTF-8`;
  }
  const lines = text.split(/\r\n?|\n/);
  const seen = new Map();
  for (const [index, line] of lines.entries()) {
    const [, name, sign] = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*([=:])/.exec(line) ?? [];
    if (name === undefined) continue;
    if (sign === ':') {
      yield `${path}, line ${index + 1}: write ${name}=value, with "=" instead of ":"`;
      continue;
    }
    if (seen.has(name)) {
      const last = values[name] === '' ? 'the last one counts, and it is empty' : 'the last one counts';
      yield `${path} has ${name} twice (lines ${seen.get(name)} and ${index + 1}): ${last}`;
    }
    seen.set(name, index + 1);
  }
}
