/** The units of Discord's relative times and their lengths in seconds, longest first. */
const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** The styles that Discord supports (Discord docs: Message Formatting, Timestamp Styles). */
const STYLES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
  s: { dateStyle: 'short', timeStyle: 'short' },
  S: { dateStyle: 'short', timeStyle: 'medium' },
};

/** How a time should be formatted. */
interface TimeReading {
  /** One of Discord's style letters. Any other text means the default style. */
  readonly format: string | undefined;
  readonly locale: string;
  /** The current time in milliseconds since 1970, for relative times such as "2 minutes ago". */
  readonly now: number;
}

/** Formats `<t:seconds:format>` as Discord's client shows it. */
export function timeText(seconds: number, { format, locale, now }: TimeReading): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return 'Invalid Date';
  if (format !== 'R') return new Intl.DateTimeFormat(locale, STYLES[format ?? 'f'] ?? STYLES.f).format(date);
  const away = Math.round(seconds - now / 1000);
  const [unit, length] = UNITS.find(([, size]) => Math.abs(away) >= size) ?? (['second', 1] as const);
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.trunc(away / length), unit);
}
