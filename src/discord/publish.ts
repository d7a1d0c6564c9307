import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIApplicationCommand,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  PermissionFlagsBits,
  RateLimitError,
  type RESTPostAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import type { Logger } from '../logger.ts';
import { retry } from '../pacing/retry.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import type { Values } from '../storage/values.ts';
import type { DiscordApi } from './api.ts';

interface PublishedCommand {
  readonly data: RESTPostAPIApplicationCommandsJSONBody;
  /** Without a permission, all members can use the command. */
  readonly permission?: string;
}

export const asPublished = ({
  data,
  permission,
}: PublishedCommand): RESTPostAPIApplicationCommandsJSONBody => ({
  ...data,
  contexts: [InteractionContextType.Guild],
  integration_types: [ApplicationIntegrationType.GuildInstall],
  ...(permission && { default_member_permissions: String(PermissionFlagsBits.ManageGuild) }),
});

type Commands = readonly RESTPostAPIApplicationCommandsJSONBody[];

export interface PublishingDeps {
  readonly api: Pick<DiscordApi, 'get' | 'put' | 'logFailure'>;
  readonly values: Values;
  readonly claimJob: ClaimJob;
  readonly logger: Logger;
}

const MAX_PAUSE_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 2_000;
/** How long one process has to publish the commands before others check whether it succeeded, in milliseconds. */
const PUBLISHING_MS = 30_000;

/**
 * Creates a publisher for the bot's global commands. It replaces Discord's list with a single PUT, but only if the commands
 * have changed, because Discord accepts only 200 new commands a day. The commands stay when the bot stops, because deleting
 * them would also delete the permissions set by admins.
 */
export function createPublishing({ api, values, claimJob, logger }: PublishingDeps) {
  let ids: ReadonlyMap<string, string> = new Map();

  async function publishOnce(applicationId: string, commands: Commands, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { entryPoints, others } = await readCommands(api, applicationId);
      if ((await values.get(fingerprintKey(applicationId))) === fingerprint(commands, others)) {
        ids = idsByName(others);
        logger.debug({ commands: others.length }, 'the commands are already published');
        return;
      }
      const isDone = await claimJob('publish', PUBLISHING_MS, async () => {
        const published = await put(applicationId, commands, entryPoints);
        await values.set(fingerprintKey(applicationId), fingerprint(commands, published));
      });
      if (isDone) return;
      await sleep(FIRST_PAUSE_MS, undefined, { signal });
    }
  }

  /** @returns the bot's commands as Discord stored them */
  async function put(
    applicationId: string,
    commands: Commands,
    entryPoints: readonly APIApplicationCommand[],
  ): Promise<readonly APIApplicationCommand[]> {
    const body = [...commands, ...entryPoints.map(asSent)];
    const route = Routes.applicationCommands(applicationId);
    const all = (await api.put(route, { body })) as APIApplicationCommand[];
    const published = all.filter((command) => !isEntryPoint(command));
    ids = idsByName(published);
    logger.info({ commands: [...ids.keys()] }, 'published the commands');
    return published;
  }

  return {
    /** Retries until it succeeds and never throws. @returns the number of commands */
    async publish(applicationId: string, commands: Commands, signal: AbortSignal): Promise<number> {
      await retry(() => publishOnce(applicationId, commands, signal), {
        signal,
        firstMs: FIRST_PAUSE_MS,
        maxMs: MAX_PAUSE_MS,
        onFailure: (error, waitMs) => api.logFailure(error, waitMs, explain(error)),
      });
      return ids.size;
    },
    idOf: (command: string): string | undefined => ids.get(command),
    /** Returns a clickable mention of a command, or `/name` until Discord has returned the command's id. */
    mention(command: string): string {
      const id = ids.get(command);
      return id === undefined ? `/${command}` : `</${command}:${id}>`;
    },
  };
}

export const fingerprintKey = (applicationId: string): string => `published:${applicationId}`;

/**
 * Returns a hash that changes if the commands change, in the bot's code or at Discord. Discord gives each changed command a
 * new version, so the hash includes versions, but not the other fields that Discord adds.
 * @param published the commands that Discord has stored
 */
export function fingerprint(commands: Commands, published: readonly APIApplicationCommand[]): string {
  const versions = published.map(({ id, version }) => `${id}:${version}`).toSorted();
  return hash('sha256', JSON.stringify([commands, versions]));
}

/**
 * Reads the application's global commands in all languages. An application with Activities also has an entry point command,
 * which this bot didn't create. Discord rejects a PUT without the entry point command (50240).
 */
export async function readCommands(api: Pick<DiscordApi, 'get'>, applicationId: string) {
  const route = Routes.applicationCommands(applicationId);
  const query = new URLSearchParams({ with_localizations: 'true' });
  const published = (await api.get(route, { query })) as APIApplicationCommand[];
  return {
    entryPoints: published.filter(isEntryPoint),
    others: published.filter((command) => !isEntryPoint(command)),
  };
}

const isEntryPoint = ({ type }: APIApplicationCommand): boolean =>
  type === ApplicationCommandType.PrimaryEntryPoint;

function asSent(command: APIApplicationCommand): object {
  const { application_id: _application, version: _version, dm_permission: _deprecated, ...rest } = command;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
}

const explain = (error: unknown): string =>
  error instanceof RateLimitError
    ? 'Discord does not accept more new commands today; keeping the previous ones'
    : 'could not publish the commands; keeping the previous ones';

const idsByName = (commands: readonly APIApplicationCommand[]): ReadonlyMap<string, string> =>
  new Map(commands.map(({ name, id }) => [name, id]));
