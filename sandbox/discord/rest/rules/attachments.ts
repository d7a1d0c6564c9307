import { type Flaw, type Path, type Refusal, repeats, tooLong } from './flaws.ts';
import type { MessageBody } from './message-body.ts';

/** A file that came with the request, as part `files[id]`. */
export interface UploadedFile {
  readonly id: string | number;
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
}

/** An attachment that the message has already. */
export interface KeptAttachment {
  readonly id: string;
  readonly filename: string;
}

/** Discord docs: Reference, Uploading Files: 10 MiB for each file unless the interaction says more. */
export const DEFAULT_SIZE_LIMIT = 10 * 1024 * 1024;
const MAX_FILES = 10;

/** The names of the files that the message has after the request (rule 42: what is not listed is removed). */
export function fileNames(
  body: MessageBody,
  files: readonly UploadedFile[],
  kept: readonly KeptAttachment[],
): string[] {
  const listed = body.attachments?.map(({ id }) => String(id));
  return [...files, ...kept.filter(({ id }) => listed === undefined || listed.includes(id))].map(
    ({ filename }) => filename,
  );
}

/** Rule 5: every listed attachment is a file of this request or one the message has; at most ten in all. */
export function attachmentFlaws(
  body: MessageBody,
  { files, kept, at }: { files: readonly UploadedFile[]; kept: readonly KeptAttachment[]; at: Path },
): Flaw[] {
  const ids = (body.attachments ?? []).map(({ id }) => String(id));
  const known = new Set([...files, ...kept].map(({ id }) => String(id)));
  const unknown = ids.flatMap((id, index) => (known.has(id) ? [] : [index]));
  const flaws: Flaw[] = [...unknown, ...repeats(ids)].map((index) => ({
    rule: 5,
    path: [...at, 'attachments', index, 'id'],
    code: 'MESSAGE_ATTACHMENT_NOT_FOUND',
    message: 'Attachment data not found',
  }));
  if (fileNames(body, files, kept).length > MAX_FILES)
    flaws.push(tooLong(5, [...at, 'attachments'], MAX_FILES));
  return flaws;
}

/** Rule 5: the limit is for each file, not for their sum (Discord changelog, 2025-04-03). */
export function checkFileSizes(files: readonly UploadedFile[], limit: number): Refusal | undefined {
  return files.some(({ size }) => size > limit)
    ? { rule: 5, status: 413, code: 40005, message: 'Request entity too large' }
    : undefined;
}

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
