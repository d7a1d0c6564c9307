import { brokenJson, type Denial, wrongContentType } from './denial.ts';

/** A file of a multipart body; `n` is the number of its part, `files[n]`. */
export interface UploadedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface ParsedBody {
  /** What the JSON said; `undefined` when nothing was sent. */
  readonly json: unknown;
  readonly files: ReadonlyMap<number, UploadedFile>;
}

/** Rules 4 and 5: JSON, a form, or parts in any order (discord.js sends `files[0]` before `payload_json`). */
export async function parseBody(
  bytes: Buffer,
  contentType: string | undefined,
): Promise<ParsedBody | Denial> {
  const files = new Map<number, UploadedFile>();
  if (bytes.length === 0) return { json: undefined, files };
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') {
    const json = parseJson(bytes.toString('utf8'));
    return json === undefined ? brokenJson : { json, files };
  }
  if (type === 'application/x-www-form-urlencoded')
    return { json: Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))), files };
  if (type !== 'multipart/form-data') return wrongContentType;

  const form = await formOf(bytes, contentType ?? '');
  if (form === undefined) return wrongContentType;
  let json: unknown = {};
  for (const [name, value] of form) {
    const part = /^files?(?:\[(\d+)\])?$/.exec(name);
    if (typeof value === 'string') {
      if (name === 'payload_json') json = parseJson(value);
    } else if (part !== null) {
      files.set(Number(part[1] ?? 0), {
        filename: value.name,
        contentType: value.type,
        bytes: Buffer.from(await value.arrayBuffer()),
      });
    }
  }
  return json === undefined ? brokenJson : { json, files };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function formOf(bytes: Buffer, contentType: string): Promise<FormData | undefined> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch {
    return undefined;
  }
}
