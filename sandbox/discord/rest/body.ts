import { type Denial, unreadableBody } from './denial.ts';

/** A file in a multipart body. */
export interface UploadedFile {
  /** The number `n` in the part's name, `files[n]`. */
  readonly id: number;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

interface ParsedBody {
  /** The parsed JSON, or `undefined` if the body is empty. */
  readonly json: unknown;
  readonly files: readonly UploadedFile[];
}

/**
 * Parses a JSON or multipart body. Parts can come in any order, because discord.js sends `files[0]` before `payload_json`.
 */
export async function parseBody(bytes: Buffer, contentType = ''): Promise<ParsedBody | Denial> {
  if (bytes.length === 0) return { json: undefined, files: [] };
  try {
    if (contentType.startsWith('application/json'))
      return { json: JSON.parse(bytes.toString('utf8')), files: [] };
    return await parseForm(bytes, contentType);
  } catch {
    return unreadableBody;
  }
}

async function parseForm(bytes: Buffer, contentType: string): Promise<ParsedBody> {
  const body = new Uint8Array(bytes);
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
  const files: UploadedFile[] = [];
  for (const [name, value] of form) {
    const id = /^files\[(\d+)\]$/.exec(name)?.[1];
    if (id === undefined || typeof value === 'string') continue;
    const content = Buffer.from(await value.arrayBuffer());
    files.push({ id: Number(id), filename: value.name, contentType: value.type, bytes: content });
  }
  return { json: JSON.parse(String(form.get('payload_json') ?? '{}')), files };
}
