import {
  type Client,
  DiscordAPIError,
  InteractionWebhook,
  RESTJSONErrorCodes,
  ShardClientUtil,
} from 'discord.js';
import type { Secret } from '../secret.ts';
import { type Answerable, persist } from './answers.ts';

/** The answers of interactions that a former run of the bot took, for as long as their tokens live. */
export interface PastReplies {
  /** Whether the guild's events come to this process. */
  owns(guildId: string): boolean;
  /**
   * Whether there is still something to edit: false for an interaction that was never acknowledged, and 15 minutes
   * after it was made.
   */
  exists(token: Secret): Promise<boolean>;
  of(token: Secret): Pick<Answerable, 'editReply' | 'followUp'>;
}

export function pastReplies(client: Client<true>): PastReplies {
  const webhook = (token: Secret) => new InteractionWebhook(client, client.application.id, token.reveal());
  return {
    owns(guildId) {
      const { shards } = client.ws;
      const count = client.options.shardCount ?? shards.size;
      return shards.has(ShardClientUtil.shardIdForGuildId(guildId, count));
    },
    async exists(token) {
      try {
        await persist(() => webhook(token).fetchMessage('@original'));
        return true;
      } catch (error) {
        if (error instanceof DiscordAPIError && GONE.has(Number(error.code))) return false;
        throw error;
      }
    },
    of: (token) => ({
      editReply: (options) => webhook(token).editMessage('@original', options),
      followUp: (options) => webhook(token).send(options),
    }),
  };
}

const GONE: ReadonlySet<number> = new Set([
  RESTJSONErrorCodes.UnknownWebhook,
  RESTJSONErrorCodes.InvalidWebhookToken,
  RESTJSONErrorCodes.UnknownMessage,
]);
