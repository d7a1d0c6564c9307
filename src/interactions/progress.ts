import { type DiscordApi, isUncertain } from '../discord/api.ts';
import type { Reply } from './command.ts';
import { NO_MENTIONS } from './deliver.ts';
import type { Interaction } from './interaction.ts';

/** How often a message may show progress, in milliseconds: a webhook takes about five requests in 2 seconds. */
const PROGRESS_EVERY_MS = 2_000;

/** Shows how far the work is. */
export interface Progress {
  show(progress: Pick<Reply, 'content' | 'embeds'>): void;
  /** Resolves when no edit with it is under way. */
  settled(): Promise<void>;
  isShown(): boolean;
  /** Whether an edit with progress may still be under way: Discord may apply it after the reply. */
  isUncertain(): boolean;
}

/** @param isOwner whether no other process has taken the interaction over, and has told of it */
export function createProgress(
  api: Pick<DiscordApi, 'edit'>,
  interaction: Interaction,
  isOwner: () => Promise<boolean>,
): Progress {
  let isLate = false;
  let shownAt = Number.NEGATIVE_INFINITY;
  let showing: Promise<void> | undefined;
  return {
    show({ content, embeds = [] }) {
      if (showing || performance.now() - shownAt < PROGRESS_EVERY_MS) return;
      shownAt = performance.now();
      const body = { content, embeds, components: [], allowed_mentions: NO_MENTIONS };
      showing = api
        .edit(interaction, { body, files: [] }, isOwner)
        // The work goes on, and its reply comes even if this edit failed.
        .catch((error: unknown) => {
          isLate ||= isUncertain(error);
        })
        .finally(() => {
          showing = undefined;
        });
    },
    settled: async () => showing,
    isShown: () => shownAt > Number.NEGATIVE_INFINITY,
    isUncertain: () => isLate,
  };
}
