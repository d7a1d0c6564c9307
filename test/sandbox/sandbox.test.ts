import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox, type Sandbox, type SandboxEvent } from '../../sandbox/sandbox.ts';
import { createBotInProcess } from '../support/bot-in-process.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ surroundings: process.env, createBot: createBotInProcess });
  await sandbox.startBot();
});
afterAll(() => sandbox.close());

type Of<K extends SandboxEvent['kind']> = Extract<SandboxEvent, { readonly kind: K }>;

/** What two front ends were told while something happened; both are told the same. */
async function told<K extends SandboxEvent['kind']>(
  kind: K,
  act: () => Promise<unknown> | unknown,
): Promise<readonly Of<K>[]> {
  const heard: SandboxEvent[][] = [[], []];
  const stops = heard.map((events) => sandbox.watch((event) => events.push(event)));
  await act();
  for (const stop of stops) stop();
  const [first = [], second] = heard;
  expect(second).toEqual(first);
  return first.filter((event): event is Of<K> => event.kind === kind);
}

const somebody = (role: 'admin' | 'member', guild = 0) => {
  const there = sandbox.discord.guilds[guild];
  if (there === undefined) throw new Error(`there is no guild ${guild}`);
  return sandbox.people.at({ role, guild: there, locale: 'en-US' });
};

describe('a front end of the sandbox', () => {
  it('is told of the answers that only one person sees, and of whom', async () => {
    const member = somebody('member');
    const events = await told('message', () => member.slash('help'));
    expect(new Set(events.map(({ onlyFor }) => onlyFor))).toEqual(new Set([member.userId]));
    expect(events.map(({ change }) => change)).toContain('created');
  });

  it('is told what became of an interaction', async () => {
    const member = somebody('member');
    const states = (events: readonly Of<'interaction'>[]) =>
      events
        .filter(({ interaction }) => interaction.userId === member.userId)
        .map(({ state, interaction }) => `${interaction.command?.name ?? interaction.kind}: ${state}`);
    expect(states(await told('interaction', () => member.slash('help')))).toEqual([
      'help: sent',
      'help: message',
    ]);
    const typed = await told('interaction', () => member.complete('games', 'search', { search: 'c' }));
    expect(states(typed)).toEqual(['4: sent', '4: choices']);
    const opened = await told('interaction', () => somebody('admin').slash('setkey'));
    expect(opened.map(({ state }) => state)).toEqual(['sent', 'modal']);
  });

  it('is told of what goes over the wire both ways, and of a broken rule right after what broke it', async () => {
    const wire = await told('wire', () => somebody('member').slash('help'));
    const [sent] = wire
      .filter(({ from }) => from === 'discord')
      .map(({ request }) => JSON.parse(request.body));
    expect(sent).toMatchObject({ op: 0, t: 'INTERACTION_CREATE' });
    expect(wire.some(({ from, request }) => from === 'bot' && request.path.includes('/callback'))).toBe(true);
    const events: SandboxEvent[] = [];
    const stop = sandbox.watch((event) => events.push(event));
    const headers = { 'user-agent': 'DiscordBot (x, 1)', authorization: 'Bot nobody' };
    await fetch(`${sandbox.discord.apiUrl}/v10/users/@me`, { headers });
    stop();
    const broken = events.findIndex(({ kind }) => kind === 'breach');
    expect(events.slice(broken - 1, broken + 1)).toMatchObject([
      { kind: 'wire', from: 'bot', request: { method: 'GET', path: '/api/v10/users/@me', status: 404 } },
      { kind: 'breach', breach: { status: 404 } },
    ]);
  });

  it('is told when the listing service behaves otherwise, knows other keys or answers', async () => {
    const { listing } = sandbox;
    expect(await told('listing', () => listing.behave({ kind: 'status', status: 503 }, 1))).toHaveLength(1);
    const used = await told('listing', () =>
      fetch(`${listing.url}/api`, { method: 'POST', body: 'action=games&api_key=sandbox-key' }),
    );
    expect([used.length, listing.mode.kind]).toEqual([1, 'ok']);
    expect(await told('listing', () => listing.revoke('sandbox-key'))).toHaveLength(1);
    expect(await told('listing', () => listing.allow('sandbox-key'))).toHaveLength(1);
    expect(listing.keys).toEqual(['sandbox-key-1234', 'sandbox-key']);
  });

  it('is told whether the bot is up, and what it prints', async () => {
    expect(sandbox.botState).toBe('ready');
    const states = await told('bot', () => sandbox.restart());
    expect(states.map(({ state }) => state)).toEqual(['stopped', 'starting', 'ready']);
    const crashed = await told('bot', async () => {
      const ended = sandbox.bot.exited();
      // 4004, authentication failed: nothing a bot could recover from.
      sandbox.discord.gateway.close(4004);
      await ended;
    });
    expect(crashed).toMatchObject([{ state: 'crashed', exit: { wanted: false } }]);
    expect(sandbox.botState).toBe('crashed');
    await sandbox.startBot();
    const printed = await told('log', async () => {
      const ended = sandbox.bot.exited();
      sandbox.discord.gateway.close(4004);
      await ended;
    });
    expect(printed.map(({ line }) => line).join('\n')).toContain('4004');
    await sandbox.startBot();
  });

  it('meets the same person as every other', () => {
    expect(somebody('admin')).toBe(somebody('admin'));
    expect(somebody('admin').userId).toBe(somebody('admin', 1).userId);
  });
});
