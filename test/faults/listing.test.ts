import { expect } from 'vitest';
import { botTest, textOf } from '../support/bot.ts';
import { addServer } from '../support/people.ts';
import { isAccepted } from './submission.ts';

/* test/listing/client.test.ts covers every way in which the service can fail. This test covers the configured timeout. */

const it = botTest({ env: { LISTING_API_TIMEOUT_MS: '1500' } });

it('a server is marked as unconfirmed if the service responds too late', async ({
  bot,
  guild,
  member,
  listing,
}) => {
  await listing.behave({ kind: 'slow', ms: 3_000 }, 1);
  expect(textOf(await addServer(member, 'slow.example.com:27015'))).toMatch(
    /❓ Unconfirmed\. The listing service didn't respond in time\. It may have arrived\. Ask an admin to check the listing service's site/,
  );
  await isAccepted({ bot, guild }, 'next.example.com');
});
