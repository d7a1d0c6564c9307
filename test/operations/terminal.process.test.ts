import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { oneBot } from '../support/bot.ts';

/** `script` from util-linux runs a program in a terminal. */
const hasTerminal = spawnSync('script', ['--version']).status === 0;

it.skipIf(!hasTerminal)('the log is human-readable in a terminal', async () => {
  const wrapper = ['sh', '-c', 'exec script -qec "$*" /dev/null', 'sh'];
  const bot = await oneBot({ asProcess: true, wrapper });
  await expect.poll(bot.output).toMatch(/invite the bot: \S+permissions=/);
  const output = stripVTControlCharacters(bot.output());
  expect(output).not.toMatch(/^\{"/m);
  for (const line of [
    /INFO.*created an encryption key/,
    /INFO: ready$/m,
    /^ +version: "\d+\.\d+\.\d+"$/m,
    /^ +commands: \d+$/m,
    /INFO: invite the bot: https:\/\/discord\.com\/oauth2\/authorize\?client_id=\d+\S+$/m,
    /^\[[^\n]*INFO.*starting server-listing-bot \d+\.\d+\.\d+/,
    /^ +"health and metrics \(HTTP_PORT\)",$/m,
  ]) {
    expect(output).toMatch(line);
  }
});
