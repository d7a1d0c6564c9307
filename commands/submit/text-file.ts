import type { Context } from '../../src/interactions/command.ts';
import type { UploadedFile } from '../../src/interactions/interaction.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { MAX_FILE_BYTES } from '../../src/server-lists/read-list.ts';
import { escapeCode } from '../../src/words/escape.ts';
import type { CommandDeps } from '../deps.ts';
import { FILE_TYPES } from './modals.ts';

export const isTextFile = ({ name }: UploadedFile): boolean =>
  FILE_TYPES.some((extension) => name.toLowerCase().endsWith(extension));

/**
 * Downloads a file. The list parser decodes the file, because decoding a hostile file takes long.
 * @throws UserError if the file's name isn't that of a text file, or if the file can't be downloaded at the moment
 */
export async function readFile(
  { t }: Context,
  file: UploadedFile,
  { attachments }: CommandDeps,
): Promise<Uint8Array> {
  if (!isTextFile(file)) throw new UserError(t('list.file.kind'));
  const read = await attachments.read(file.url, file.size);
  if (!read.ok) {
    const what = read.problem === 'too-large' ? 'too-large' : 'unavailable';
    throw new UserError(t(`list.file.${what}`, { kib: MAX_FILE_BYTES / 1024 }));
  }
  return read.bytes;
}

const MAX_FILE_NAME_LENGTH = 60;

export const fileName = ({ name }: UploadedFile): string => escapeCode(name, MAX_FILE_NAME_LENGTH);
