import { isDeepStrictEqual } from 'node:util';
import {
  type APIApplicationCommand,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type Client,
  InteractionContextType,
  RateLimitError,
  type REST,
  type RESTPostAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import type { Logger } from '../logger.ts';
import { type Command, PERMISSION_BITS } from './command.ts';

/** A command as Discord is to have it: in guilds where the bot itself is installed, for those who may use it. */
export const asPublished = ({ data, permission }: Command): Command['data'] => ({
  ...data,
  contexts: [InteractionContextType.Guild],
  integration_types: [ApplicationIntegrationType.GuildInstall],
  ...(permission && { default_member_permissions: String(PERMISSION_BITS[permission]) }),
});

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
  const { entryPoints, others } = await readGlobalCommands(client.rest, client.application.id);
  if (sameCommands(others, commands)) {
    logger.debug({ commands: others.length }, 'the commands are published already');
    return idsByName(others);
  }
  const body = [...commands, ...entryPoints.map(asSent)];
  const updated = (await client.rest.put(route, { body })) as APIApplicationCommand[];
  const ours = updated.filter((command) => !isEntryPoint(command));
  logger.info({ commands: ours.map(({ name }) => name) }, 'published the commands');
  return idsByName(ours);
}

/**
 * What Discord has of the application's global commands. One with Activities has an entry point, which is not ours; a PUT
 * without it is refused (50240).
 */
export async function readGlobalCommands(
  rest: Pick<REST, 'get'>,
  applicationId: string,
): Promise<{
  readonly entryPoints: readonly APIApplicationCommand[];
  readonly others: readonly APIApplicationCommand[];
}> {
  const query = new URLSearchParams({ with_localizations: 'true' });
  const published = (await rest.get(Routes.applicationCommands(applicationId), {
    query,
  })) as APIApplicationCommand[];
  return {
    entryPoints: published.filter(isEntryPoint),
    others: published.filter((command) => !isEntryPoint(command)),
  };
}

const isEntryPoint = ({ type }: APIApplicationCommand): boolean =>
  type === ApplicationCommandType.PrimaryEntryPoint;

/** A command that was read, as it may be sent again: without what only Discord says, and what says nothing. */
function asSent(command: APIApplicationCommand): object {
  const { application_id: _application, version: _version, dm_permission: _deprecated, ...rest } = command;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
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

/**
 * Whether Discord already has exactly these commands, in whatever order. Only what a description may say is compared,
 * since Discord adds fields of its own, and more of them every year.
 */
export function sameCommands(
  published: readonly object[],
  ours: readonly RESTPostAPIApplicationCommandsJSONBody[],
): boolean {
  // Whether Discord sends `file_types` back is not documented. When it does for none, there is nothing to compare.
  const known = JSON.stringify(published).includes('"file_types"') ? [...FIELDS, 'file_types'] : FIELDS;
  return isDeepStrictEqual(comparable(published, known), comparable(ours, known));
}

/** What is said of a command, an option or a choice (Discord docs: Application Commands). */
const FIELDS = [
  ...[
    'name',
    'name_localizations',
    'description',
    'description_localizations',
    'options',
    'choices',
    'value',
  ],
  ...['required', 'autocomplete', 'channel_types', 'min_value', 'max_value', 'min_length', 'max_length'],
  ...['default_member_permissions', 'contexts', 'integration_types', 'nsfw', 'type'],
];
/** What is so when nothing is said: it may come back, or not. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  description: '',
  required: false,
  autocomplete: false,
  nsfw: false,
  min_length: 0,
  max_length: 6000,
  integration_types: [ApplicationIntegrationType.GuildInstall],
};

function comparable(commands: readonly object[], known: readonly string[]): ReadonlyMap<string, unknown> {
  return new Map(
    commands.map((command) => {
      const { type = ApplicationCommandType.ChatInput, name } = Object(command);
      return [`${type}:${name}`, comparableItem({ ...command, type }, known)];
    }),
  );
}

function comparableItem(item: object, known: readonly string[]): object {
  const entries = Object.entries(item)
    .filter(([name]) => known.includes(name))
    .map(([name, value]) => [name, comparableValue(item, { name, value, known })] as const)
    .filter(([name, value]) => !isEmpty(value) && !isDeepStrictEqual(value, DEFAULTS[name]));
  return Object.fromEntries(entries);
}

function comparableValue(
  item: object,
  field: { readonly name: string; readonly value: unknown; readonly known: readonly string[] },
): unknown {
  const { name, value, known } = field;
  if (name.endsWith('_localizations')) {
    // Discord drops those that say the same as the default.
    const text: unknown = Object(item)[name.replace('_localizations', '')];
    const others = Object.entries(value ?? {}).filter(([, localized]) => localized !== text);
    return Object.fromEntries(others);
  }
  if (name === 'default_member_permissions') return value === null ? null : String(value);
  if (!Array.isArray(value)) return value;
  // The order of options and choices is seen by members; that of the other lists means nothing.
  const isOrdered = name === 'options' || name === 'choices';
  return isOrdered ? value.map((child) => comparableItem(child, known)) : value.toSorted();
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
