import { type DiscordApi, isUncertain } from '../discord/api.ts';
import type { Reply } from './command.ts';
import { NO_MENTIONS } from './deliver.ts';
import type { Interaction } from './interaction.ts';

/** The minimum time between two progress edits, in milliseconds. A webhook accepts about five requests in 2 seconds. */
const PROGRESS_EVERY_MS = 2_000;

export type Progress = ReturnType<typeof createProgress>;

/**
 * Creates the progress display of an interaction.
 * @param isOwner whether the interaction still belongs to this process. A process that takes it over writes the reply
 * itself
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
        // The work continues even if this edit fails, and its reply is still sent.
        .catch((error: unknown) => {
          isLate ||= isUncertain(error);
        })
        .finally(() => {
          showing = undefined;
        });
    },
    /** Resolves when no progress edit is running. */
    settled: async (): Promise<void> => showing,
    isShown: () => shownAt > Number.NEGATIVE_INFINITY,
    /** Whether a progress edit may still be running, so that Discord could apply it after the reply. */
    isUncertain: () => isLate,
  };
}
