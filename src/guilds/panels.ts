import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { createCollection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';

/** The first part of the names of stored panels, followed by the id of their guild. */
export const PANELS = 'panels';

/** The maximum number of panels that a guild can change. Older ones keep working. */
export const MOST_PANELS = 10;

/** The buttons that a panel can have, in the order in which they appear. */
export const PANEL_BUTTONS = ['server', 'list', 'mine'] as const;
export type PanelButton = (typeof PANEL_BUTTONS)[number];

const panelSchema = z.object({
  channelId: z.string(),
  messageId: z.string(),
  /** The admin's own text; can be empty. */
  text: z.string(),
  /** Some of {@link PANEL_BUTTONS}; a newer version may have others. */
  buttons: z.array(z.string()),
  /** The alias of the game that is preselected in the panel's modals. */
  game: z.exactOptional(z.string()),
  /** The number of changes to the panel or its language, and the revision that its message shows; absent: 0. */
  revision: z.exactOptional(z.int()),
  shownRevision: z.exactOptional(z.int()),
});
/** A message with buttons for submitting that the bot posted for everyone. */
export type Panel = Readonly<z.infer<typeof panelSchema>>;

/** Keeps fields that a newer version added when this version changes a panel. */
const panelsSchema = z.object({ panels: z.array(panelSchema.loose()) });

const revisionOf = ({ revision = 0 }: Panel): number => revision;

/** Whether a panel's message is older than the stored panel, so that it has to be updated. */
export const isDue = (panel: Panel): boolean => revisionOf(panel) > (panel.shownRevision ?? 0);

export type Panels = ReturnType<typeof createPanels>;

/**
 * Creates the store for each guild's changeable panels, oldest first. Panels that can't be read are treated as missing.
 * Every method throws a StoreError when the store fails.
 */
export function createPanels(deps: {
  readonly store: Pick<Store, 'values' | 'inGuild'>;
  readonly logger: Logger;
}) {
  const { store, logger } = deps;
  const records = createCollection({ values: store.values, name: PANELS, schema: panelsSchema, logger });

  async function of(guildId: string): Promise<readonly Panel[]> {
    const found = await records.get(guildId);
    return found === undefined || found === 'unreadable' ? [] : found.panels;
  }

  /** @returns all panels after the change */
  const change = (guildId: string, how: (panels: readonly Panel[]) => readonly Panel[]) =>
    store.inGuild(guildId, async () => {
      const found = await of(guildId);
      const panels = how(found);
      // Panels that can't be read are only overwritten by a new panel.
      if (found.length > 0 || panels.length > 0) await records.set(guildId, { panels: [...panels] });
      return panels;
    });

  /** Changes one panel, unless it has been removed. */
  const changeOne = (guildId: string, messageId: string, how: (panel: Panel) => Panel) =>
    change(guildId, (panels) => panels.map((each) => (each.messageId === messageId ? how(each) : each)));

  return {
    of,
    guilds: (): Promise<readonly string[]> => store.values.ids(PANELS),
    /**
     * Adds a panel. If two admins add the last possible panel at the same time, the oldest panel's message stays but can no
     * longer be changed.
     */
    add: (guildId: string, panel: Panel) =>
      change(guildId, (panels) => [...panels, panel].slice(-MOST_PANELS)),
    /**
     * Changes a panel whose message already shows the change. If the panel was changed in between, marks it as out of date,
     * because the message shows only one of the two changes.
     * @param drawn the panel as it was read before its message was changed
     */
    change: (guildId: string, drawn: Panel, how: (panel: Panel) => Panel) =>
      changeOne(guildId, drawn.messageId, (panel) => {
        const revision = revisionOf(panel) + 1;
        const isAlone = revisionOf(panel) === revisionOf(drawn);
        return { ...how(panel), revision, ...(isAlone && { shownRevision: revision }) };
      }),
    /** Marks every panel of a guild as out of date, because their language changes. */
    makeDue: (guildId: string) =>
      change(guildId, (panels) => panels.map((panel) => ({ ...panel, revision: revisionOf(panel) + 1 }))),
    /**
     * Records that a panel's message is up to date.
     * @param drawn the panel as it was read before its message was changed
     */
    markShown: (guildId: string, drawn: Panel) =>
      changeOne(guildId, drawn.messageId, (panel) => ({ ...panel, shownRevision: revisionOf(drawn) })),
    forget: (guildId: string, messageId: string) =>
      change(guildId, (panels) => panels.filter((each) => each.messageId !== messageId)),
    delete: (guildId: string): Promise<boolean> => records.delete(guildId),
  };
}
