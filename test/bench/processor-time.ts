import { readFile } from 'node:fs/promises';

/** How much time a process has spent on a processor, in milliseconds. */
export interface ProcessorTime {
  /** The time in the program itself. */
  readonly user: number;
  /** The time in the kernel, for example to send and receive. */
  readonly system: number;
}

/** The length of a clock tick in `/proc`, in milliseconds (Linux docs: sysconf, _SC_CLK_TCK). */
const TICK_MS = 10;

/** Reads the processor time of all threads of a process. Only works on Linux. */
export async function processorTimeOf(pid: number | undefined): Promise<ProcessorTime> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program comes before the last bracket, and can contain spaces (Linux docs: proc_pid_stat).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user = Number.NaN, system = Number.NaN] = fields
    .slice(11, 13)
    .map((ticks) => Number(ticks) * TICK_MS);
  return { user, system };
}
