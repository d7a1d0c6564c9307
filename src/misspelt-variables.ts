import { prefixDistance } from './prefix-distance.ts';

/** Slips of the keyboard that make a name another: one in a short name, two in a longer. */
const MOST_SLIPS = { short: 1, long: 2 };
const LONG = 9;

/**
 * Variables that are none of ours and look like one, a sentence each: `MEMBER_LIMITS: did you mean MEMBER_LIMIT?`.
 * No value is in them.
 * @param known the names of all variables that are read
 */
export function misspeltVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): readonly string[] {
  return Object.keys(env)
    .filter((name) => !known.includes(name) && env[name]?.trim() !== '')
    .flatMap((name) => {
      const meant = nearest(name, known);
      return meant === undefined ? [] : [`${name}: did you mean ${meant}?`];
    });
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const typed = name.toUpperCase().replaceAll('-', '_');
  const most = typed.length < LONG ? MOST_SLIPS.short : MOST_SLIPS.long;
  const distance = prefixDistance(typed, most);
  const [best] = known
    .map((other) => ({
      other,
      slips: Math.max(distance(other) ?? Number.POSITIVE_INFINITY, Math.abs(other.length - typed.length)),
    }))
    .sort((a, b) => a.slips - b.slips);
  if (best !== undefined && best.slips <= most) return best.other;
  return known.find((other) => hasTheWordsOf(typed, other) || hasTheWordsOf(other, typed));
}

/** `DISCORD_BOT_TOKEN` has all the words of `DISCORD_TOKEN`, and begins with the same one. */
function hasTheWordsOf(long: string, short: string): boolean {
  const [words, fewer] = [long.split('_'), short.split('_')];
  return fewer.length > 1 && words[0] === fewer[0] && fewer.every((word) => words.includes(word));
}
