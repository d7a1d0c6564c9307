import type { Flaw, Path } from './refusal.ts';

/** Discord does not publish which extensions each word stands for; these are the ones it shows in its clients. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  image: ['.png', '.jpg', '.jpeg', '.gif', '.webp', '.avif', '.bmp', '.heic', '.svg', '.tiff'],
  video: ['.mp4', '.mov', '.webm', '.mkv', '.avi', '.m4v'],
  audio: ['.mp3', '.ogg', '.wav', '.flac', '.m4a', '.opus', '.aac'],
};

/** Rules 16 and 37 (Discord docs: Reference, File Type Filtering). `image`, `video`, `audio` or an extension with its dot. */
export function fileTypeFlaws(types: readonly string[], at: Path, rule: number): Flaw[] {
  return types.flatMap((type, index) =>
    type in KINDS || /^\.[A-Za-z0-9]+$/.test(type)
      ? []
      : [
          {
            rule,
            path: [...at, index],
            code: 'STRING_TYPE_REGEX',
            message: 'String value did not match validation regex.',
          },
        ],
  );
}

/** What a member's Discord lets through: it looks at the extension only. No types: every file. */
export function isFileAllowed(filename: string, types: readonly string[] | null | undefined): boolean {
  if (types === undefined || types === null || types.length === 0) return true;
  const name = filename.toLowerCase();
  return types
    .flatMap((type) => KINDS[type] ?? [type])
    .some((extension) => name.endsWith(extension.toLowerCase()));
}
