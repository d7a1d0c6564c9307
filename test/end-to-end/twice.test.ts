import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { messageOf, modalOf, openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openAppScene({ key: 'sandbox-key', env: { LISTING_API_TIMEOUT_MS: '20000' } });
});
afterEach(() => scene.listing.behave({ kind: 'ok' }));
afterAll(() => scene.close({ breaches: [26] }));

const ACCEPTED = 'Servers have been added for review.';
const add = (server: string, person = scene.member) => person.slash('addserver', { game: 'cs2', server });
const requestsFor = (host: string) =>
  scene.listing.requests.filter(({ servers }) => servers.some(({ server }) => server === host)).length;

describe('a server that is on its way', () => {
  it('is not sent a second time: whoever asks is told to wait', async () => {
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    await scene.listing.behave({ kind: 'held', until }, 1);
    const first = add('flight.example.com:1');
    await expect.poll(() => requestsFor('flight.example.com')).toBe(1);
    expect(textOf(await add('flight.example.com:1', scene.admin))).toContain(
      'flight.example.com:1 is on its way to the listing service already.',
    );
    expect(textOf(await add('flight.example.com:2'))).toContain(ACCEPTED);
    answer();
    expect(textOf(await first)).toContain(ACCEPTED);
    expect(requestsFor('flight.example.com')).toBe(2);
  });

  it('is sent once when two members submit it at the same moment', async () => {
    const said = await Promise.all([add('race.example.com:1'), add('race.example.com:1', scene.admin)]);
    expect(said.map(textOf).filter((text) => text.includes(ACCEPTED))).toHaveLength(1);
    expect(requestsFor('race.example.com')).toBe(1);
  });

  it('may be sent by another guild', async () => {
    await setKey(scene.person({ role: 'admin', guild: 1 }), 'sandbox-key');
    await add('both.example.com:1');
    expect(textOf(await add('both.example.com:1', scene.person({ guild: 1 })))).toContain(ACCEPTED);
  });
});

describe('a server that was submitted before', () => {
  it('is called their own to the member who submitted it, in their language, also in a list', async () => {
    await add('own.example.com:1');
    expect(textOf(await add('own.example.com:1'))).toMatch(
      /⚠️ Not sent: you submitted own\.example\.com:1 (now|\d+ seconds? ago), and it was sent for review\./,
    );
    const german = scene.person({ role: 'admin', locale: 'de' });
    await add('own.example.com:2', german);
    expect(textOf(await add('own.example.com:2', german))).toContain('Du hast own.example.com:2');
    const window = modalOf(await scene.member.slash('addservers'));
    const preview = await scene.member.submit(window, {
      servers: 'own.example.com:1 cs2\nown.example.com:2 cs2',
    });
    expect(textOf(preview)).toMatch(/own\.example\.com:1\n\s+sent for review .* by you\n/);
    expect(textOf(preview)).toMatch(/own\.example\.com:2\n\s+sent for review .* by admin/);
  });

  it('brings a warning with who, when and how it ended, and is sent again by a button, once', async () => {
    await add('before.example.com:1', scene.admin);
    const answer = await add('before.example.com:1');
    expect(textOf(answer)).toMatch(
      /⚠️ Not sent: admin submitted before\.example\.com:1 (now|\d+ seconds? ago), and it was sent for review\./,
    );
    expect(requestsFor('before.example.com')).toBe(1);
    const warning = messageOf(answer);
    await Promise.all([1, 2].map(() => scene.member.press(warning, 'Submit again')));
    const { channelId, userId } = scene.member;
    await expect
      .poll(() => scene.discord.messages({ channelId, userId }).map(({ current }) => current?.content))
      .toContain('This button was pressed before, and works only once.');
    await expect.poll(() => warning.current?.content).toContain(ACCEPTED);
    expect(warning.current?.components).toEqual([]);
    expect(requestsFor('before.example.com')).toBe(2);
  });

  it('is still known after a restart, as is the button', async () => {
    await add('kept.example.com:1');
    const warning = messageOf(await add('kept.example.com:1'));
    await scene.restart();
    expect(textOf(await add('kept.example.com:1'))).toContain('it was sent for review');
    await scene.member.press(warning, 'Submit again');
    await expect.poll(() => warning.current?.content).toContain(ACCEPTED);
    expect(requestsFor('kept.example.com')).toBe(2);
  });

  it('brings a warning after an answer that never came, too', async () => {
    await scene.listing.behave({ kind: 'reset', carriedOut: true }, 1);
    expect(textOf(await add('unknown.example.com:1'))).toContain('check the list before you submit it again');
    expect(textOf(await add('unknown.example.com:1'))).toMatch(
      /became of it is unknown, and it may have been received: check the list first/,
    );
    expect(requestsFor('unknown.example.com')).toBe(1);
  });

  it('is sent at once after the service rejected it', async () => {
    await scene.listing.behave({ kind: 'json', status: 200, body: { status: 'error', message: 'No.' } }, 1);
    expect(textOf(await add('rejected.example.com:1'))).toContain('No.');
    expect(textOf(await add('rejected.example.com:1'))).toContain(ACCEPTED);
  });
});

describe('a server that was not sent', () => {
  it('is sent by a button, and again by the next one when that fails too', async () => {
    await scene.listing.behave({ kind: 'down' });
    const answer = await add('retry.example.com:1');
    expect(textOf(answer)).toContain(
      '⚠️ Not sent. The listing service could not be reached. You can safely try again.',
    );
    const message = messageOf(answer);
    const first = message.current?.components;
    await scene.member.press(message, 'Try again');
    await expect.poll(() => JSON.stringify(message.current?.components)).not.toBe(JSON.stringify(first));
    await scene.listing.behave({ kind: 'ok' });
    await scene.member.press(message, 'Try again');
    await expect.poll(() => message.current?.content).toContain(ACCEPTED);
    expect(message.current?.components).toEqual([]);
    expect(requestsFor('retry.example.com')).toBe(1);
  });

  it('speaks the member’s language', async () => {
    const german = scene.person({ role: 'admin', locale: 'de' });
    await add('deutsch.example.com:1', german);
    const warning = await add('deutsch.example.com:1', german);
    expect(textOf(warning)).toContain('eingereicht, und es wurde zur Prüfung gesendet');
    await german.press(messageOf(warning), 'Noch einmal einreichen');
    await expect.poll(() => requestsFor('deutsch.example.com')).toBe(2);
  });
});
