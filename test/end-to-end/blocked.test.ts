import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { messageOf, modalOf, openAppScene, type Scene, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, addsOf, componentsOf } from '../support/people.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'blocked-'));
const LISTS = ['ALLOWED_GUILDS', 'BLOCKED_GUILDS', 'BLOCKED_USERS'] as const;
const fileOf = (name: string) => join(FOLDER, name);

let scene: Scene;
/** A member of the first guild who is blocked, and members of two other guilds: blocked, and not among those allowed. */
let blocked: Readonly<Record<'user' | 'guild' | 'elsewhere', Person>>;
beforeAll(async () => {
  const files = Object.fromEntries(LISTS.map((name) => [`${name}_FILE`, fileOf(name)]));
  const env = { ...files, SUPPORT_URL: 'https://help.example.com/' };
  scene = await openAppScene({ startBot: false, env });
  const { discord, admin, person } = scene;
  discord.guildEvents.add({ name: 'Elsewhere' });
  blocked = {
    user: person({ role: 'other' }),
    guild: person({ role: 'admin', guild: 1 }),
    elsewhere: person({ role: 'admin', guild: discord.guilds.length - 1 }),
  };
  writeFileSync(fileOf('ALLOWED_GUILDS'), `${admin.guildId}\n${blocked.guild.guildId}`);
  writeFileSync(fileOf('BLOCKED_GUILDS'), blocked.guild.guildId);
  writeFileSync(fileOf('BLOCKED_USERS'), blocked.user.userId);
  await scene.startBot();
});
afterAll(async () => {
  await scene.close();
  rmSync(FOLDER, { recursive: true });
});

const GUILD = "This bot can't be used in this Discord server.";
const REFUSED = { user: "You can't use this bot.", guild: GUILD, elsewhere: GUILD };

it.each([
  'user',
  'guild',
  'elsewhere',
] as const)('who is blocked (%s) is told so, with where to ask', async (who) => {
  const person = blocked[who];
  const isRefused = (answer: Answer) => {
    expect(textOf(answer)).toContain(REFUSED[who]);
    expect(componentsOf(answer)).toMatchObject([{ label: 'Support', url: 'https://help.example.com/' }]);
  };
  for (const name of ['help', 'addservers', 'submissions']) isRefused(await person.slash(name));
  isRefused(await addServer(person, 'a.example.com:1'));
  expect(await person.complete('addserver', 'game', { game: 'c' })).toEqual([]);
  const message = scene.discord.say(person, 'a.example.com:1');
  isRefused(await person.useOnMessage('Submit servers', message));
  expect(scene.listing.requests).toEqual([]);
  // What is stored can be deleted all the same.
  const privacy = await person.slash('privacy');
  const question = await person.press(privacy, 'Delete my name');
  expect(textOf(await person.press(question, 'Delete my name'))).toContain('Your name is in none');
  if (who !== 'user') expect(textOf(await person.slash('removekey'))).not.toContain(REFUSED[who]);
});

it('a button that everybody sees does nothing for who is blocked, and all else works for others', async () => {
  const { admin, member } = scene;
  const panel = messageOf(await admin.submit(modalOf(await admin.slash('panel')), {}));
  const opened = modalOf(await member.press(panel, 'Submit a game server'));
  expect(textOf(await blocked.user.press(panel, 'Submit a game server'))).toContain(REFUSED.user);
  await admin.submit(modalOf(await admin.slash('setkey')), { key: 'sandbox-key' });
  const typed = { game: 'cs2', server: 'b.example.com:1' };
  expect(textOf(await member.submit(opened, typed))).toContain(ACCEPTED);
});

it('what waits for a moderator is not sent once its member was blocked', async () => {
  const { admin, member } = scene;
  await admin.submit(modalOf(await admin.slash('setkey')), { key: 'sandbox-key' });
  const [first] = scene.discord.guilds;
  assert(first);
  const guild = { ...scene, ...first };
  await turnApprovalOn(guild);
  await addServer(member, 'waits.example.com:1');
  const message = await waitingIn(guild);
  writeFileSync(fileOf('BLOCKED_USERS'), member.userId);
  await scene.restart();
  const refused = await inStaff(guild, 'admin').press(message, 'Approve');
  expect(textOf(refused)).toContain('operator has blocked this member');
  expect(addsOf(scene, 'waits.example.com')).toEqual([]);
});
