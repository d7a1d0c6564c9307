import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer, DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import { startDiscord } from '../../../../sandbox/discord/stand-in.ts';
import type { SeenMessage } from '../../../../sandbox/discord/world/messages.ts';
import { KEPT_CODE } from '../../../support/program.ts';
import { TOKEN } from '../support/small-bot.ts';

let standIn: DiscordStandIn;
let bot: ReturnType<typeof run>;
let person: Person;

/** A script of the foreign bot, told nothing but where Discord is and its token. */
const run = (script: string) =>
  spawn(process.execPath, [join(import.meta.dirname, script)], {
    env: { PATH: process.env.PATH, ...KEPT_CODE, DISCORD_API: standIn.apiUrl, DISCORD_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

beforeAll(async () => {
  // The bot listens for the next step only once its request was answered, and this machine may be busy.
  standIn = await startDiscord({ token: TOKEN, reactionMs: 300 });
  const [status] = await once(run('deploy-commands.cjs'), 'exit');
  expect(status).toBe(0);
  bot = run('bot.cjs');
  await once(bot.stdout, 'data');
  await standIn.ready();
  const [guild] = standIn.guilds;
  if (guild === undefined) throw new Error('no guild');
  person = standIn.person({ guild, name: 'mason', permissions: 0n });
});

afterAll(async () => {
  bot.kill();
  await standIn.close();
});

function shown(answer: Answer): SeenMessage {
  if (answer.kind !== 'message') throw new Error(JSON.stringify(answer));
  return answer.message;
}

it('published its commands', () => {
  expect(
    person
      .commands()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['echo', 'guide', 'pages', 'ping']);
});

it('answers /ping and edits the answer', async () => {
  const message = shown(await person.slash('ping'));
  await expect.poll(() => message.current?.content).toMatch(/^Pong! \d+ ms$/);
  expect(message.ephemeral).toBe(false);
});

it('opens the modal of /echo and says what was entered', async () => {
  const opened = await person.slash('echo', { title: 'Say it' });
  if (opened.kind !== 'modal') throw new Error(opened.kind);
  expect(opened.modal.data.title).toBe('Say it');
  const loud = shown(await person.submit(opened.modal, { words: 'hello', volume: 'loud' }));
  expect([loud.current?.content, loud.ephemeral]).toEqual(['HELLO', false]);
  const again = await person.slash('echo');
  if (again.kind !== 'modal') throw new Error(again.kind);
  const quiet = shown(await person.submit(again.modal, { words: 'hello', volume: 'quiet' }));
  expect([quiet.current?.content, quiet.ephemeral]).toEqual(['hello', true]);
});

it('leafs through /pages, for the one who asked', async () => {
  const message = shown(await person.slash('pages'));
  const title = () => message.current?.embeds[0]?.title;
  expect(title()).toBe('First page');
  expect(await person.press(message, 'Back')).toMatchObject({ kind: 'refused' });
  shown(await person.press(message, 'Next'));
  shown(await person.press(message, 'Next'));
  expect(title()).toBe('Third page');
  expect(await person.press(message, 'Next')).toMatchObject({ kind: 'refused' });
  shown(await person.press(message, 'Back'));
  expect(title()).toBe('Second page');
  const [guild] = standIn.guilds;
  if (guild === undefined) throw new Error('no guild');
  const other = standIn.person({ guild, name: 'other', permissions: 0n }).press(message, 'Next');
  // The collector ignores them, so Discord tells them that the application did not respond.
  expect(await other).toEqual({ kind: 'lost' });
});

it('completes /guide, defers, sends a file and follows up', async () => {
  expect(await person.complete('guide', 'query', { query: 'TOPICS' })).toHaveLength(2);
  expect(await person.complete('guide', 'query', { query: 'zzz' })).toEqual([]);
  expect(await person.slash('guide', { query: 'Modals', lines: 4 })).toMatchObject({ kind: 'refused' });
  const message = shown(await person.slash('guide', { query: 'Modals', lines: 2 }));
  expect(message.current?.content).toBe('Found in First guild');
  expect(message.file('guide.txt')?.toString()).toBe('Modals\nModals\n');
  const last = () => standIn.messages({ channelId: person.channelId }).at(-1)?.current?.content;
  await expect.poll(last).toBe('Was it of any help?');
});

it('broke no rule and wrote no error', async () => {
  expect(standIn.breaches).toEqual([]);
  const errors = text(bot.stderr);
  bot.kill();
  expect(await errors).toBe('');
});
