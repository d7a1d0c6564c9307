import { describe, expect, it } from 'vitest';
import { createGuildSettings, logChannels } from '../../src/guilds/settings.ts';
import { StoreError } from '../../src/storage/store.ts';
import { openStore } from '../storage/temporary.ts';

describe('the settings of a guild', () => {
  it('allow everything until something is chosen', async () => {
    const settings = createGuildSettings({ store: await openStore() });
    expect(await settings.get('1')).toEqual({ locale: 'en-US', announce: false });
    expect(settings.allowedGames('1')).toBeUndefined();
  });

  it('are changed one after the other, and each guild has its own', async () => {
    const settings = createGuildSettings({ store: await openStore() });
    await Promise.all(
      ['a', 'b', 'c'].map((alias) =>
        settings.change('1', (now) => ({ ...now, games: [...(now.games ?? []), alias] })),
      ),
    );
    expect((await settings.get('1')).games).toEqual(['a', 'b', 'c']);
    expect((await settings.get('2')).games).toBeUndefined();
  });

  it('have the allowed games in memory from the start, without reading', async () => {
    const store = await openStore();
    await createGuildSettings({ store }).change('1', (now) => ({ ...now, games: ['cs2'] }));
    await store.set('settings:2', { v: 99, from: 'the future' });
    const settings = createGuildSettings({ store });
    expect(settings.allowedGames('1')).toBeUndefined();
    await settings.start();
    expect(settings.allowedGames('1')).toEqual(new Set(['cs2']));
    await settings.change('1', ({ games: _some, ...now }) => now);
    expect(settings.allowedGames('1')).toBeUndefined();
  });

  it('are the defaults when they cannot be read, which is said until something is set again', async () => {
    const store = await openStore();
    const settings = createGuildSettings({ store });
    await store.set('settings:1', { v: 99, from: 'the future' });
    expect(await settings.get('1')).toEqual({ locale: 'en-US', announce: false });
    expect(await settings.areLost('1')).toBe(true);
    expect(await settings.areLost('2')).toBe(false);
    expect((await settings.change('1', (now) => ({ ...now, announce: true }))).announce).toBe(true);
    expect(await settings.areLost('1')).toBe(false);
    expect(await store.get('set-aside.settings:1')).toEqual({ v: 99, from: 'the future' });
  });

  it('are read as they were kept before there was a role to notify', async () => {
    const store = await openStore();
    const before = { locale: 'de', logChannelId: '10', announce: true, games: ['cs2'], dailyQuota: 5 };
    await store.set('settings:1', { v: 1, ...before });
    const settings = createGuildSettings({ store });
    expect(await settings.get('1')).toEqual(before);
    await settings.change('1', (now) => ({ ...now, notifyRoleId: '7' }));
    expect(await store.get('settings:1')).toEqual({ v: 2, ...before, notifyRoleId: '7' });
    expect((await logChannels(settings).channelOf('1'))?.roleId).toBe('7');
    expect(await store.get('set-aside.settings:1')).toBeUndefined();
  });

  it('are an error, and never the defaults, when the store fails', async () => {
    const store = await openStore();
    const settings = createGuildSettings({ store });
    await store.stop();
    await expect(settings.get('2')).rejects.toThrow(StoreError);
    await expect(settings.change('2', (now) => now)).rejects.toThrow(StoreError);
  });

  it('are gone once deleted', async () => {
    const settings = createGuildSettings({ store: await openStore() });
    await settings.change('1', (now) => ({ ...now, games: ['cs2'], dailyQuota: 5 }));
    await settings.delete('1');
    expect(await settings.get('1')).toEqual({ locale: 'en-US', announce: false });
    expect(settings.allowedGames('1')).toBeUndefined();
  });

  it('note what is wrong with the log channel, unless another one was chosen meanwhile', async () => {
    const settings = createGuildSettings({ store: await openStore() });
    const { channelOf, setTrouble } = logChannels(settings);
    expect(await channelOf('1')).toBeUndefined();
    await settings.change('1', (now) => ({ ...now, logChannelId: '10' }));
    await setTrouble('1', '10', 'gone');
    expect(await channelOf('1')).toMatchObject({ channelId: '10', trouble: 'gone' });
    await setTrouble('1', '11', undefined);
    expect(await channelOf('1')).toMatchObject({ trouble: 'gone' });
    await setTrouble('1', '10', undefined);
    expect((await channelOf('1'))?.trouble).toBeUndefined();
  });

  it('do not come back where they were deleted while an entry of the log was refused', async () => {
    const store = await openStore();
    const settings = createGuildSettings({ store });
    await settings.change('1', (now) => ({ ...now, logChannelId: '10' }));
    await settings.delete('1');
    await logChannels(settings).setTrouble('1', '10', 'no-access');
    expect(await store.get('settings:1')).toBeUndefined();
  });
});
