import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { setKey } from '../../commands/setkey.ts';
import { StoreError } from '../../src/storage/store.ts';
import { createWords } from '../../src/words/words.ts';

const { wordsFor } = createWords();

describe('/setkey', () => {
  it('says that the key is saved, also where the store fails as soon as it is', async () => {
    const kept: string[] = [];
    const command = setKey({
      keyTrials: { run: async () => ({ kind: 'games', games: [] }) },
      games: { accept: async () => undefined },
      keys: { get: async () => undefined, set: async (_, key) => void kept.push(key.reveal()) },
      guildLog: { tell: async () => undefined },
      settings: { get: () => Promise.reject(new StoreError('cannot read settings')) },
      addBotLink: async () => undefined,
    });
    const reply = await command.submits?.save?.run({
      ...{ interactionId: '1', guildId: '2', channelId: '3', user: { id: '4', name: 'mia' } },
      permissions: new PermissionsBitField(PermissionFlagsBits.ManageGuild),
      ...{ locale: 'en-US', guildLocale: 'en-US', receivedAt: Date.now(), isAdmin: true },
      ...{ t: wordsFor('en-US'), guildT: wordsFor('en-US'), mention: (name: string) => `/${name}` },
      ...{ pages: () => undefined, argument: '', field: () => 'a-key-of-some-length' },
    });
    expect(kept).toEqual(['a-key-of-some-length']);
    expect(reply?.content).toContain('works and is saved');
  });
});
