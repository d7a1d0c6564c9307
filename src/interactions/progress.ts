import { type DiscordApi, isUncertain } from '../discord/api.ts';
import type { Reply } from './command.ts';
import { NO_MENTIONS } from './deliver.ts';
import type { Interaction } from './interaction.ts';

/** How often a message may show progress, in milliseconds: a webhook takes about five requests in 2 seconds. */
const PROGRESS_EVERY_MS = 2_000;

export type Progress = ReturnType<typeof createProgress>;

/**
 * Shows how far the work is.
 * @param isOwner whether the interaction still belongs to this process: whoever takes it over tells of it
 */
export function createProgress(
  api: Pick<DiscordApi, 'edit'>,
  interaction: Interaction,
  isOwner: () => Promise<boolean>,
) {
  let isLate = false;
  let shownAt = Number.NEGATIVE_INFINITY;
  let showing: Promise<void> | undefined;
  return {
    show({ content, embeds = [] }: Pick<Reply, 'content' | 'embeds'>): void {
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
    /** Resolves when no edit with it is under way. */
    settled: async (): Promise<void> => showing,
    isShown: () => shownAt > Number.NEGATIVE_INFINITY,
    /** Whether an edit with progress may still be under way: Discord may apply it after the reply. */
    isUncertain: () => isLate,
  };
}
