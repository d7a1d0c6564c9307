import { PermissionFlagsBits } from 'discord.js';
import { expect } from 'vitest';
import { turnApprovalOn } from '../support/approval.ts';
import { botTest, messageOf, setKey, type TestGuild, textOf } from '../support/bot.ts';
import { addServer, labelsOf, openModal, pickSetting } from '../support/people.ts';

const it = botTest({
  key: null,
  env: { SUPPORT_URL: 'https://example.com/help?x=1#top', PRIVACY_URL: 'https://example.com/privacy' },
});

const slashCommands = ({ discord }: TestGuild) => discord.commands().filter(({ type }) => type === 1);

it('/help shows members the commands that they can use, as clickable mentions', async ({ guild, member }) => {
  // Right after the start, the bot might not know its command ids yet.
  await expect
    .poll(async () => JSON.stringify(messageOf(await member.slash('help')).current))
    .toContain('</');
  const answer = messageOf(await member.slash('help'));
  const text = answer.current?.content ?? '';
  expect(answer.current?.embeds).toEqual([]);
  const forMembers = slashCommands(guild).filter(
    ({ name, default_member_permissions: needed }) =>
      !['help', 'submissions'].includes(name) && needed === null,
  );
  const [, list = ''] = text.split('**What you can do here**');
  expect([...list.matchAll(/<\/[\w-]+:\d+>/g)].map(([mention]) => mention)).toEqual(
    forMembers.map(({ name, id }) => `</${name}:${id}>`),
  );
  expect(text).toContain('Message → Apps → **Submit servers**: ');
  expect(text).not.toContain('Integrations');
  expect(answer.ephemeral).toBe(true);
});

it('/help shows all commands to users who can manage the server', async ({ guild, admin, discord }) => {
  const administrator = guild.person({ role: 'other' });
  discord.guildEvents.setPermissions(administrator, PermissionFlagsBits.Administrator);
  for (const person of [admin, administrator]) {
    const text = textOf(await person.slash('help'));
    const others = slashCommands(guild).filter(({ name }) => name !== 'help');
    for (const { name } of others) expect(text).toContain(`/${name}: `);
    expect(text).toContain('Server Settings → Integrations');
  }
});

it('/help replies in plain text if Discord rejects the first reply', async ({ member, discord }) => {
  const before = discord.requests.length;
  await member.slash('help');
  const made = discord.requests.slice(before).map(({ path }) => path);
  expect(made.filter((path) => /interactions|webhooks/.test(path))).toEqual([
    expect.stringMatching(/\/callback$/),
  ]);
  discord.faults.inject({ fault: { kind: 'status', status: 400 }, path: /\/callback$/ });
  const answer = messageOf(await member.slash('help'));
  expect(answer.current?.content).toMatch(/no API key.*What you can do here/s);
  expect(answer.ephemeral).toBe(true);
});

it('/help shows a warning instead of submit buttons while the key is missing', async ({ admin, member }) => {
  const next = async (person = member) => textOf(await person.slash('help'));
  expect(await next()).toMatch(
    /^\(only you can see this\) .*no API key.* Ask someone with the “Manage Server” permission/,
  );
  expect(await next()).not.toContain('Enter an API key');
  const asked = await admin.slash('help');
  expect(textOf(asked)).toContain('no API key');
  // The button replaces the sentence.
  expect(textOf(asked)).not.toContain('Enter an API key with');
  expect(labelsOf(asked)).toEqual(['Enter an API key', 'My submissions', 'Support', 'Privacy']);
  expect(textOf(asked)).toContain('[ Support → https://example.com/help?x=1#top ]');
  await setKey(admin, 'sandbox-key');
  const help = await member.slash('help');
  expect(labelsOf(help)).toEqual([
    'Submit a game server',
    'Submit a list',
    'My submissions',
    'Support',
    'Privacy',
  ]);
  // The button replaces the command's line.
  expect(textOf(help)).toMatch(/^\(only you can see this\) What you can do here\n/);
  expect(textOf(help)).not.toContain('/addserver: ');
  const { modal } = await openModal(member, help, 'Submit a game server');
  const typed = { game: 'cs2', server: 'play.example.com:27015' };
  expect(textOf(await member.submit(modal, typed))).toContain('✅ Sent for review.');
});

it.for([
  { locale: 'en-US', waits: '2 submissions are waiting for a moderator', decide: 'Approve or decline (2)' },
  { locale: 'de', waits: '2 Einreichungen warten auf die Moderation', decide: 'Freigeben oder ablehnen (2)' },
  { locale: 'ja', waits: '2件の申請がモデレーターの承認を待っています', decide: '承認または却下（2）' },
])('for moderators, /help starts with the number of waiting submissions (in $locale)', async ({
  locale,
  waits,
  decide,
}, { guild }) => {
  await setKey(guild.admin, 'sandbox-key');
  await turnApprovalOn(guild);
  const helpFor = (role: 'admin' | 'moderator' | 'other') => guild.person({ role, locale }).slash('help');
  expect(textOf(await helpFor('admin'))).not.toContain(waits);
  for (const port of [1, 2]) await addServer(guild.member, `play.example.com:${port}`);
  expect(textOf(await helpFor('moderator'))).not.toContain(waits);
  await pickSetting(guild, 'Approval', '@Moderators');
  for (const role of ['admin', 'moderator'] as const) {
    const help = await helpFor(role);
    expect(textOf(help)).toContain(`(only you can see this) ${waits}\n`);
    const [first] = labelsOf(help);
    expect(first).toBe(decide);
    const queue = await guild.person({ role, locale }).press(help, decide);
    // Moderators start at different submissions.
    expect(textOf(queue)).toMatch(/play\.example\.com:[12]/);
  }
  expect(textOf(await helpFor('other'))).not.toContain(waits);
  expect(labelsOf(await helpFor('other'))).not.toContain(decide);
});
