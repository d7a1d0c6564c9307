import { GatewayOpcodes } from 'discord.js';
import type { SandboxEvent } from '../sandbox.ts';

export interface TraceEntry {
  readonly number: number;
  readonly from: 'bot' | 'discord';
  readonly title: string;
  readonly body: string;
  /** The Discord rules that the request broke, with Discord's error messages. */
  readonly broken: readonly { readonly title: string; readonly answer: string }[];
}

const KEPT = 300;
const LONGEST_BODY = 4_000;

/** Keeps the latest requests and gateway payloads for the page. Leaves out heartbeats and masks credentials. */
export function createTrace() {
  const entries: TraceEntry[] = [];
  let count = 0;

  return {
    entries: (): readonly TraceEntry[] => entries,
    /** @returns the entry that the event added or changed, if any */
    take(event: SandboxEvent): TraceEntry | undefined {
      if (event.kind === 'wire') {
        const { method, path, status, body } = event.request;
        const isFrame = method === 'GATEWAY';
        const title = isFrame ? frameTitle(body) : `${method} ${masked(path)} → ${status}`;
        if (title === undefined) return undefined;
        count += 1;
        entries.push({ number: count, from: event.from, title, body: masked(body), broken: [] });
        if (entries.length > KEPT) entries.shift();
        return entries.at(-1);
      }
      const last = entries.at(-1);
      if (event.kind !== 'breach' || last === undefined) return undefined;
      const { title, code, message } = event.breach;
      const broken = { title, answer: `${code}: ${message}` };
      const changed = { ...last, broken: [...last.broken, broken] };
      entries[entries.length - 1] = changed;
      return changed;
    },
  };
}

/** Returns the title of a gateway payload, or `undefined` for heartbeats, which aren't worth showing. */
function frameTitle(text: string): string | undefined {
  const payload = parsed(text);
  const op = payload.op ?? -1;
  if (op === GatewayOpcodes.Heartbeat || op === GatewayOpcodes.HeartbeatAck) return undefined;
  return `gateway ${payload.t ?? GatewayOpcodes[op] ?? `op ${op}`}`;
}

function parsed(text: string): { readonly op?: number; readonly t?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Masks the tokens in a path. They are credentials, even in the sandbox. */
export const withoutTokens = (text: string): string =>
  text.replace(/(\/(?:interactions|webhooks)\/\d+\/)[\w.-]{20,}/g, '$1[token]');

/** Masks tokens and all text typed into modals, because it could be an API key. */
function masked(text: string): string {
  const hidden = withoutTokens(text)
    .replace(/("token":")[^"]+/g, '$1[token]')
    .replace(/("type":4,(?:"id":\d+,)?"custom_id":"[^"]*","value":")(?:\\.|[^"\\])+/g, '$1[typed]');
  return hidden.length > LONGEST_BODY ? `${hidden.slice(0, LONGEST_BODY)}…` : hidden;
}
