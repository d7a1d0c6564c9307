import { type DiscordApi, isUncertain } from '../discord/api.ts';
import type { Reply } from './command.ts';
import { NO_MENTIONS } from './deliver.ts';
import type { Interaction } from './interaction.ts';

/** Discord accepts about five requests in 2 seconds per webhook. */
const MIN_EDIT_INTERVAL_MS = 2_000;

export type Progress = ReturnType<typeof createProgress>;

/** @param isOwner whether this process still owns the interaction; if not, progress isn't shown */
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
      if (showing || performance.now() - shownAt < MIN_EDIT_INTERVAL_MS) return;
      shownAt = performance.now();
      const body = { content, embeds, components: [], allowed_mentions: NO_MENTIONS };
      showing = api
        .edit(interaction, { body, files: [] }, isOwner)
        // A failed progress edit doesn't stop the work, and the reply is still sent.
        .catch((error: unknown) => {
          isLate ||= isUncertain(error);
        })
        .finally(() => {
          showing = undefined;
        });
    },
    currentEditDone: async (): Promise<void> => showing,
    isShown: () => shownAt > Number.NEGATIVE_INFINITY,
    /** Whether Discord may still apply a progress edit after the reply. */
    isUncertain: () => isLate,
  };
}
