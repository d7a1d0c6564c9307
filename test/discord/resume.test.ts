import { ApplicationCommandType, type InteractionEditReplyOptions, type Message } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Command, Context } from '../../src/discord/command.ts';
import { button, createSignedIds, rows } from '../../src/discord/components/controls.ts';
import { createDeliveries } from '../../src/discord/deliver.ts';
import { createResume, type PastReplies, type Pending } from '../../src/discord/resume.ts';
import type { Remembered } from '../../src/discord/taken.ts';
import { createFailureWords, createTraces } from '../../src/discord/traces.ts';
import { Secret } from '../../src/secret.ts';
import { UserError } from '../../src/user-error.ts';
import { createWords } from '../../src/words/words.ts';
import { recorder } from '../storage/temporary.ts';

const { wordsFor } = createWords();
const NOW = 1_000_000_000;
const MINUTE = 60_000;

const interaction: Remembered = {
  interactionId: '1',
  guildId: '2',
  channelId: '3',
  user: { id: '7', name: 'mia' },
  permissions: '32',
  locale: 'en-US',
  guildLocale: 'en-US',
  token: new Secret('token'),
  shape: 'reply',
  isPrivate: true,
  work: { command: 'send', options: { what: 'it', times: 3 } },
};
const press: Remembered = {
  ...interaction,
  shape: 'update',
  work: { command: 'send', action: 'again', argument: 'x:y', values: ['v'] },
};

/** The interaction that the message was made for, and the button of its answer. */
const COMMAND = '10';
const ids = createSignedIds(new Secret('token of the bot'));
const AGAIN_ID = ids.seal('send:again:x', { guildId: '2', userId: '7' });

/** Resumes one interaction; what was run, edited, said beside it, told to the guild, and forgotten. */
type State = Awaited<ReturnType<PastReplies['state']>>;

async function resume(
  pending: Partial<Pending> = {},
  how: {
    state?: State;
    /** What Discord says when it is asked again. */
    later?: State;
    refuse?: boolean;
    discordFails?: boolean;
    /**
     * The member presses the answer's button: while the work runs, since the previous run had delivered it; or once it is
     * delivered, which Discord does not say.
     */
    presses?: 'while it runs' | 'while it is delivered';
  } = {},
) {
  const { state = 'thinking', later = state, refuse = false, discordFails = false } = how;
  const deliveries = createDeliveries();
  const seen = {
    ran: [] as unknown[],
    edited: [] as unknown[],
    beside: [] as string[],
    told: [] as string[],
    forgotten: [] as string[],
    paused: [] as number[],
  };
  const run = async (...input: readonly unknown[]) => {
    seen.ran.push(...input);
    if (how.presses === 'while it runs') deliveries.pressed(COMMAND, AGAIN_ID);
    if (refuse) throw new UserError('Refused.');
    return { content: 'Done.', components: rows([button('send:again:x', 'Again')]) };
  };
  const command: Command = {
    data: { type: ApplicationCommandType.ChatInput, name: 'send', description: 'Sends' },
    audience: 'member',
    resumes: true,
    run: ({ options, user, permissions }) =>
      run([
        options.getString('what'),
        options.getInteger('times'),
        options.getString('times'),
        options.getAttachment('what'),
        user.name,
        String(permissions.bitfield),
      ]),
    presses: {
      again: { answer: 'update', resumes: true, run: ({ argument, values }) => run([argument, ...values]) },
    },
    submits: {
      edit: {
        answer: 'update',
        resumes: true,
        run: ({ argument, field }) => run([argument, field('server'), field('left empty')]),
      },
      plain: { answer: 'update', run: () => run(['never']) },
    },
  };
  const logger = recorder();
  const traces = createTraces({ logger });
  const resume = createResume({
    deliveries,
    commands: new Map([['send', command]]),
    ids,
    stopping: new AbortController().signal,
    wording: { wordsFor, mention: (name) => `/${name}`, pages: () => undefined },
    memory: {
      remember: async () => true,
      forget: async ({ interactionId }) => void seen.forgotten.push(interactionId),
    },
    traces,
    words: createFailureWords({ traces, logger }),
    tellGuild: async (guildId, makeText) => void seen.told.push(`${guildId}: ${makeText(wordsFor('en-US'))}`),
    logger,
    now: () => NOW,
    pause: async (ms) => void seen.paused.push(ms),
  });
  let asked = 0;
  const replies: PastReplies = {
    owns: () => true,
    state: async () => {
      if (discordFails) throw new Error('Discord is down');
      asked += 1;
      return asked === 1 ? state : later;
    },
    message: async () =>
      ({ interactionMetadata: { id: COMMAND }, attachments: new Map() }) as unknown as Message,
    of: () => ({
      async editReply({ content }: InteractionEditReplyOptions) {
        seen.edited.push(content);
        if (how.presses !== 'while it is delivered') return;
        deliveries.pressed(COMMAND, AGAIN_ID);
        throw new Error('socket hang up');
      },
      followUp: async ({ content }) => void seen.beside.push(content),
    }),
  };
  await resume({ interaction, at: NOW - MINUTE, ...pending }, replies);
  return seen;
}

const report = () => 'It was sent.';

describe('an interaction that a previous run has left', () => {
  it('is done now with what it carried, when nothing had been done', async () => {
    const seen = await resume();
    expect(seen.ran).toEqual([['it', 3, null, null, 'mia', '32']]);
    expect(seen).toMatchObject({ edited: ['Done.'], told: [], forgotten: ['1'] });
    expect(await resume({ interaction: press })).toMatchObject({ ran: [['x:y', 'v']], edited: ['Done.'] });
  });

  it('is done now with what stood in the fields of a modal, where the modal submits', async () => {
    const fields = { server: 'a.example.com', port: '' };
    const submitted = (action: string): Remembered => ({
      ...press,
      work: { command: 'send', action, argument: 'x', fields },
    });
    expect(await resume({ interaction: submitted('edit') })).toMatchObject({
      ran: [['x', 'a.example.com', '']],
      edited: ['Done.'],
    });
    expect(await resume({ interaction: submitted('plain') })).toMatchObject({ ran: [] });
  });

  it('says the refusal in its answer, or beside the message that a button is on', async () => {
    expect(await resume({}, { refuse: true })).toMatchObject({ edited: ['Refused.'], beside: [] });
    expect(await resume({ interaction: press }, { refuse: true })).toMatchObject({
      edited: [],
      beside: ['Refused.'],
    });
  });

  it('is run also when something had been done, which it finds out by itself', async () => {
    const seen = await resume({ report });
    expect(seen).toMatchObject({ edited: ['Done.'], forgotten: ['1'] });
    expect(seen.ran).toHaveLength(1);
  });

  it('is done now when the clock was set back, as long as its answer can be edited', async () => {
    const past = { at: NOW + 60 * MINUTE };
    expect(await resume(past)).toMatchObject({ edited: ['Done.'], told: [], forgotten: ['1'] });
    expect(await resume(past, { state: 'gone' })).toMatchObject({ ran: [], edited: [], forgotten: ['1'] });
  });

  it.each([
    ['is 15 minutes old', { at: NOW - 15 * MINUTE }, {}],
    ['has no answer that could be edited', {}, { state: 'gone' as const }],
  ])('is not done any more when it %s: the guild is told', async (_what, pending, how) => {
    const nothing = await resume(pending, how);
    expect(nothing).toMatchObject({ ran: [], edited: [], forgotten: ['1'] });
    expect(nothing.told).toEqual([expect.stringMatching(/^2: .*mia made a submission.*was not sent/s)]);
    const done = await resume({ ...pending, report }, how);
    expect(done.told).toEqual([expect.stringMatching(/mia made a submission.*It was sent\./s)]);
  });

  it('asks to run again what submits nothing, or is no longer there', async () => {
    const { work: _, ...other } = interaction;
    expect((await resume({ interaction: other })).edited).toEqual([
      expect.stringContaining('run the command again'),
    ]);
    expect(await resume({ interaction: other, at: 0 })).toMatchObject({
      edited: [],
      told: [],
      forgotten: ['1'],
    });
    const gone = { ...interaction, work: { command: 'gone', options: {} } };
    expect((await resume({ interaction: gone })).edited).toEqual([
      expect.stringContaining('run the command again'),
    ]);
    const inherited = {
      ...press,
      work: { command: 'send', action: 'constructor', argument: '', values: [] },
    };
    expect((await resume({ interaction: inherited })).beside).toHaveLength(1);
  });

  it('stays as it is when Discord cannot be asked', async () => {
    expect(await resume({}, { discordFails: true })).toMatchObject({ ran: [], forgotten: [] });
  });

  it('waits for an acknowledgement that was still on its way when the process died', async () => {
    const seen = await resume({ at: NOW - 1000 }, { state: 'gone', later: 'thinking' });
    expect(seen).toMatchObject({ paused: [3000], edited: ['Done.'], told: [], forgotten: ['1'] });
    const old = await resume({ at: NOW - 5000 }, { state: 'gone', later: 'thinking' });
    expect(old).toMatchObject({ paused: [], edited: [], forgotten: ['1'] });
  });

  it('is not answered again once the member has pressed a button of the answer', async () => {
    for (const each of [press, { ...interaction, interactionId: COMMAND }]) {
      const answered = (presses: 'while it runs' | 'while it is delivered') =>
        resume({ interaction: each }, { presses });
      expect(await answered('while it runs')).toMatchObject({ edited: [], forgotten: [each.interactionId] });
      expect(await answered('while it is delivered')).toMatchObject({
        ...{ edited: ['Done.'], forgotten: [each.interactionId] },
      });
    }
  });

  it('is told to the guild in its language, whatever the member speaks', async () => {
    const german = { interaction: { ...interaction, locale: 'de' } };
    const said = ({ t }: Context) => t('resume.one.not-sent');
    for (const pending of [german, { ...german, report: said }]) {
      const { told } = await resume(pending, { state: 'gone' });
      expect(told).toEqual([expect.stringMatching(/mia made a submission.*not sent/is)]);
    }
  });

  it('leaves an answer alone that the member was given just before the crash', async () => {
    expect(await resume({}, { state: 'answered' })).toMatchObject({ ran: [], edited: [], forgotten: ['1'] });
  });
});
