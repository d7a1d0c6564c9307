import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createStallProbe } from './machine.ts';

/** Runs a program with the probe and returns the stalls that it reports. */
async function stallsOf(program: string) {
  const probe = await createStallProbe();
  try {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: { PATH: process.env.PATH ?? '', ...probe.env },
    });
    await once(child, 'exit');
    return await probe.stalls();
  } finally {
    await probe.close();
  }
}

const PAUSE = `await new Promise((resolve) => setTimeout(resolve, 60));`;

describe('the event loop probe', () => {
  it('reports how much CPU time a stall used', async () => {
    const work = `for (const { user } = process.threadCpuUsage(); process.threadCpuUsage().user - user < 200_000; );`;
    const stalls = await stallsOf(`${PAUSE} ${work} ${PAUSE}`);
    expect(stalls.some(({ ownMs }) => ownMs >= 150)).toBe(true);
  });

  it("doesn't count waiting as CPU time", async () => {
    const wait = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);`;
    const stalls = await stallsOf(`${PAUSE} ${wait} ${PAUSE}`);
    expect(stalls.some(({ ms, ownMs }) => ms >= 190 && ownMs < 100)).toBe(true);
  });
});
