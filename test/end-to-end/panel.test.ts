import { describe, expect } from 'vitest';
import { modalFields, modalTexts } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { botTest, messageOf, modalOf, setKey, type TestGuild, textOf } from '../support/bot.ts';
import { allowGames, componentsOf, labelsOf, openSetting } from '../support/people.ts';

const optionsOf = (answer: Answer): readonly string[] =>
  componentsOf(answer).flatMap(({ options = [] }) => options.map(({ value }) => value));

const it = botTest({ key: null });

async function post({ admin }: TestGuild, text: string): Promise<SeenMessage> {
  const modal = modalOf(await admin.slash('panel'));
  expect(modalFields(modal.data)).toMatchObject([{ most: 500 }]);
  return messageOf(await admin.submit(modal, { text }));
}

describe('the panel', () => {
  it('is for everybody, in the language of the guild, with the text as it was written, and pings nobody', async ({
    bot,
    guild,
    discord,
  }) => {
    const german = await bot.newGuild({ locale: 'de' });
    const from = discord.requests.length;
    const text = '# Rules\n**Be kind** @everyone <@1> [a link](https://example.com/) play.example.com:1';
    const panel = await post(german, text);
    expect(panel.ephemeral).toBe(false);
    expect(panel.current.embeds[0]?.description).toContain(`\n\n${text}`);
    const sent = discord.requests.slice(from).find(({ body }) => body.includes('Be kind'));
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ data: { allowed_mentions: { parse: [] } } });
    const english = await post(guild, ' ');
    expect(labelsOf(english)).toEqual(['Submit a game server', 'Submit a list', 'My submissions']);
    // What a press opens is in the presser's language, and what stands in the panel is no list.
    const button = JSON.stringify(panel.current).match(/addservers:new:/)?.[0] ?? '';
    const { data } = modalOf(await german.member.press(panel, button));
    expect(data.title).toBe('Submit many game servers');
    expect(modalFields(data).map(({ value }) => value ?? '')).toEqual(['', '', '']);
  });

  it('says what a member has to know in the window that a press opens', async ({ guild, admin, member }) => {
    const panel = await post(guild, '');
    const windowOf = async (who = member, label = 'Submit a game server') =>
      modalOf(await who.press(panel, label)).data;
    expect(modalTexts(await windowOf()).join()).toMatch(/no API key .*Ask someone with/s);
    expect(modalTexts(await windowOf(admin, 'Submit a list')).join()).toContain('Enter an API key with');
    // The service's own list is not known yet: there may be others.
    expect(modalFields(await windowOf())[0]).toMatchObject({ kind: 'text' });
    await allowGames(guild, ['ark', 'cs2']);
    const [game] = modalFields(await windowOf());
    expect(game).toMatchObject({ kind: 'select', offers: [{ value: 'cs2' }, { value: 'ark' }] });
    // More than a select takes, and not all that the service has.
    await setKey(admin, 'sandbox-key');
    let page: Answer = await openSetting(guild, 'Games');
    await admin.pick(page, optionsOf(page));
    page = await admin.press(page, 'Next');
    await admin.pick(page, optionsOf(page).slice(0, 1));
    const many = await windowOf();
    expect(modalFields(many)[0]).toMatchObject({ kind: 'text' });
    expect(modalTexts(many).join()).toMatch(
      /Game servers can be submitted here for these games only: .*, and 16 more\./,
    );
    expect(textOf(await member.press(panel, 'My submissions'))).toContain('nothing here under your name');
    expect(JSON.stringify(panel.current)).not.toMatch(/API key|ARK/);
  });
});
