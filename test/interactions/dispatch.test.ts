import { DatabaseSync } from 'node:sqlite';
import { ApplicationCommandOptionType, ApplicationCommandType, PermissionFlagsBits } from 'discord.js';
import fc from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { rowsOf } from '../../sandbox/discord/client/components.ts';
import type { Answer } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { LostInteractionError } from '../../src/discord/api.ts';
import type { Command, Press } from '../../src/interactions/command.ts';
import { button, customId, modal, rows, select } from '../../src/interactions/controls.ts';
import type { InteractionOutcome } from '../../src/interactions/traces.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { ANSWER_WITHIN_MS, messageOf, modalOf, textOf } from '../support/bot.ts';
import { startSmallBot } from '../support/small-bot.ts';

const string = { type: ApplicationCommandOptionType.String as const, description: 'A text' };
const refuse = async () => {
  throw new UserError('Not like this.');
};

const admin = {
  answers: 'later',
  permission: 'manage-guild',
  run: async () => ({ content: 'as you wish' }),
} as const;

const presses: Record<string, Press> = {
  now: { answers: 'immediate', run: async ({ argument }) => ({ content: `now ${argument}` }) },
  soon: {
    answers: 'later',
    run: async () => ({
      content: 'soon @everyone',
      announcement: () => ({ content: 'mia has done it', embed: { title: 'it' } }),
    }),
  },
  swap: { answers: 'update', run: async () => ({ content: 'swapped' }) },
  flip: { answers: 'immediate update', run: async () => ({ content: 'flipped' }) },
  ask: {
    answers: 'modal',
    run: async ({ argument }) =>
      modal({
        id: customId('echo', 'asked', argument),
        title: 'A question',
        fields: [{ id: 'text', label: 'Text', hint: 'Any', maxLength: 100 }],
      }),
  },
  closed: { answers: 'modal', run: refuse },
  refuse: { answers: 'update', run: refuse },
  send: {
    answers: 'sending',
    async run() {
      await sending();
      return { content: 'sent' };
    },
  },
  half: {
    answers: 'update',
    async run({ progress }) {
      await meanwhile();
      progress({ content: 'half' });
      return { content: 'whole' };
    },
  },
  admin,
  pick: { answers: 'immediate', run: async ({ values }) => ({ content: `picked ${values.join()}` }) },
};

const controls = () => {
  const [first, second] = [
    ['now', 'soon', 'swap', 'flip', 'half'],
    ['ask', 'closed', 'refuse', 'admin', 'send'],
  ].map((actions) => actions.map((action) => button(customId('echo', action, 'a:b'), action)));
  const options = ['red', 'blue'].map((value) => ({ label: value, value }));
  return rows(first ?? [], second ?? [], [
    select({ id: customId('echo', 'pick'), placeholder: 'Colours', options, minChosen: 0 }),
  ]);
};

/** Returns the labels of all buttons, row by row. */
const labelsIn = (components: SeenMessage['current']['components']) =>
  rowsOf({ components: components ?? [] }).map((row) =>
    row.map((control) => ('label' in control ? control.label : control.type)),
  );

/** Counts the interactions with this outcome. */
const ended = (outcome: InteractionOutcome) =>
  bot.log.filter(({ details }) => Object(details).outcome === outcome).length;

/** Called while /echo's button is sending something. */
let sending: () => Promise<unknown> = async () => undefined;

/** Called while /echo is running. */
let meanwhile: () => Promise<unknown> = async () => undefined;

const echo: Command = {
  data: {
    type: ApplicationCommandType.ChatInput,
    name: 'echo',
    description: 'Says what reached it',
    options: [{ ...string, name: 'what', autocomplete: true, required: true }],
  },
  answers: ({ field }) => (field('what') === 'later' ? 'later' : 'immediate'),
  async run({ field }) {
    const what = field('what');
    await meanwhile();
    if (what === 'refuse') return refuse();
    if (what === 'fail') throw new Error('a secret of the code');
    return { content: `said: ${what}`, components: controls() };
  },
  async complete(_context, typed, option) {
    if (typed === 'fail') throw new Error('no choices today');
    return [{ name: `${option}: ${typed}!`, value: 'v' }];
  },
  presses,
  submits: {
    admin,
    asked: {
      answers: 'later',
      run: async ({ argument, field }) => ({ content: `${argument} ${field('text')}${field('toString')}` }),
    },
  },
};

const manage: Command = {
  data: {
    type: ApplicationCommandType.ChatInput,
    name: 'manage',
    description: 'For admins',
    options: [{ ...string, name: 'what', autocomplete: true }],
  },
  answers: 'later',
  permission: 'manage-guild',
  run: async () => ({ content: 'managed' }),
  complete: async () => [{ name: 'a secret', value: 'a secret' }],
};

const read: Command = {
  data: { type: ApplicationCommandType.Message, name: 'Read' },
  answers: 'later',
  useOn: async ({ text }) => ({ content: `read: ${text}` }),
};

const bot = await startSmallBot([echo, manage, read]);
const member = bot.person();
afterAll(async () => {
  expect(bot.discord.breaches).toEqual([]);
  await bot.stop();
});

type Json = Record<string, unknown>;
type Alter = (payload: Json) => object;

/** Runs an action while Discord sends modified interactions. */
async function altered<Result>(alter: Alter, act: () => Promise<Result>): Promise<Result> {
  bot.discord.gateway.disturbDispatch({ alter: (payload) => alter(payload as Json) });
  try {
    return await act();
  } finally {
    bot.discord.gateway.disturbDispatch({});
  }
}
const withData =
  (data: object): Alter =>
  (payload) => ({ ...payload, data: { ...Object(payload.data), ...data } });
const withPermissions =
  (permissions: string): Alter =>
  (payload) => ({ ...payload, member: { ...Object(payload.member), permissions } });

const say = (what: string) => member.slash('echo', { what });
const echoed = async (): Promise<SeenMessage> => messageOf(await say('x'));
const complete = (what: string) => member.complete('echo', 'what', { what });
const contentOf = ({ current }: SeenMessage) => current?.content;
/** Returns the content of the channel's messages that a user can see, or that everyone can see. */
const seenBy = (who: { readonly userId?: string } = {}) =>
  bot.discord.messages({ ...who, channelId: member.channelId }).map(contentOf);
const recorded = async () => {
  const all = await bot.store.tables().selectFrom('interactions').select('encrypted').execute();
  return { rows: all.length, open: all.filter(({ encrypted }) => encrypted !== null).length };
};

/** Makes another process take over an interaction while its command is running. */
function anotherTakesOver(): void {
  const taken = { process_id: 'another', encrypted: null };
  meanwhile = () => bot.store.tables().updateTable('interactions').set(taken).execute();
  onTestFinished(() => {
    meanwhile = async () => undefined;
  });
}

describe('an interaction', () => {
  it('gets a single response if it only reads data', async () => {
    const before = await recorded();
    const sent = bot.sending();
    expect(await echoed()).toMatchObject({ ephemeral: true, current: { content: 'said: x' } });
    expect(sent()).toEqual(['callback']);
    expect(await recorded()).toEqual(before);
  });

  it('is recorded if it submits servers', async () => {
    const { rows, open } = await recorded();
    const sent = bot.sending();
    expect(await say('later')).toMatchObject({ message: { ephemeral: true } });
    expect(sent()).toEqual(['callback', 'PATCH']);
    expect(open).toBe(0);
    await expect.poll(recorded).toEqual({ rows: rows + 1, open: 0 });
  });

  it("doesn't get a reply from a process that no longer owns it", async () => {
    anotherTakesOver();
    const sent = bot.sending();
    void say('later');
    await expect.poll(() => bot.log.at(-1)?.details).toMatchObject({ outcome: 'lost' });
    expect(sent()).toEqual(['callback']);
  });

  it("doesn't get a reply if its handler finds that another process took over", async () => {
    const sent = bot.sending();
    meanwhile = async () => {
      throw new LostInteractionError('taken over');
    };
    onTestFinished(() => {
      meanwhile = async () => undefined;
    });
    const before = ended('lost');
    void say('later');
    await expect.poll(() => ended('lost')).toBe(before + 1);
    expect(sent()).toEqual(['callback']);
  });

  it("isn't logged as failed if Discord might have opened its modal", async () => {
    const message = messageOf(await say('it'));
    bot.discord.faults.inject({ fault: { kind: 'status', status: 503 }, path: /callback/, times: 2 });
    const before = [ended('failed'), ended('unanswered')];
    void member.press(message, 'ask');
    await expect.poll(() => [ended('failed'), ended('unanswered')]).not.toEqual(before);
    expect(ended('failed')).toBe(before[0]);
  });

  it('stops showing progress once another process has taken over', async () => {
    const message = messageOf(await say('it'));
    anotherTakesOver();
    const sent = bot.sending();
    const before = ended('lost');
    void member.press(message, 'half');
    await expect.poll(() => ended('lost')).toBe(before + 1);
    expect(sent()).toEqual(['callback']);
  });

  it('gets another reply later if Discord rejects the first one', async () => {
    const { rows } = await recorded();
    bot.discord.faults.inject({ fault: { kind: 'status', status: 404 }, method: 'PATCH' });
    const before = ended('undelivered');
    const answer = say('later');
    await expect.poll(() => ended('undelivered')).toBe(before + 1);
    expect(await recorded()).toEqual({ rows: rows + 1, open: 1 });
    await bot.takeOver();
    expect(textOf(await answer)).toContain('The bot was interrupted');
    await expect.poll(recorded).toEqual({ rows: rows + 1, open: 0 });
  });

  it('gets an error message if it fails', async () => {
    expect(textOf(await say('refuse'))).toContain('Not like this.');
    const failed = textOf(await say('fail'));
    expect(failed).toContain('Something went wrong');
    expect(failed).not.toContain('secret');
    const { details } = bot.log.findLast(({ level }) => level === 'error') ?? {};
    expect(failed).toContain(Object(details).reference);
    expect(String(Object(details).err)).toContain('a secret of the code');
  });

  it("only gets an error message if it can't be recorded", async () => {
    const database = new DatabaseSync(bot.path);
    database.exec(
      "CREATE TRIGGER broken BEFORE INSERT ON interactions BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    onTestFinished(() => {
      database.exec('DROP TRIGGER broken');
      database.close();
    });
    const sent = bot.sending();
    const before = ended('failed');
    expect(textOf(await say('later'))).toContain("can't reach its database");
    await expect.poll(() => ended('failed')).toBe(before + 1);
    expect(sent()).toEqual(['callback']);
  });
});

describe('an option with autocomplete', () => {
  it('offers choices for the text typed so far', async () => {
    expect(await complete('ab')).toEqual([{ name: 'what: ab!', value: 'v' }]);
  });

  it("doesn't offer any choices if its command fails or isn't allowed", async () => {
    expect(await complete('fail')).toEqual([]);
    expect(await altered(withData({ name: 'gone' }), () => complete('ab'))).toEqual([]);
    const ada = bot.person({ permissions: PermissionFlagsBits.ManageGuild });
    const secrets = () => ada.complete('manage', 'what', { what: 'a' });
    expect(await secrets()).toHaveLength(1);
    expect(await altered(withPermissions('0'), secrets)).toEqual([]);
  });
});

describe('a button press', () => {
  it("passes the button's argument to the handler", async () => {
    const message = await echoed();
    const sent = bot.sending();
    expect(textOf(await member.press(message, 'now'))).toContain('now a:b');
    expect(sent()).toEqual(['callback']);
    expect(contentOf(message)).toBe('said: x');
  });

  it('also posts an announcement if the reply includes one', async () => {
    expect(await member.press(await echoed(), 'soon')).toMatchObject({ message: { ephemeral: true } });
    await expect.poll(() => seenBy()).toContain('mia has done it');
  });

  it.each([
    ['swap', 'swapped', ['callback', 'PATCH']],
    ['flip', 'flipped', ['callback']],
  ])("replaces the button's message (%s)", async (label, content, requests) => {
    const message = await echoed();
    const sent = bot.sending();
    expect(messageOf(await member.press(message, label)).id).toBe(message.id);
    expect(message.current).toMatchObject({ content, components: [] });
    expect(sent()).toEqual(requests);
  });

  it("can't be repeated while servers are being submitted", async () => {
    const message = await echoed();
    const sent = Promise.withResolvers<void>();
    sending = () => sent.promise;
    const pressed = member.press(message, 'send');
    await expect.poll(() => contentOf(message)).toBe('Sending…');
    expect(message.current.components).toEqual([]);
    sent.resolve();
    expect(messageOf(await pressed).current).toMatchObject({ content: 'sent' });
  });

  it.each(['refuse', 'send'])('restores the message and adds the reason if it fails (%s)', async (label) => {
    sending = refuse;
    const message = await echoed();
    const { components } = message.current;
    for (let time = 0; time < 2; time += 1) {
      await member.press(message, label);
      expect(contentOf(message)).toMatch(/^Not like this\.\n.*\nsaid: x$/);
      expect(labelsIn(message.current.components)).toEqual(labelsIn(components));
      // Discord only reports the same choice again if the select menu is new.
      expect(textOf(await member.pick(message, ['red']))).toContain('picked red');
    }
  });

  it('has no effect while another press on the same message is being handled', async () => {
    const message = await echoed();
    const sent = Promise.withResolvers<void>();
    sending = () => sent.promise;
    const [first, second] = [member.press(message, 'send'), member.press(message, 'swap')];
    expect(textOf(await second)).toContain('still working');
    sent.resolve();
    expect(messageOf(await first).current).toMatchObject({ content: 'sent' });
  });

  it('opens a modal and passes its fields to the handler', async () => {
    const form = modalOf(await member.press(await echoed(), 'ask'));
    expect(textOf(await member.submit(form, { text: 'forty-two' }))).toMatch(/ a:b forty-two$/);
    expect(textOf(await member.press(await echoed(), 'closed'))).toContain('Not like this.');
  });

  it('is rejected and logged if the member lacks the required permission', async () => {
    const message = await echoed();
    const before = bot.guildLog.length;
    expect(textOf(await member.press(message, 'admin'))).toContain('Manage Server');
    expect(bot.guildLog.slice(before)).toEqual([expect.stringMatching(/mia.*echo/)]);
    expect(bot.guildLog.join()).not.toContain('a:b');
  });

  it('is accepted if the member has the required permission', async () => {
    const message = await echoed();
    const allowed = await altered(withPermissions('32'), () => member.press(message, 'admin'));
    expect(textOf(allowed)).toContain('as you wish');
  });
});

it('a modal is rejected if the member lacks the required permission', async () => {
  const form = modalOf(await member.press(await echoed(), 'ask'));
  const forged = withData({ custom_id: 'echo:admin:' });
  const denied = await altered(forged, () => member.submit(form, { text: 'x' }));
  expect(textOf(denied)).toContain('Manage Server');
  const line = expect.objectContaining({ outcome: 'refused', reason: 'permission' });
  await expect.poll(() => bot.log.map(({ details }) => details)).toContainEqual(line);
});

it("a select menu's handler receives the user's choice", async () => {
  expect(textOf(await member.pick(await echoed(), ['red', 'blue']))).toContain('picked red,blue');
});

it("a message command's handler receives the message's text", async () => {
  const said = bot.discord.say(member, 'play at a.example.com');
  expect(textOf(await member.useOnMessage('Read', said))).toContain('read: play at a.example.com');
});

it("replies don't ping anyone", async () => {
  const before = bot.discord.requests.length;
  const message = await echoed();
  for (const label of ['now', 'soon', 'refuse', 'flip']) await member.press(message, label);
  await member.press(await echoed(), 'swap');
  const bodies = bot.discord.requests.slice(before).map(({ body }) => body);
  const answers = bodies.filter((body) => body.includes('"content"'));
  expect(answers.length).toBeGreaterThanOrEqual(7);
  for (const body of answers) expect(body).toContain('"allowed_mentions":{"parse":[]}');
});

describe('an unsupported interaction', () => {
  const slash = () => say('x');
  const outside: Alter = ({ guild_id: _, member: who, ...rest }) => ({ ...rest, user: Object(who).user });

  it.each<[string, Alter, string]>([
    ['an unknown kind of interaction', (payload) => ({ ...payload, type: 77 }), 'no longer works'],
    ['an unknown command', withData({ name: 'constructor' }), 'no longer works'],
    ['a slash command that is a message command', withData({ name: 'Read' }), 'no longer works'],
    ['a missing guild', outside, 'only works in a Discord server'],
  ])('gets a reply that explains the problem: %s', async (_what, alter, said) => {
    const answer = await altered(alter, slash);
    expect(textOf(answer)).toContain(said);
    expect(messageOf(answer).ephemeral).toBe(true);
  });

  it.each([
    'echo:gone:',
    'echo:constructor:',
    'gone:now:',
    '',
  ])('gets a reply saying that the button or menu no longer works: %j', async (id) => {
    const message = await echoed();
    const form = modalOf(await member.press(message, 'ask'));
    const gone = (act: () => Promise<Answer>) => altered(withData({ custom_id: id }), act);
    expect(textOf(await gone(() => member.press(message, 'now')))).toContain('no longer works');
    expect(textOf(await gone(() => member.pick(message, ['red'])))).toContain('no longer works');
    expect(textOf(await gone(() => member.submit(form, { text: 'x' })))).toContain('no longer works');
  });
});

describe('a malformed interaction', () => {
  const odd = withData({ options: 5 });

  it("gets a private explanation in the member's language", async () => {
    const before = bot.log.length;
    const sentences = { 'en-US': "couldn't read what Discord sent", de: 'nicht lesen' };
    for (const [locale, sentence] of Object.entries(sentences)) {
      const person = bot.person({ locale });
      const answer = await altered(odd, () => person.slash('echo', { what: 'my secret' }));
      expect(textOf(answer)).toContain(sentence);
      expect(messageOf(answer).ephemeral).toBe(true);
    }
    expect(bot.log.slice(before).map(({ level }) => level)).toContain('warn');
    expect(JSON.stringify(bot.log)).not.toContain('my secret');
  });

  it("doesn't get any autocomplete choices", async () => {
    expect(await altered(odd, () => complete('a'))).toEqual([]);
  });
});

const FIELDS =
  'data options name value custom_id component_type message flags channel guild_id guild_locale locale member user ' +
  'username permissions app_permissions authorizing_integration_owners';

it('the bot replies to every interaction, no matter what it contains', async () => {
  const message = await echoed();
  const fields = fc.constantFrom(...FIELDS.split(' '));
  const holds = fc.asyncProperty(fields, fc.jsonValue(), async (field, other) => {
    const alter: Alter = ({ id, token, application_id, type, ...rest }) => {
      const odd = JSON.parse(JSON.stringify(rest), (key, value) => (key === field ? other : value));
      return { ...odd, id, token, application_id, type };
    };
    expect((await altered(alter, () => say('x'))).kind).toBe('message');
    expect((await altered(alter, () => member.press(message, 'now'))).kind).toBe('message');
  });
  await fc.assert(holds, { numRuns: 150, examples: [['locale', { toString: null }]] });
  expect(contentOf(await echoed())).toBe('said: x');
});

it('the bot logs a modal as "lost" if Discord doesn\'t accept it in time', async () => {
  const late = await startSmallBot([echo]);
  onTestFinished(() => late.stop());
  const person = late.person();
  const message = messageOf(await person.slash('echo', { what: 'x' }));
  late.discord.faults.inject({ fault: { kind: 'block', as: 'text' }, path: /callback$/ });
  const pressed = person.press(message, 'ask');
  const outcome = () => Object(late.log.at(-1)?.details).outcome;
  await expect.poll(outcome).toBe('lost');
  late.discord.clock.advance(ANSWER_WITHIN_MS);
  expect(await pressed).toEqual({ kind: 'lost' });
});

it('the bot ignores an interaction that is redelivered after the reply', async () => {
  let delivered: Json = {};
  const keep: Alter = (payload) => {
    delivered = payload;
    return payload;
  };
  await altered(keep, () => say('later'));
  const outcomes = () =>
    bot.log
      .map(({ details }) => Object(details))
      .filter(({ interactionId, outcome }) => interactionId === delivered.id && outcome !== undefined)
      .map(({ outcome }) => outcome);
  await expect.poll(outcomes).toHaveLength(1);
  const before = bot.discord.requests.length;
  await bot.dispatcher.handle(delivered);
  expect(outcomes()).toEqual(['answered', 'lost']);
  expect(bot.discord.requests).toHaveLength(before);
});

it('concurrent commands start in separate turns of the event loop', async () => {
  let turn = 0;
  let isOver = false;
  (function count() {
    turn += 1;
    if (!isOver) setImmediate(count);
  })();
  const begunIn: number[] = [];
  meanwhile = async () => void begunIn.push(turn);
  onTestFinished(() => {
    isOver = true;
    meanwhile = async () => undefined;
  });
  await Promise.all(Array.from({ length: 30 }, () => say('later')));
  expect(new Set(begunIn).size).toBe(30);
});

it('while stopping, the bot finishes current work but rejects new commands', async () => {
  const work = Promise.withResolvers<void>();
  const slow: Command = {
    data: { type: ApplicationCommandType.ChatInput, name: 'slow', description: 'Takes its time' },
    answers: 'later',
    async run() {
      await work.promise;
      return { content: 'done' };
    },
  };
  const leaving = await startSmallBot([slow]);
  onTestFinished(() => leaving.stop());
  const person = leaving.person();
  const sent = leaving.sending();
  const running = person.slash('slow');
  await expect.poll(sent).toEqual(['callback']);
  const ends: string[] = [];
  const drained = leaving.dispatcher.drain(60_000).then(() => ends.push('drained'));
  expect(textOf(await person.slash('slow'))).toContain('restarting');
  work.resolve();
  expect(textOf(await running.finally(() => ends.push('answered')))).toContain('done');
  await drained;
  expect(ends).toEqual(['answered', 'drained']);
});

/** Creates a command with a button that sends a large reply. The first reply waits until the test releases it. */
function largeReplies() {
  const began: string[] = [];
  const first = Promise.withResolvers<void>();
  const command: Command = {
    ...echo,
    run: async () => ({ content: 'here', components: rows([button(customId('echo', 'export'), 'export')]) }),
    presses: {
      export: {
        answers: 'later',
        isLarge: true,
        async run({ user }) {
          began.push(user.id);
          if (began.length === 1) await first.promise;
          return { content: `export ${began.length}` };
        },
      },
    },
  };
  return { command, began, first };
}

it('a large reply shows its place in the queue while it waits', async () => {
  const { command, began, first } = largeReplies();
  const own = await startSmallBot([command], { largeTurnMs: 60_000 });
  onTestFinished(() => own.stop());
  const person = own.person();
  const message = await person.slash('echo', { what: 'x' });
  const firstAnswer = person.press(message, 'export');
  await expect.poll(() => began).toHaveLength(1);
  const secondAnswer = person.press(message, 'export');
  const second = await secondAnswer;
  await expect.poll(() => textOf(second)).toContain('yours are next');
  expect(began).toHaveLength(1);
  first.resolve();
  await firstAnswer;
  await expect.poll(() => textOf(second)).toContain('export 2');
});

it("a large reply that hangs doesn't block the next one forever", async () => {
  const { command, began, first } = largeReplies();
  const own = await startSmallBot([command], { largeTurnMs: 500 });
  onTestFinished(() => own.stop());
  const person = own.person();
  const message = await person.slash('echo', { what: 'x' });
  const firstAnswer = person.press(message, 'export');
  await expect.poll(() => began).toHaveLength(1);
  const secondAnswer = person.press(message, 'export');
  const second = await secondAnswer;
  await expect.poll(() => textOf(second)).toContain('export 2');
  first.resolve();
  expect(textOf(await firstAnswer)).toContain('export 2');
});
