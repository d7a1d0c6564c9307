import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/sandbox.ts';

export interface Searched {
  /** Everything that the bot has printed. */
  readonly output: string;
  /** All that its database holds, as text. */
  readonly database?: string;
  /** As they stand in ENCRYPTION_KEY. */
  readonly encryptionKeys?: string | undefined;
  /** Where its database is, perhaps with a password. */
  readonly databaseUrl?: string;
}

/**
 * Where a secret of a bot that has stopped can be found: in what it printed, in what it sent to Discord, or in clear in
 * its database and its files. A sentence for each; none when all is well.
 */
export async function leaksOf(
  { token, discord, listing, data }: Pick<Sandbox, 'token' | 'discord' | 'listing' | 'data'>,
  { output, database = '', encryptionKeys = '', databaseUrl = '' }: Searched,
): Promise<readonly string[]> {
  const interactionTokens = discord.requests.flatMap(({ path }) => {
    const found = /\/(?:interactions|webhooks)\/\d+\/([^/?]+)/.exec(path)?.[1];
    return found === undefined ? [] : [decodeURIComponent(found)];
  });
  const secrets = new Map([
    [token, 'the bot token'],
    [URL.parse(databaseUrl)?.password ?? '', 'the password of the database'],
    ...encryptionKeys.split(',').map((value) => [value.trim(), 'ENCRYPTION_KEY'] as const),
    ...interactionTokens.map((value) => [value, 'an interaction token'] as const),
    ...listing.requests.map(({ key }) => [key, 'an API key'] as const),
  ]);
  secrets.delete('');
  const files = await filesIn(data);
  const leaks: string[] = [];
  for (const [secret, what] of secrets) {
    if (output.includes(secret)) leaks.push(`the bot printed ${what}`);
    // The two tokens have to be sent to Discord; nothing else has.
    const sent = what.endsWith('token') ? [] : discord.findSecret(secret);
    for (const { path } of sent) leaks.push(`${what} was sent to Discord: ${path}`);
    if (database.includes(secret)) leaks.push(`${what} is in clear in the database`);
    for (const [name, bytes] of files)
      if (bytes.includes(secret)) leaks.push(`${what} is in clear in ${name}`);
  }
  return leaks;
}

async function filesIn(folder: string): Promise<readonly (readonly [path: string, bytes: Buffer])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(paths.map(async (path) => [path, await readFile(path)] as const));
}
