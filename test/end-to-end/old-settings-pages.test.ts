import { describe, expect } from 'vitest';
import { turnApprovalOn } from '../support/approval.ts';
import { botTest, textOf } from '../support/bot.ts';
import { idOf, labelsOf, openSetting, postPanel } from '../support/people.ts';

const it = botTest();

describe("a menu on an admin's old page of /settings", () => {
  it('only changes the approval options that the admin switched', async ({ guild, admin }) => {
    await turnApprovalOn(guild);
    const old = await openSetting(guild, 'Approval');
    const page = await openSetting(guild, 'Approval');
    const options = 'settings:change:1:approval:approval:options';
    await admin.pick(page, ['Send direct messages', 'Require a reason to decline'], idOf(page, options));
    const after = textOf(await admin.pick(old, [], idOf(old, options)));
    expect(after).toContain('✅ Reason to decline: required');
    expect(after).toContain('➖ Direct messages about decisions: off');
  });

  it('only changes the games that the admin switched', async ({ guild, admin }) => {
    const page = await openSetting(guild, 'Games');
    await admin.pick(page, ['Factorio', 'ARK: Survival Evolved']);
    const old = await openSetting(guild, 'Games');
    await admin.pick(page, ['Factorio', 'Counter-Strike 2']);
    const after = await admin.pick(old, ['Factorio', 'ARK: Survival Evolved', 'Arma 3']);
    expect(textOf(after)).toContain('Games: only Factorio, Counter-Strike 2, and 1 more\n');
  });

  it('allows exactly the chosen games if all games have been allowed since', async ({ guild, admin }) => {
    const page = await openSetting(guild, 'Games');
    await admin.pick(page, ['Factorio']);
    const old = await openSetting(guild, 'Games');
    await admin.press(page, 'Allow all games');
    const after = await admin.pick(old, ['Factorio', 'Counter-Strike 2']);
    expect(textOf(after)).toContain('Games: only Factorio and Counter-Strike 2\n');
  });

  it('only changes the buttons of a panel that the admin switched', async ({ guild, admin }) => {
    const panel = await postPanel(guild);
    const old = await openSetting(guild, 'Panels');
    const page = await openSetting(guild, 'Panels');
    await admin.pick(page, ['Submit a game server', 'My submissions']);
    await admin.pick(old, ['Submit a game server', 'Submit a list']);
    expect(labelsOf(panel)).toEqual(['Submit a game server']);
  });
});
