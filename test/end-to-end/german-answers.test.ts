import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inNewGuild, openAppScene, type Scene, textOf } from '../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openAppScene({ env: { LISTING_API_TIMEOUT_MS: '2000' } });
});
afterEach(() => scene.listing.behave({ kind: 'ok' }));
afterAll(() => scene.close());

const submitted = async () => {
  const own = await inNewGuild(scene, { key: 'sandbox-key' });
  return {
    add: async () =>
      textOf(
        await own.person({ locale: 'de' }).slash('addserver', { game: 'cs2', server: 'a.example.com:1' }),
      ),
  };
};

describe('what the service says, for a German member', () => {
  it.each([
    ['success', 'Servers have been added for review.', 'Die Spielserver wurden zur Prüfung hinzugefügt.'],
    ['error', 'Invalid API key.', 'Der API-Schlüssel ist ungültig.'],
    ['error', 'The server list for addition is empty.', /Liste .* leer\./],
    ['error', 'Server parameter is missing.', /fehlt/],
    ['error', 'Game alias parameter is missing.', /fehlt/],
    ['error', 'Invalid game alias provided.', /ungültig/],
  ])('stands translated first, the original after (%s: %s)', async (status, message, meaning) => {
    const { add } = await submitted();
    await scene.listing.behave({ kind: 'json', status: 200, body: { status, message } }, 1);
    const said = (await add()).split('\n').find((line) => line.includes(message)) ?? '';
    expect(said).toMatch(meaning);
    expect(said).toMatch(/\(„.*“\)$/);
    expect(said.endsWith(`(„${message}“)`)).toBe(true);
  });

  it('stands alone where it is no sentence of the specification', async () => {
    const { add } = await submitted();
    const body = { status: 'error', message: 'Try tomorrow.' };
    await scene.listing.behave({ kind: 'json', status: 200, body }, 1);
    expect(await add()).toContain('│ Try tomorrow.\n');
  });
});

describe('what went wrong, for a German member', () => {
  it.each([
    [{ kind: 'hang' }, /❓ Unklar\. Der Listendienst hat nicht rechtzeitig geantwortet/],
    [{ kind: 'status', status: 429 }, /❓ Unklar\. .*zu viele Anfragen.*HTTP 429/],
    [{ kind: 'status', status: 500 }, /❓ Unklar\. .*HTTP 5xx/],
    [{ kind: 'status', status: 404 }, /❓ Unklar\. .*HTTP 404/],
    [{ kind: 'reset' }, /❓ Unklar\. Die Verbindung .* abgebrochen|❓ Unklar\. Die Verbindung .*brach/],
    [{ kind: 'down' }, /⚠️ Nicht gesendet\. /],
  ] as const)('has its true cause (%o)', async (behaviour, says) => {
    const { add } = await submitted();
    await scene.listing.behave(behaviour);
    expect(await add()).toMatch(says);
  });
});
