import {
  type Client,
  DiscordAPIError,
  InteractionWebhook,
  MessageFlags,
  RESTJSONErrorCodes,
  ShardClientUtil,
} from 'discord.js';
import type { Secret } from '../secret.ts';
import type { Answerable } from './answers.ts';
import { persist } from './deliver.ts';

/** The answers of interactions that a former run of the bot took, for as long as their tokens live. */
export interface PastReplies {
  /** Whether the guild's events come to this process. */
  owns(guildId: string): boolean;
  /**
   * What the member sees: `gone` for an interaction that was never acknowledged, and 15 minutes after it was made;
   * `thinking` as long as it was only acknowledged.
   */
  state(token: Secret): Promise<'gone' | 'thinking' | 'answered'>;
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
    async state(token) {
      try {
        const message = await persist(() => webhook(token).fetchMessage('@original'));
        return (Number(message?.flags ?? 0) & MessageFlags.Loading) === 0 ? 'answered' : 'thinking';
      } catch (error) {
        if (error instanceof DiscordAPIError && GONE.has(Number(error.code))) return 'gone';
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
