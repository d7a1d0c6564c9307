import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { messageOf, modalOf, oneBot, ownBotTest, type TestGuild, textOf } from '../support/bot.ts';
import { hasPostgres, newDatabase } from '../support/database.ts';
import { ACCEPTED, edit, labelsOf, pickSetting, postPanel, pressSubmit, upload } from '../support/people.ts';

const hosts = ({ listing }: TestGuild) => listing.submitted.map(({ server }) => server);

/** Submits servers only through the panel while another process replaces the bot. */
async function journey(guild: TestGuild, replace: () => Promise<unknown>): Promise<void> {
  const { member } = guild;
  const panel = await postPanel(guild, 'Be kind.');
  const before = JSON.stringify(panel.current);
  expect(panel.ephemeral).toBe(false);
  const press = (label: string) => member.press(panel, label);
  const fillIn = async (server: string) =>
    member.submit(modalOf(await press('Submit a game server')), { game: 'cs2', server });
  const sendFile = async (host: string) => {
    const file = upload('list.csv', `server,port,game\n${host},27015,cs2\n`);
    return member.submit(modalOf(await press('Submit a list')), { file });
  };
  async function each(name: string): Promise<void> {
    const answer = await fillIn(`one-${name}.example.com:27015`);
    expect(textOf(answer)).toContain(ACCEPTED);
    expect(messageOf(answer).ephemeral).toBe(true);
    await pressSubmit(member, await sendFile(`file-${name}.example.com`));
    expect(hosts(guild)).toEqual(
      expect.arrayContaining([`one-${name}.example.com`, `file-${name}.example.com`]),
    );
    const mine = textOf(await press('My submissions'));
    expect(mine).toContain(`one-${name}.example.com`);
    expect(mine).toContain(`file-${name}.example.com`);
  }

  await each('before');
  const wrong = await fillIn('wrong.example.com:70000');
  expect(labelsOf(wrong)).toContain('Edit');
  const preview = await sendFile('waits.example.com');
  await replace();
  expect(textOf(await edit(member, wrong, { server: 'right.example.com:27015' }))).toContain(ACCEPTED);
  await pressSubmit(member, preview);
  await each('after');
  expect(hosts(guild)).toEqual(expect.arrayContaining(['right.example.com', 'waits.example.com']));
  expect(JSON.stringify(panel.current)).toBe(before);
  await pickSetting(guild, 'Language for everyone', 'Deutsch');
  expect(panel.current.content).toMatch(/^### Spielserver einreichen\n.*\n\nBe kind\.$/s);
  expect(modalOf(await press('Eine Liste einreichen')).data.title).toBe('Submit many game servers');
}

const gatewayIt = ownBotTest({ http: false });

describe('a panel', () => {
  gatewayIt('still works over the gateway after a restart', async ({ bot, guild }) =>
    journey(guild, bot.restart),
  );

  it.skipIf(!hasPostgres())(
    'still works over HTTP after the bot has been killed and restarted (with PostgreSQL)',
    async () => {
      const database = await newDatabase();
      onTestFinished(database.drop);
      const env = {
        STORE_URL: database.url,
        ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      };
      const bot = await oneBot({ asProcess: true, http: true, env });
      await journey(await bot.newGuild({ key: 'sandbox-key' }), async () => {
        await bot.kill();
        await bot.start();
      });
    },
  );
});
