import { expect, it, onTestFinished, vi } from 'vitest';
import { createBlock } from '../../src/discord/block.ts';
import { recorder } from '../support/machine.ts';

function setUp() {
  const logger = recorder();
  let now = 5_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const pass = (ms: number) => {
    now += ms;
  };
  return { logger, pass, block: createBlock(logger) };
}

it('an IP block ends 60 seconds after the latest 429 by default', () => {
  const { block, pass, logger } = setUp();
  expect(block.leftMs()).toBe(0);
  block.begin();
  pass(40_000);
  expect(block.leftMs()).toBe(20_000);
  block.begin();
  expect(block.leftMs()).toBe(60_000);
  expect(logger.lines).toHaveLength(1);
  block.begin(90_000);
  block.begin();
  expect(block.leftMs()).toBe(90_000);
  pass(30_000);
  pass(60_000);
  expect(block.leftMs()).toBe(0);
  block.begin();
  expect(logger.lines).toHaveLength(2);
});

it('an IP block limits initial responses to five per second', () => {
  const { block, pass } = setUp();
  const allowedOf = (tries: number) => Array.from({ length: tries }, block.mayRespond).filter(Boolean).length;
  expect(allowedOf(20)).toBe(20);
  block.begin();
  expect(allowedOf(20)).toBe(5);
  pass(999);
  expect(allowedOf(20)).toBe(0);
  pass(1);
  expect(allowedOf(20)).toBe(5);
  pass(59_000);
  expect(allowedOf(20)).toBe(20);
});
