import type { Act, FileValue, Outcome, SeatView } from '../protocol.ts';
import type { TraceEntry } from '../trace.ts';
import type { View } from '../view.ts';

/** Returns the query parameters of the page's URL: the token, the seat and the scenario. */
const address = () => new URLSearchParams(location.search);
const token = address().get('token') ?? '';

function seat(): SeatView {
  const about = address();
  return {
    role: (about.get('role') ?? 'admin') as SeatView['role'],
    guild: about.get('guild') ?? '',
    channel: about.get('channel') ?? '',
    locale: about.get('locale') ?? 'en-US',
  };
}

export const scenarioOfAddress = (): string | null => address().get('scenario');

/** Returns the page's URL with changed query parameters; `null` removes a parameter. */
export function addressWith(changes: Readonly<Record<string, string | null>>): string {
  const next = address();
  for (const [name, value] of Object.entries(changes))
    if (value === null) next.delete(name);
    else next.set(name, value);
  return `/?${next}`;
}

/** @throws Error if the sandbox is no longer running */
export async function act(what: Act): Promise<Outcome> {
  const response = await fetch('/act', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-token': token },
    body: JSON.stringify({ ...what, seat: seat() }),
  });
  if (!response.ok) return { kind: 'rejected', why: await response.text() };
  return response.json();
}

let source: EventSource | undefined;

/** Receives the view of the current seat whenever it changes. Each call closes the previous connection. */
export function listen(heard: {
  view(view: View): void;
  trace(entries: readonly TraceEntry[]): void;
  lost(isLost: boolean): void;
}): void {
  source?.close();
  source = new EventSource(`/events?${new URLSearchParams({ token, ...seat() })}`);
  source.addEventListener('view', (event) => heard.view(JSON.parse(event.data)));
  source.addEventListener('trace', (event) => heard.trace(JSON.parse(event.data)));
  source.addEventListener('open', () => heard.lost(false));
  source.addEventListener('error', () => heard.lost(true));
}

/** Whether a field accepts a file with this name. Discord only checks the extension. */
export const isFileAccepted = (name: string, types: readonly string[]): boolean =>
  types.length === 0 || types.some((type) => name.toLowerCase().endsWith(type));

/** Converts a file to a value that can be sent as JSON. */
export async function fileValue(file: File): Promise<FileValue> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { filename: file.name, base64: bytes.toBase64() };
}
