import { PermissionsBitField } from 'discord.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { type SubmitBatchDeps, submitBatch } from '../../commands/batch-submitting.ts';
import type { PressCall, Reply } from '../../src/discord/command.ts';
import type { AddOutcome } from '../../src/listing/contract.ts';
import { wordsFor } from '../../src/locales/words.ts';
import { Secret } from '../../src/secret.ts';
import { createBatchRuns } from '../../src/submissions/batch-runs.ts';
import { createBatches } from '../../src/submissions/batches.ts';
import { parseBulk } from '../../src/submissions/bulk-text.ts';

const MINUTE = 60_000;
const accepted: AddOutcome = { kind: 'accepted', message: 'Yes.' };
let values: Map<string, unknown>;
let time: number;
let requests: number;

beforeEach(() => {
  values = new Map();
  time = 1_000_000_000;
  requests = 0;
});

/** The press of a button under `interactionId` on the batch `3`. */
const press = (interactionId: string, argument = '3'): PressCall => ({
  interactionId,
  guildId: '1',
  channelId: '4',
  user: { id: '2', name: 'member' },
  permissions: new PermissionsBitField(),
  locale: 'en-US',
  receivedAt: Date.now(),
  guildLocale: 'en-US',
  t: wordsFor('en-US'),
  mention: (name) => `/${name}`,
  argument,
  values: [],
  channels: [],
  progress: () => undefined,
  stopping: new AbortController().signal,
});

function deps(send: () => Promise<AddOutcome>, more: Partial<SubmitBatchDeps> = {}): SubmitBatchDeps {
  const store = {
    get: async (key: string) => values.get(key),
    set: async (key: string, value: unknown) => void values.set(key, JSON.parse(JSON.stringify(value))),
    delete: async (key: string) => values.delete(key),
  };
  const now = () => time;
  return {
    batches: createBatches({ store, now }),
    runs: createBatchRuns({ store, now }),
    desk: {
      admit: async () => undefined,
      withdraw: async () => undefined,
      send: async () => {
        requests += 1;
        return send();
      },
    },
    games: {
      list: () => ({ games: [], fresh: true }),
      search: () => [],
      find: () => undefined,
      refresh: async () => undefined,
      refreshSoon: () => undefined,
      invalidate: () => undefined,
    },
    keys: { get: async () => new Secret('the key'), isRefused: async () => false },
    ledger: { find: async () => new Map() },
    settings: { get: async () => ({ locale: 'en-US', announce: false }) },
    logger: { error: () => undefined },
    longestRequestMs: MINUTE,
    now,
    ...more,
  };
}

async function keep({ batches }: SubmitBatchDeps, count: number): Promise<void> {
  const text = Array.from({ length: count }, (_, n) => `s${n}.example.com:1 cs2`).join('\n');
  const bulk = await parseBulk(text, { findGame: () => 'cs2' });
  const rows = bulk.kind === 'rows' ? bulk.rows : [];
  await batches.keep({ guildId: '1', userId: '2' }, '3', {
    source: 'text',
    rows,
    former: [],
    includesFormer: false,
  });
}

const textOf = ({ embeds = [] }: Reply) => embeds.map(({ description }) => description).join();

describe('the Submit button', () => {
  it('ends within the 15 minutes of its interaction; the rest can be submitted then', async () => {
    // Each request takes as long as one can: a fourth, begun at 12 minutes, would end after the 15.
    const slow = async () => {
      time += 4 * MINUTE;
      return accepted;
    };
    const all = deps(slow, { longestRequestMs: 4 * MINUTE });
    await keep(all, 600);
    const report = textOf(await submitBatch(press('10'), all));
    expect(requests).toBe(3);
    expect(time - 1_000_000_000).toBeLessThan(15 * MINUTE);
    expect(report).toContain('✅ **300** accepted');
    expect(report).toContain('⏸️ **300** not sent');
    expect(report).toContain('Discord lets an answer take 15 minutes');
    expect(textOf(await submitBatch(press('11', '10'), all))).toContain('✅ **300** accepted');
  });

  it('goes on after a crash where it stopped, and sends nothing again', async () => {
    let crash = () => {};
    const dying = deps(() => {
      if (requests < 3) return Promise.resolve(accepted);
      return new Promise(() => crash());
    });
    await keep(dying, 500);
    await new Promise<void>((resolve) => {
      crash = resolve;
      void submitBatch(press('10'), dying);
    });
    expect(requests).toBe(3);
    // A new process has the store and nothing else.
    const admitted: unknown[] = [];
    const again = deps(async () => accepted);
    const report = await submitBatch(press('10'), {
      ...again,
      desk: { ...again.desk, admit: async (order) => void admitted.push(order) },
    });
    expect(requests).toBe(5);
    expect(admitted).toEqual([]);
    expect(textOf(report)).toContain('✅ **400** accepted');
    expect(textOf(report)).toContain('❓ **100** unknown');
    await expect(submitBatch(press('11'), again)).rejects.toThrow('no longer there');
  });

  it('leaves the batch as it was when the order is refused', async () => {
    const all = deps(async () => accepted);
    await keep(all, 2);
    const refusing = {
      ...all,
      desk: { ...all.desk, admit: async () => ({ code: 'service-down' }) as const },
    };
    await expect(submitBatch(press('10'), refusing)).rejects.toThrow('The listing service is down');
    expect(requests).toBe(0);
    expect(textOf(await submitBatch(press('11'), all))).toContain('✅ **2** accepted');
  });

  it('says what was sent when the store fails in the middle, and sends no more', async () => {
    const all = deps(async () => accepted);
    await keep(all, 300);
    const set = values.set.bind(values);
    values.set = (key, value) => {
      if (requests === 1) throw new Error('disk full');
      return set(key, value);
    };
    const report = await submitBatch(press('10'), all);
    expect(textOf(report)).toContain('✅ **100** accepted');
    expect(textOf(report)).toContain('⏸️ **200** not sent');
    expect(report.components).toEqual([]);
  });
});
