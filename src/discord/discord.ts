import type { Logger } from '../logger.ts';
import { createCache } from '../pacing/bounded-map.ts';
import { HOUR_MS } from '../pacing/durations.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import type { Store } from '../storage/store.ts';
import type { Values } from '../storage/values.ts';
import { createDiscordApi, type DiscordApiDeps } from './api.ts';
import { type AttachmentsDeps, createAttachments } from './attachments.ts';
import { GUILD_TIMEOUT_MS, isForeign, readGuildName } from './bot-guilds.ts';
import { createChannelPosts } from './channel-posts.ts';
import { isPublicChannel } from './channel-visibility.ts';
import { createClockCheck } from './clock.ts';
import { createCommandPermissions } from './command-permissions.ts';
import { createDirectMessageChannels } from './direct-message-channels.ts';
import { createDirectMessages, type DirectMessagesDeps } from './direct-messages.ts';
import { type FatalDiscordError, RejectedTokenError } from './gateway.ts';
import { inviteLink, NEW_TOKEN, readApplication } from './portal.ts';
import { createPublishing } from './publish.ts';

export interface DiscordDeps
  extends Omit<DiscordApiDeps, 'onTokenRejected'>,
    Pick<DirectMessagesDeps, 'onDirectMessage'> {
  readonly store: Pick<Store, 'tables'>;
  readonly values: Values;
  readonly claimJob: ClaimJob;
  readonly files: Pick<AttachmentsDeps, 'hosts' | 'maxBytes'>;
  /** Called if Discord rejects the token. */
  readonly onFatal: (error: FatalDiscordError) => void;
  readonly logger: Logger;
}

export type Discord = ReturnType<typeof createDiscord>;

/** Creates everything that sends requests and messages to Discord. Interactions are received in connection.ts. */
export function createDiscord(deps: DiscordDeps) {
  const { store, values, claimJob, files, onDirectMessage, onFatal, logger } = deps;
  const api = createDiscordApi({
    ...deps,
    onTokenRejected: () => onFatal(new RejectedTokenError(`Discord rejects DISCORD_TOKEN: ${NEW_TOKEN}`)),
  });
  const attachments = createAttachments({ ...files, logger });
  const clock = createClockCheck({ api, logger });
  const applications = createCache(() => readApplication(api), Number.POSITIVE_INFINITY);
  const application = () => applications.get('own');
  const directMessageChannels = createDirectMessageChannels({ store });
  const guildNames = createCache((guildId) => readGuildName(api, guildId), HOUR_MS);
  const applicationId = async () => (await application()).id;
  const publishing = createPublishing({ api, values, claimJob, logger });

  return {
    api,
    attachments,
    posts: createChannelPosts({ api, logger }),
    directMessages: createDirectMessages({
      api,
      values,
      channels: directMessageChannels,
      onDirectMessage,
      logger,
    }),
    directMessageChannels,
    publishing,
    commandPermissions: createCommandPermissions({ api, applicationId, commandId: publishing.idOf }),
    clock,
    isClockRight: clock.isRight,
    logFailure: api.logFailure,
    /** Returns the application, which is requested from Discord only once. */
    application,
    applicationId,
    isForeign: (guildId: string, signal?: AbortSignal) => isForeign(api, guildId, signal),
    isPublicChannel: (guildId: string, channelId: string) => isPublicChannel(api, guildId, channelId),
    /**
     * Returns a link for adding the bot user to a guild that only has the commands; `undefined` if the bot user is already
     * there or Discord doesn't respond.
     */
    async addBotLink(guildId: string): Promise<string | undefined> {
      const lacksBot = await isForeign(api, guildId, AbortSignal.timeout(GUILD_TIMEOUT_MS)).catch(
        () => false,
      );
      return lacksBot ? `${inviteLink(await applicationId())}&guild_id=${guildId}` : undefined;
    },
    /** Returns a guild's name, cached for an hour; `undefined` if the bot user isn't there or Discord doesn't respond. */
    guildName: (guildId: string): Promise<string | undefined> =>
      guildNames.get(guildId).catch(() => undefined),
    close: () => Promise.all([attachments.close(), api.close()]),
  };
}
