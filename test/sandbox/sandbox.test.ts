import { afterAll, describe, expect, it } from 'vitest';
import { openSandbox, type SandboxEvent } from '../../sandbox/sandbox.ts';

const surroundings = { ...process.env, LISTING_API_KEY: 'the-operators-own', LOG_LEVEL: 'nonsense' };
const sandbox = await openSandbox({ surroundings });
afterAll(() => sandbox.close());
await sandbox.startBot();

type Of<K extends SandboxEvent['kind']> = Extract<SandboxEvent, { readonly kind: K }>;

/** Collects the events that a front end receives while an action runs. */
async function eventsDuring<K extends SandboxEvent['kind']>(
  kind: K,
  act: () => Promise<unknown> | unknown,
): Promise<readonly Of<K>[]> {
  const events: SandboxEvent[] = [];
  const stop = sandbox.watch((event) => events.push(event));
  await act();
  stop();
  return events.filter((event): event is Of<K> => event.kind === kind);
}

const somebody = (role: 'admin' | 'member', guild = 0) => {
  const there = sandbox.discord.guilds[guild];
  if (there === undefined) throw new Error(`there is no guild ${guild}`);
  return sandbox.people.at({ role, guild: there, locale: 'en-US' });
};

describe('a sandbox front end', () => {
  it('is told who can see an ephemeral reply', async () => {
    const member = somebody('member');
    const events = await eventsDuring('message', () => member.slash('help'));
    expect(new Set(events.map(({ onlyFor }) => onlyFor))).toEqual(new Set([member.userId]));
  });

  it('receives the result of an interaction', async () => {
    const states = async (act: () => Promise<unknown>) =>
      (await eventsDuring('interaction', act)).map(({ state }) => state);
    const member = somebody('member');
    expect(await states(() => member.slash('help'))).toEqual(['sent', 'message']);
    const typing = () => member.complete('games', 'search', { search: 'c' });
    expect(await states(typing)).toEqual(['sent', 'choices']);
    expect(await states(() => somebody('admin').slash('setkey'))).toEqual(['sent', 'modal']);
  });

  it('is notified of a rule violation right after the offending request', async () => {
    const wire = await eventsDuring('wire', () => somebody('member').slash('help'));
    const [sent] = wire.filter(({ from }) => from === 'discord');
    expect(sent?.request.body).toContain('INTERACTION_CREATE');
    expect(wire.some(({ from, request }) => from === 'bot' && request.path.includes('/callback'))).toBe(true);
    const events: SandboxEvent[] = [];
    const stop = sandbox.watch((event) => events.push(event));
    await fetch(`${sandbox.discord.apiUrl}/v10/users/@me`, {
      headers: { 'user-agent': 'DiscordBot (x, 1)' },
    });
    stop();
    const broken = events.findIndex(({ kind }) => kind === 'breach');
    expect(events.slice(broken - 1, broken + 1)).toMatchObject([
      { kind: 'wire', from: 'bot', request: { method: 'GET', path: '/api/v10/users/@me', status: 404 } },
      { kind: 'breach', breach: { status: 404 } },
    ]);
  });

  it("is notified when the listing service's behaviour or keys change", async () => {
    const { listing } = sandbox;
    expect(
      await eventsDuring('listing', () => listing.behave({ kind: 'status', status: 503 }, 1)),
    ).toHaveLength(1);
    const used = await eventsDuring('listing', () =>
      fetch(`${listing.url}/api`, { method: 'POST', body: 'action=games&api_key=sandbox-key' }),
    );
    expect([used.length, listing.mode.kind]).toEqual([1, 'ok']);
    expect(await eventsDuring('listing', () => listing.revoke('sandbox-key'))).toHaveLength(1);
    expect(await eventsDuring('listing', () => listing.allow('sandbox-key'))).toHaveLength(1);
    expect(listing.keys).toEqual(['sandbox-key-1234', 'sandbox-key']);
  });

  it('shares users with other front ends', () => {
    expect(somebody('admin')).toBe(somebody('admin'));
    expect(somebody('admin').userId).not.toBe(somebody('admin', 1).userId);
  });
});

describe("the sandbox's bot process", () => {
  it("doesn't inherit the operator's configuration", async () => {
    await somebody('member').slash('games');
    expect(sandbox.listing.requests.map(({ key }) => key)).not.toContain('the-operators-own');
  });

  it('works without errors if Discord takes two seconds to respond', async () => {
    const outcomes = () => lines.filter((line) => line.includes('"msg":"interaction"'));
    const lines: string[] = [];
    const stop = sandbox.watch((event) => event.kind === 'log' && lines.push(event.line));
    const { discord } = sandbox;
    const made = () => discord.requests.filter(({ path }) => path.includes('/callback')).length;
    const before = { breaches: discord.breaches.length, made: made() };
    sandbox.troubleDiscord('slow');
    const answer = await somebody('member').slash('help');
    await expect
      .poll(outcomes, { timeout: 10_000 })
      .toEqual([expect.stringContaining('"outcome":"answered"')]);
    // Waits until the second attempt has also received a response.
    await expect.poll(made, { timeout: 10_000 }).toBe(before.made + 2);
    sandbox.troubleDiscord('ok');
    stop();
    expect(answer).toMatchObject({ kind: 'message' });
    expect(discord.breaches.slice(before.breaches)).toEqual([]);
    expect(lines.filter((line) => /"level":"(?:warn|error)"/.test(line))).toEqual([]);
  });

  it('is reported with its status and last output after an unexpected exit', async () => {
    const [crashed] = await eventsDuring('bot', async () => {
      // 4013 means invalid intents, so the bot can't recover.
      sandbox.discord.gateway.close(4013);
      await expect.poll(() => sandbox.botState).toBe('crashed');
    });
    expect(crashed).toMatchObject({ state: 'crashed', exit: { status: 1, signal: null, wanted: false } });
    const lastWords = crashed !== undefined && 'exit' in crashed ? crashed.exit.lastWords : [];
    // Lines that aren't JSON are for people at a terminal.
    expect(lastWords.filter((line) => !line.startsWith('{'))).toEqual([
      expect.stringMatching(/^server-listing-bot: .*4013.*the intents are not valid/),
    ]);
    expect(sandbox.bot.running).toBe(false);
    await sandbox.startBot();
    expect(await somebody('member').slash('games')).toMatchObject({ kind: 'message' });
  });

  it("isn't reported as crashed after a restart", async () => {
    const states = await eventsDuring('bot', () => sandbox.restart());
    expect(states).toMatchObject([
      { state: 'stopped', exit: { status: 0, wanted: true } },
      { state: 'starting' },
      { state: 'ready' },
    ]);
  });
});
