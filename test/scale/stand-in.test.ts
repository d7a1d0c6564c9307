import { expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { identified, nextInteraction, raw } from '../sandbox/discord/support/raw.ts';
import { TOKEN } from '../sandbox/discord/support/small-bot.ts';

it('the stand-in for Discord answers thousands of interactions, one after the other', async () => {
  const standIn = await startDiscord({ token: TOKEN });
  onTestFinished(() => standIn.close());
  const json = [{ name: 'read', description: 'Reads a file' }];
  await raw(standIn, `PUT /applications/${standIn.applicationId}/commands`, { json });
  const gateway = await identified(standIn);
  const [guild] = standIn.guilds;
  if (guild === undefined) throw new Error('no guild');
  const person = standIn.person({ guild, name: 'mason', permissions: 0n });
  for (let n = 0; n < 4_500; n += 1) {
    const answer = person.slash('read');
    const { id, token } = await nextInteraction(gateway);
    const json = { type: 4, data: { content: `${n}` } };
    await raw(standIn, `POST /interactions/${id}/${token}/callback`, { json });
    await answer;
  }
  expect(standIn.requests.length).toBeGreaterThanOrEqual(4_500);
  expect(standIn.breaches).toEqual([]);
}, 60_000);
