import type { APIMessage } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, SeenMessage } from '../../src/sandbox/contract.ts';
import { messageOf, openScene, type Scene, textOf } from '../support/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene({ key: 'sandbox-key' });
});
afterAll(() => scene.close());

const REFUSED = 'This button or form belongs to another member or server, or is too old.';

/** The custom ids of a message's buttons, by label. */
function idsOf(answer: Answer): Readonly<Record<string, string>> {
  const rows = (messageOf(answer).current?.components ?? []) as { components: object[] }[];
  const buttons = rows.flatMap(({ components }) => components);
  return Object.fromEntries(
    buttons.map((button) => [String(Object(button).label), String(Object(button).custom_id)]),
  );
}

/** A message of the bot that everyone sees, with a button under any custom id. */
async function post(guild: number, customId: string): Promise<SeenMessage> {
  const channelId = scene.discord.guilds[guild]?.channelId ?? '';
  const response = await fetch(`${scene.discord.apiUrl}/v10/channels/${channelId}/messages`, {
    method: 'POST',
    headers: {
      'user-agent': 'DiscordBot (https://example.org, 1.0)',
      authorization: `Bot ${scene.token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      content: 'forged',
      components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Go', custom_id: customId }] }],
    }),
  });
  const { id } = (await response.json()) as APIMessage;
  const message = scene.discord.messages({ channelId }).find((seen) => seen.id === id);
  if (message === undefined) throw new Error(`not posted: ${response.status}`);
  return message;
}

describe('a button', () => {
  it('works for the member who was given it, over a restart too', async () => {
    const page = messageOf(await scene.member.slash('games'));
    expect(textOf(await scene.member.press(page, 'Next'))).toContain('Page 2');
    await scene.restart();
    expect(textOf(await scene.member.press(page, 'Previous'))).toContain('Page 1');
  });

  it('is refused to another member, in another server, and when its custom id was altered', async () => {
    const { Next: id = '' } = idsOf(await scene.member.slash('games'));
    expect(textOf(await scene.member.press(await post(0, id), 'Go'))).toContain('Page 2');

    expect(textOf(await scene.person({ role: 'other' }).press(await post(0, id), 'Go'))).toContain(REFUSED);
    const elsewhere = scene.person({ role: 'member', guild: 1 });
    expect(textOf(await elsewhere.press(await post(1, id), 'Go'))).toContain(REFUSED);
    const altered = id.replace('page:2', 'page:1');
    expect(altered).not.toBe(id);
    expect(textOf(await scene.member.press(await post(0, altered), 'Go'))).toContain(REFUSED);
    expect(textOf(await scene.member.press(await post(0, 'games:page:1:'), 'Go'))).toContain(REFUSED);
  });
});
