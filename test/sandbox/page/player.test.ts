import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createActs } from '../../../sandbox/page/acts.ts';
import { createPlayer } from '../../../sandbox/page/player.ts';
import { createViews } from '../../../sandbox/page/view.ts';
import { openSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';

const SCENARIO = 'wrong-first-try';

describe('the scenario player', () => {
  let sandbox: Sandbox;
  let player: ReturnType<typeof createPlayer>;
  let acts: ReturnType<typeof createActs>;
  beforeAll(async () => {
    sandbox = await openSandbox({ surroundings: process.env });
    player = createPlayer({ sandbox, onChange: () => undefined });
    acts = createActs({ sandbox, views: createViews(sandbox), player });
  });
  afterAll(() => sandbox.close());

  const step = () => player.current?.step;
  const seat = () => player.current?.seat ?? { role: 'member', guild: '', channel: '', locale: 'en-US' };
  const messages = () => {
    const { userId, channelId } = sandbox.people.at(createViews(sandbox).place(seat()));
    return sandbox.discord.messages({ userId, channelId });
  };

  /** Plays the scenario until its second step, which marks a button. */
  async function playToButton(): Promise<string> {
    player.play(SCENARIO, 'en-US');
    await expect.poll(step).toBe(1);
    player.next();
    await expect.poll(() => player.current?.target).toBeDefined();
    return player.current?.target ?? '';
  }

  it('continues when the highlighted button is pressed', async () => {
    const button = await playToButton();
    const message = messages().at(-1)?.id ?? '';
    expect(await acts.run({ do: 'press', message, button }, seat())).toEqual({ kind: 'done' });
    await expect.poll(step).toBe(3);
    expect(sandbox.listing.submitted).toHaveLength(1);
    player.next();
    await expect.poll(() => player.current?.state).toBe('over');
  });

  it('shows why a scenario failed and can replay it', async () => {
    const button = await playToButton();
    const { length } = sandbox.discord.guilds;
    const [message] = messages().slice(-1);
    const me = sandbox.people.at(createViews(sandbox).place(seat()));
    if (message !== undefined) await me.press(message, button);
    player.next();
    await expect.poll(() => player.current?.state).toBe('failed');
    expect(player.current).toMatchObject({
      caption: 'Something unexpected happened',
      cause: expect.stringContaining(button),
    });
    await playToButton();
    expect(sandbox.discord.guilds).toHaveLength(length);
    player.leave(true);
    expect(player.current?.state).toBe('left');
    expect(sandbox.discord.guilds).toHaveLength(length);
  });

  it("removes a scenario's Discord server when the user leaves", async () => {
    await playToButton();
    const { guild } = seat();
    const isThere = () => sandbox.discord.guilds.some(({ id }) => id === guild);
    expect(isThere()).toBe(true);
    player.leave(false);
    await expect.poll(isThere).toBe(false);
  });
});
