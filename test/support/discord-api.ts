import { onTestFinished } from 'vitest';
import { createDiscordApi, type DiscordApi, type DiscordApiDeps } from '../../src/discord/api.ts';
import { Secret } from '../../src/secret.ts';
import { recorder } from '../storage/temporary.ts';

export const TOKEN = 'MTExMTExMTExMTExMTExMTEx.tests.a-token-of-the-tests-of-discord-123456';

/** The bot's requests to a Discord, until the test has ended. */
export function openApi(apiUrl: string, deps: Partial<DiscordApiDeps> = {}): DiscordApi {
  const api = createDiscordApi({ apiUrl, token: new Secret(TOKEN), logger: recorder(), ...deps });
  onTestFinished(() => {
    api.stopWaiting();
    return api.close();
  });
  return api;
}
