import type { Context, Reply } from '../discord/command.ts';

/** Characters of the bar; narrow enough for a telephone. */
const WIDTH = 20;

/** How far a batch has come, in place of the preview and its buttons. */
export function progressOf({ t }: Context, done: number, count: number): Pick<Reply, 'embeds'> {
  const full = Math.floor((done / count) * WIDTH);
  const bar = '▰'.repeat(full) + '▱'.repeat(WIDTH - full);
  const description = t('bulk.progress.text', { bar, done, count });
  return { embeds: [{ title: t('bulk.progress.title'), description }] };
}
