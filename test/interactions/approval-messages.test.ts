import { expect, it } from 'vitest';
import type { ChannelPosts } from '../../src/discord/channel-posts.ts';
import { createGuildSettings, logChannels } from '../../src/guilds/settings.ts';
import { createApprovalMessages } from '../../src/interactions/approval-messages.ts';
import { KNOWN_GAMES } from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { createWords } from '../../src/words/words.ts';
import { partsOver, readyRow } from '../support/builders.ts';
import { newPlace } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const key = { guildId: '1', id: 'a' };
const mia = { guildId: '1', user: { id: '2', name: 'mia' } };

it('a message that is posted while another process withdraws its submission says so', async () => {
  const place = await newPlace('sqlite');
  let shown: string | undefined;
  async function open(owner: string, put: ChannelPosts['put']) {
    const logger = recorder();
    const store = await place.open();
    const { approvals, records } = partsOver(store, { owner });
    const settings = createGuildSettings({ store, logger });
    const messages = createApprovalMessages({
      ...logChannels(settings),
      ...createWords(),
      approvals,
      posts: { put },
      settings,
      games: indexGames(KNOWN_GAMES),
      logger,
    });
    return { store, approvals, records, settings, messages };
  }

  const isPosting = Promise.withResolvers<void>();
  const arrives = Promise.withResolvers<void>();
  const one = await open('one', async (_channelId, { content }) => {
    isPosting.resolve();
    await arrives.promise;
    shown = content;
    return { result: 'posted', messageId: '6' };
  });
  const other = await open('other', () => expect.unreachable('no process knows a message yet'));
  await one.settings.change('1', (now) => ({ ...now, approval: true, logChannelId: '5' }));
  const rows = [readyRow(1, 'a.example.com')];
  const draft = { source: 'options', rows, includesAlreadySubmitted: false } as const;
  await one.store.inGuild('1', () =>
    one.records.wait({ ...mia, id: 'a', interactionId: 'i1', draft, rows, limitedRows: [] }),
  );
  const showing = one.messages.show(key);
  await isPosting.promise;
  await other.approvals.withdraw(mia, 'a');
  await other.messages.show(key);
  arrives.resolve();
  await showing;
  expect(shown).toContain('Withdrawn');
});
