import { type APIInteractionResponse, ApplicationCommandType, InteractionResponseType } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import type { Command, Reply } from '../../src/interactions/command.ts';
import { button, customId, rows } from '../../src/interactions/controls.ts';
import { replacedBy, sendingResponse } from '../../src/interactions/deliver.ts';
import { type Interaction, readInteraction } from '../../src/interactions/interaction.ts';
import { createUnderWay } from '../../src/interactions/under-way.ts';
import { messageOf, textOf } from '../support/bot.ts';
import { bytesOnDisk, rowsIn } from '../support/database.ts';
import { createTestClock, turnsDuring } from '../support/machine.ts';
import { startSmallBot } from '../support/small-bot.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const REPORT = { reportOf: async () => ({ content: '2 accepted, 1 unconfirmed' }) };

const work: Command = {
  data: { type: ApplicationCommandType.ChatInput, name: 'work', description: 'Works' },
  answers: 'immediate',
  run: async () => ({ content: 'preview', components: rows([button(customId('work', 'go'), 'Go')]) }),
  presses: { go: { answers: 'update', run: async () => ({ content: 'gone on' }) } },
};

/** Creates a bot and its recorded interactions. `restarted` creates another bot with the same store. */
async function open() {
  const bot = await startSmallBot([work]);
  onTestFinished(bot.stop);

  /** Sends an interaction to which only this test responds. @returns the interaction and its reply */
  async function asked(act: () => Promise<Answer>) {
    const caught = Promise.withResolvers<Interaction>();
    bot.discord.gateway.disturbDispatch({
      alter(payload) {
        caught.resolve(readInteraction(payload, Date.now()));
        // The bot can't respond without a token.
        return {};
      },
    });
    const answer = act();
    const interaction = await caught.promise;
    bot.discord.gateway.disturbDispatch({});
    return { interaction, answer };
  }

  const acknowledge = (interaction: Interaction) =>
    bot.api.respond(interaction, { type: InteractionResponseType.DeferredChannelMessageWithSource });

  /** Simulates a command that the bot acknowledged before it crashed. */
  async function left() {
    const person = bot.person();
    const { interaction, answer } = await asked(() => person.slash('work'));
    await bot.restarted().interactionStore.record(interaction);
    await acknowledge(interaction);
    return { interaction, answer };
  }

  /**
   * Simulates a press that the bot acknowledged before it crashed. The reply edits the button's message.
   * @param customId the custom id of the command's button by default
   */
  async function leftUpdate(
    response: APIInteractionResponse = { type: InteractionResponseType.DeferredMessageUpdate },
    customId?: string,
  ) {
    const person = bot.person();
    const message = messageOf(await person.slash('work'));
    const { interaction } = await asked(() => person.press(message, 'Go'));
    const request = { ...interaction.request, ...(customId !== undefined && { customId }) };
    await bot.restarted().interactionStore.record({ ...interaction, request }, replacedBy(interaction));
    const { components } = message.current;
    await bot.api.respond(interaction, response);
    return { message, person, components };
  }

  const stored = async () => {
    const all = await rowsIn(bot.store, 'interactions');
    return all.map(({ encrypted }) => (encrypted === null ? 'answered' : 'open'));
  };

  return { bot, asked, acknowledge, left, leftUpdate, stored };
}

describe('after a restart', () => {
  it('the member receives the outcome of an interrupted submission', async () => {
    const { bot, left, stored } = await open();
    const { answer } = await left();
    await bot.restarted(REPORT).takeOver();
    expect(textOf(await answer)).toContain('2 accepted, 1 unconfirmed');
    await expect.poll(stored).toEqual(['answered']);
    const sent = bot.sending();
    await bot.restarted(REPORT).takeOver();
    expect(sent()).toEqual([]);
  });

  it("the bot doesn't edit a reply that has already been delivered", async () => {
    const { bot, left, stored } = await open();
    const { interaction, answer } = await left();
    await bot.api.edit(interaction, { body: { content: 'done' }, files: [] });
    await bot.restarted(REPORT).takeOver();
    await expect.poll(stored).toEqual(['answered']);
    expect(textOf(await answer)).toMatch(/done$/);
  });

  it('the bot retries an edit that was interrupted by a second crash', async () => {
    const { bot, leftUpdate, stored } = await open();
    const { message } = await leftUpdate();
    const sent = bot.sending();
    bot.discord.faults.inject({ fault: { kind: 'status', status: 503 }, method: 'PATCH' });
    await bot.restarted(REPORT).takeOver();
    await expect.poll(sent).toContain('PATCH');
    expect(await stored()).toEqual(['open']);
    await bot.restarted({ ...REPORT, underWay: createUnderWay() }).takeOver();
    await expect.poll(() => message.current?.content).toBe('2 accepted, 1 unconfirmed');
    await expect.poll(stored).toEqual(['answered']);
  });

  it("a reply that Discord rejects appears in the guild's log channel", async () => {
    const { bot, leftUpdate, stored } = await open();
    await leftUpdate();
    bot.discord.faults.inject({ fault: { kind: 'status', status: 404 }, method: 'PATCH' });
    await bot.restarted(REPORT).takeOver();
    await expect.poll(() => bot.guildLog).toHaveLength(1);
    expect(await stored()).toEqual(['answered']);
  });

  it('the bot waits for work in progress before notifying the member', async () => {
    const { bot, asked, acknowledge, stored } = await open();
    const { interaction, answer } = await asked(() => bot.person().slash('work'));
    const { interactionStore, takeOver, underWay } = bot.restarted(REPORT);
    await interactionStore.record(interaction);
    await acknowledge(interaction);
    const sent = bot.sending();
    underWay.begin(interaction.id, interaction.id);
    await takeOver();
    expect(sent()).toEqual([]);
    underWay.end(interaction.id);
    await takeOver();
    expect(textOf(await answer)).toContain('2 accepted, 1 unconfirmed');
    await expect.poll(stored).toEqual(['answered']);
  });

  it("a resumed process doesn't repeat another process's reply", async () => {
    const { bot, left, stored } = await open();
    const { interaction, answer } = await left();
    const underWay = createUnderWay();
    const reported = Promise.withResolvers<Reply>();
    let isReporting = false;
    const reportOf = () => {
      isReporting = true;
      return reported.promise;
    };
    await bot.restarted({ reportOf, underWay }).takeOver();
    await expect.poll(() => isReporting).toBe(true);
    await bot.restarted({ ...REPORT, underWay: createUnderWay() }).takeOver();
    await expect.poll(stored).toEqual(['answered']);
    const sent = bot.sending();
    reported.resolve({ content: 'late' });
    await expect.poll(() => underWay.has(interaction.id)).toBe(false);
    expect(sent()).toEqual([]);
    expect(textOf(await answer)).toContain('2 accepted, 1 unconfirmed');
  });

  it("a process doesn't post a log channel entry that another has already posted", async () => {
    const { bot, asked, stored } = await open();
    const { interaction } = await asked(() => bot.person().slash('work'));
    await bot.restarted().interactionStore.record(interaction);
    const underWay = createUnderWay();
    const pause = async () => {
      await bot.restarted({ ...REPORT, underWay: createUnderWay(), pause: async () => undefined }).takeOver();
      await expect.poll(stored).toEqual(['answered']);
    };
    await bot.restarted({ ...REPORT, underWay, pause }).takeOver();
    await expect.poll(() => underWay.has(interaction.id)).toBe(false);
    expect(bot.guildLog).toHaveLength(1);
  });

  it("a message's buttons don't work until the message shows the outcome", async () => {
    const { bot, leftUpdate } = await open();
    const { message, person } = await leftUpdate();
    const reported = Promise.withResolvers<Reply>();
    await bot.restarted({ reportOf: () => reported.promise }).takeOver();
    expect(textOf(await person.press(message, 'Go'))).toContain('still working');
    reported.resolve({ content: '2 accepted, 1 unconfirmed' });
    await expect.poll(() => message.current?.content).toBe('2 accepted, 1 unconfirmed');
  });

  it('the bot restores a message and its buttons if there is no outcome to show', async () => {
    const { bot, leftUpdate } = await open();
    const { message, components } = await leftUpdate(sendingResponse('Sending…'));
    expect(message.current.components).toEqual([]);
    await bot.restarted().takeOver();
    await expect.poll(() => message.current.content).toContain('The bot was interrupted before');
    expect(message.current.components).toEqual(components);
  });

  it.each([
    'refuse',
    'correct',
  ])('a moderator is told that an interrupted modal had no effect: %s', async (action) => {
    const { bot, leftUpdate } = await open();
    const deferred = { type: InteractionResponseType.DeferredMessageUpdate } as const;
    const { message } = await leftUpdate(deferred, `submissions:${action}:draft:submission`);
    await bot.restarted().takeOver();
    await expect.poll(() => message.current.content).toContain('so nothing was approved or declined');
    expect(message.current.content).not.toContain('nothing was submitted');
  });

  it('the bot waits until an earlier acknowledgement reaches Discord, even if the clock was set meanwhile', async () => {
    const clock = createTestClock();
    const { bot, asked, acknowledge } = await open();
    const { interaction, answer } = await asked(() => bot.person().slash('work'));
    await bot.restarted().interactionStore.record(interaction);
    clock.set(HOUR_MS);
    const pauses: number[] = [];
    const pause = async (ms: number) => {
      pauses.push(ms);
      await acknowledge(interaction);
    };
    await bot.restarted({ ...REPORT, pause }).takeOver();
    expect(textOf(await answer)).toContain('2 accepted');
    expect(pauses).toEqual([4_000]);
  });

  it.each([
    ['reports a submission in the guild’s log', REPORT, [/mia.*\n2 accepted, 1 unconfirmed/]],
    ["doesn't report other commands", {}, []],
  ])('if the bot can no longer reply, it %s', async (_what, deps, lines) => {
    const { bot, left, stored } = await open();
    await left();
    const sent = bot.sending();
    bot.discord.clock.advance(16 * 60_000);
    await bot.restarted(deps).takeOver();
    await expect.poll(stored).toEqual(['answered']);
    expect(bot.guildLog).toEqual(lines.map((line) => expect.stringMatching(line)));
    expect(new Set(sent())).toEqual(new Set(['GET']));
  });

  it("the bot reports an expired interaction in the guild's log channel", async () => {
    const { bot, asked } = await open();
    const { interaction } = await asked(() => bot.person().slash('work'));
    await bot.restarted().interactionStore.record(interaction);
    await bot.restarted(REPORT).takeOver();
    await expect.poll(() => bot.guildLog).toHaveLength(1);
  });

  it("the bot logs an interaction that it can't decrypt", async () => {
    const { bot, left } = await open();
    await left();
    await bot.store.tables().updateTable('interactions').set({ encrypted: 'held' }).execute();
    const { answer } = await left();
    await bot.restarted().takeOver();
    expect(textOf(await answer)).toContain('Please try again.');
    const unreadable = bot.log.find(({ message }) => message.includes('could not read a stored interaction'));
    // The error's message would quote the stored text.
    expect(unreadable?.details).not.toHaveProperty('err');
    expect(unreadable?.level).toBe('error');
  });
});

describe('a stored interaction', () => {
  it('is encrypted on disk and cleared after the reply', async () => {
    const { bot, left, stored } = await open();
    const { interaction } = await left();
    const bytes = bytesOnDisk(bot.path);
    expect(bytes).toContain(interaction.id);
    expect(bytes).not.toContain(interaction.token.reveal());
    expect(bytes).not.toContain(interaction.user.id);
    await bot.restarted().interactionStore.markReplied(interaction.id);
    expect(await stored()).toEqual(['answered']);
  });

  it('edits a message only after earlier interactions have finished', async () => {
    const { bot, left } = await open();
    const { interaction: first } = await left();
    const { interaction: second } = await left();
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
      if (pauses === 2) await bot.restarted().interactionStore.markReplied(first.id);
    };
    const set = { message_key: 'message' };
    await bot.store.tables().updateTable('interactions').set(set).execute();
    const { isLatest } = bot.restarted({ pause }).editOrder;
    expect(await isLatest(second.id, 'message')).toBe(true);
    expect(pauses).toBe(2);
    expect(await isLatest(first.id, 'message')).toBe(false);
  });

  it("can't edit a message once a later interaction has claimed it", async () => {
    const { bot, asked, left } = await open();
    const { interaction } = await left();
    const { interaction: later } = await asked(() => bot.person().slash('work'));
    const { claim, claimImmediately, isLatest } = bot.restarted().editOrder;
    await claim(interaction.id, 'message');
    expect(await isLatest(interaction.id, 'message')).toBe(true);
    await claimImmediately(later, 'message');
    expect(await isLatest(interaction.id, 'message')).toBe(false);
  });

  it('is accepted only once, even if Discord redelivers it after the reply', async () => {
    const { bot, left } = await open();
    const { interaction } = await left();
    const { markReplied, record } = bot.restarted().interactionStore;
    await expect(record(interaction)).rejects.toThrow('delivered twice');
    await markReplied(interaction.id);
    await expect(record(interaction)).rejects.toThrow('delivered twice');
  });

  it('is deleted an hour after its reply, or after 30 days without one', async () => {
    const { bot, left, stored } = await open();
    const { interaction } = await left();
    await left();
    const { markReplied } = bot.restarted().interactionStore;
    await markReplied(interaction.id);
    const clock = createTestClock();
    let passedMs = 0;
    const pruneIn = async (ms: number) => {
      clock.advance(ms - passedMs);
      passedMs = ms;
      await bot.restarted().interactionStore.prune();
      return stored();
    };
    expect(await pruneIn(HOUR_MS - 60_000)).toEqual(['answered', 'open']);
    expect(await pruneIn(HOUR_MS)).toEqual(['open']);
    expect(await pruneIn(30 * DAY_MS - HOUR_MS)).toEqual(['open']);
    expect(await pruneIn(30 * DAY_MS)).toEqual([]);
  });

  it('is pruned without blocking other work', async () => {
    const { bot, stored } = await open();
    const answered = Array.from({ length: 1_200 }, (_, n) => ({
      id: String(n),
      guild_id: '1',
      process_id: 'x',
      taken_at: 1,
    }));
    await bot.store.tables().insertInto('interactions').values(answered).execute();
    expect(await turnsDuring(bot.restarted().interactionStore.prune)).toBeGreaterThanOrEqual(2);
    expect(await stored()).toEqual([]);
  });
});
