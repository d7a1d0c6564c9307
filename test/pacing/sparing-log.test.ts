import { expect, it, onTestFinished, vi } from 'vitest';
import { createSparingLog } from '../../src/pacing/sparing-log.ts';
import { recorder } from '../support/machine.ts';

it('a repeated failure is logged once a minute, with a count', () => {
  const logger = recorder();
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const log = createSparingLog(logger);
  for (let second = 0; second < 150; second += 1) {
    now = second * 1000;
    log.warn({ second }, 'no way to Discord');
    if (second === 100) log.info({ second }, 'something else');
  }
  expect(logger.lines.map(({ level, details, message }) => ({ level, details, message }))).toEqual([
    { level: 'warn', details: { second: 0 }, message: 'no way to Discord' },
    { level: 'warn', details: { second: 60, times: 60 }, message: 'no way to Discord' },
    { level: 'info', details: { second: 100 }, message: 'something else' },
    { level: 'warn', details: { second: 120, times: 60 }, message: 'no way to Discord' },
  ]);
});
