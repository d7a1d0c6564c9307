import { AsyncResource } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { createGuildSettings, logChannels, UnreadableSettingsError } from '../../src/guilds/settings.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { openStore } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const DEFAULTS = { locale: 'en-US', announce: false };

async function open() {
  const store = await openStore();
  const logger = recorder();
  return { store, logger, settings: createGuildSettings({ store, logger }) };
}

describe("a guild's settings", () => {
  it('have default values until an admin changes them', async () => {
    const { settings } = await open();
    expect(await settings.getOrThrow('1')).toEqual(DEFAULTS);
    expect(await settings.rememberedOrThrow('1')).toEqual(DEFAULTS);
  });

  it('take effect immediately in all processes', async () => {
    const { store, logger, settings } = await open();
    const elsewhere = createGuildSettings({ store, logger });
    await elsewhere.getOrThrow('1');
    await settings.change('1', (now) => ({ ...now, dailyQuota: 1 }));
    expect((await elsewhere.getOrThrow('1')).dailyQuota).toBe(1);
  });

  it('can be read inside and outside a transaction at the same time', async () => {
    const { store, settings } = await open();
    const outside = new AsyncResource('autocomplete');
    let remembered: Promise<object> | undefined;
    const found = store.inGuild('1', async () => {
      await store.values.get('the connection is taken');
      // This read waits until the transaction has ended.
      remembered = outside.runInAsyncScope(() => settings.rememberedOrThrow('1'));
      return settings.getOrThrow('1');
    });
    expect(await found).toEqual(DEFAULTS);
    expect(await remembered).toEqual(DEFAULTS);
  });

  it('can be changed by several admins at the same time', async () => {
    const { settings } = await open();
    const add = (alias: string) =>
      settings.change('1', (now) => ({ ...now, games: [...(now.games ?? []), alias] }));
    await Promise.all(['a', 'b', 'c'].map(add));
    expect((await settings.getOrThrow('1')).games).toEqual(['a', 'b', 'c']);
    expect(await settings.getOrThrow('2')).toEqual(DEFAULTS);
  });

  it("aren't saved if they haven't changed", async () => {
    const { store, settings } = await open();
    expect(await settings.change('1', (now) => now)).toEqual(DEFAULTS);
    expect(await store.values.keys('settings:')).toEqual([]);
  });

  it.each([
    { locale: 'de', announce: 'yes' },
    { locale: 'de', announce: true, games: [] },
    { locale: 'de', announce: true, dailyQuota: 0 },
    { locale: 'de', announce: true, dailyQuota: 10_000 },
  ])('are reset on the next change if they are corrupted: %j', async (stored) => {
    const { store, settings, logger } = await open();
    await store.values.set('settings:1', stored);
    await expect(settings.getOrThrow('1')).rejects.toThrow(UnreadableSettingsError);
    await expect(settings.rememberedOrThrow('1')).rejects.toThrow(UnreadableSettingsError);
    expect(await settings.getOrUnreadable('1')).toBe('unreadable');
    expect(await logChannels(settings).channelOf('1')).toBeUndefined();
    expect(logger.lines).toMatchObject([{ level: 'error', details: { record: 'settings:1' } }]);
    // The guild may have blocks, which still have to hold.
    const expected = { ...DEFAULTS, announce: true, hasBlocks: true };
    expect(await settings.change('1', (now) => ({ ...now, announce: true }))).toEqual(expected);
    expect(await settings.getOrThrow('1')).toEqual(expected);
  });

  it('preserve fields added by a newer version of the bot', async () => {
    const { store, settings, logger } = await open();
    const ofTomorrow = { locale: 'de', announce: false, logTrouble: 'on-the-moon', motto: { de: 'Hallo' } };
    await store.values.set('settings:1', ofTomorrow);
    expect(await settings.getOrThrow('1')).toEqual({ locale: 'de', announce: false });
    await settings.change('1', (now) => ({ ...now, announce: true }));
    expect(await store.values.get('settings:1')).toEqual({
      locale: 'de',
      announce: true,
      motto: { de: 'Hallo' },
    });
    expect(logger.lines).toEqual([]);
  });

  it("can't be read or changed while the store is failing", async () => {
    const { store, settings } = await open();
    await store.stop();
    await expect(settings.getOrThrow('2')).rejects.toThrow(StoreError);
    await expect(settings.change('2', (now) => now)).rejects.toThrow(StoreError);
  });
});

describe('a problem with a log channel', () => {
  it('is stored only if the guild still uses that channel', async () => {
    const { store, settings } = await open();
    const { channelOf, setTrouble } = logChannels(settings);
    expect(await channelOf('1')).toBeUndefined();
    await settings.change('1', (now) => ({ ...now, logChannelId: '10', notifyRoleId: '7' }));
    await setTrouble('1', '10', 'gone');
    expect(await channelOf('1')).toEqual({ channelId: '10', trouble: 'gone', notifyRoleId: '7' });
    await setTrouble('1', '11', undefined);
    expect(await channelOf('1')).toMatchObject({ trouble: 'gone' });
    await setTrouble('1', '10', undefined);
    expect((await channelOf('1'))?.trouble).toBeUndefined();

    await store.values.delete('settings:1');
    await setTrouble('1', '10', 'no-access');
    expect(await store.values.keys('settings:')).toEqual([]);
  });
});
