import { isDeepStrictEqual } from 'node:util';
import {
  type APIApplicationCommand,
  ApplicationCommandType,
  type Client,
  RateLimitError,
  type RESTPostAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import type { Logger } from '../observability/logger.ts';

export interface PublishDeps {
  readonly client: Client<true>;
  readonly commands: readonly RESTPostAPIApplicationCommandsJSONBody[];
  readonly logger: Logger;
}

/**
 * Makes Discord's list of the bot's global commands ours, with one PUT, and only when something differs:
 * Discord takes 200 new commands a day. Never deleted at exit, since that would lose admins' permissions.
 * @returns each command's id by its name, for clickable mentions
 */
export async function publishCommands({
  client,
  commands,
  logger,
}: PublishDeps): Promise<ReadonlyMap<string, string>> {
  const route = Routes.applicationCommands(client.application.id);
  const query = new URLSearchParams({ with_localizations: 'true' });
  const published = (await client.rest.get(route, { query })) as APIApplicationCommand[];
  if (sameCommands(published, commands)) {
    logger.debug({ commands: published.length }, 'the commands are published already');
    return idsByName(published);
  }
  const updated = (await client.rest.put(route, { body: commands })) as APIApplicationCommand[];
  logger.info({ commands: updated.map(({ name }) => name) }, 'published the commands');
  return idsByName(updated);
}

/** What makes a daily limit (30034) an error at once: discord.js would otherwise sleep until tomorrow. */
export function rejectLongWaits({ route, retryAfter }: { route: string; retryAfter: number }): boolean {
  return route.includes('/commands') && retryAfter > 60_000;
}

/** A sentence for the operator about why publishing failed. */
export function explainPublishFailure(error: unknown): string {
  return error instanceof RateLimitError
    ? 'Discord takes no more new commands today; the commands stay as they were'
    : 'the commands could not be published; they stay as they were';
}

function idsByName(commands: readonly APIApplicationCommand[]): ReadonlyMap<string, string> {
  return new Map(commands.map(({ name, id }) => [name, id]));
}

/** Whether Discord already has exactly these commands, in whatever order and with its own fields added. */
export function sameCommands(
  published: readonly object[],
  ours: readonly RESTPostAPIApplicationCommandsJSONBody[],
): boolean {
  return isDeepStrictEqual(comparable(published), comparable(ours));
}

/** Discord's additions to a command, and what it fills in where a description leaves it out. */
const ADDED = ['id', 'application_id', 'version', 'nsfw', 'dm_permission', 'default_permission'];

function comparable(commands: readonly object[]): ReadonlyMap<string, unknown> {
  return new Map(
    commands.map((command) => {
      const fields = Object.entries(command).filter(([name]) => !ADDED.includes(name));
      const description = { type: ApplicationCommandType.ChatInput, ...Object.fromEntries(fields) };
      return [`${description.type}:${Object(command).name}`, withoutDefaults(description)];
    }),
  );
}

/** Leaves out what says nothing: null, an empty text, list or object, and a false `required` or `autocomplete`. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null && item !== undefined && item !== '' && item !== false)
      .map(([name, item]) => [name, withoutDefaults(item)] as const)
      .filter(([, item]) => typeof item !== 'object' || Object.keys(Object(item)).length > 0),
  );
}
