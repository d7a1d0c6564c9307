import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { createCollection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';

/** Prefix of the names of stored panels, followed by the guild's id. */
export const PANELS = 'panels';

/** If a guild has more panels, the oldest one still works but can't be edited. */
export const MAX_PANELS = 10;

/** The buttons that a panel can have, in the order in which they are displayed. */
export const PANEL_BUTTONS = ['server', 'list', 'mine'] as const;
export type PanelButton = (typeof PANEL_BUTTONS)[number];

const panelSchema = z.object({
  channelId: z.string(),
  messageId: z.string(),
  /** The admin's own text; may be empty. */
  text: z.string(),
  /** The names of the panel's buttons. A newer version may have added names that aren't in {@link PANEL_BUTTONS}. */
  buttons: z.array(z.string()),
  /** The alias of the game that is preselected in modals opened from the panel. */
  game: z.exactOptional(z.string()),
  /** How often the panel or its language has changed, and how many changes its message shows. Both default to 0. */
  revision: z.exactOptional(z.int()),
  shownRevision: z.exactOptional(z.int()),
});
export type Panel = Readonly<z.infer<typeof panelSchema>>;

/** Keeps fields added by a newer version when this version changes a panel. */
const panelsSchema = z.object({ panels: z.array(panelSchema.loose()) });
const NONE = { panels: [] };

const revisionOf = ({ revision = 0 }: Panel): number => revision;

export const isDue = (panel: Panel): boolean => revisionOf(panel) > (panel.shownRevision ?? 0);

export type Panels = ReturnType<typeof createPanels>;

/**
 * Creates the store for the panels that each guild can edit, oldest first. Panels that can't be read are treated as if they
 * didn't exist. Every method throws a StoreError when the store fails.
 */
export function createPanels(deps: {
  readonly store: Pick<Store, 'values' | 'inGuild'>;
  readonly logger: Logger;
}) {
  const { store, logger } = deps;
  const records = createCollection({ values: store.values, name: PANELS, schema: panelsSchema, logger });

  const change = (guildId: string, how: (panels: readonly Panel[]) => readonly Panel[]) =>
    store.inGuild(guildId, async () => {
      const { value: { panels: found } = NONE, save } = await records.open(guildId);
      const panels = how(found);
      // Panels that can't be read are only overwritten if a new panel is added.
      if (found.length > 0 || panels.length > 0) await save({ panels: [...panels] });
      return panels;
    });

  /** Changes a single panel, unless it has been removed in the meantime. */
  const changeOne = (guildId: string, messageId: string, how: (panel: Panel) => Panel) =>
    change(guildId, (panels) => panels.map((each) => (each.messageId === messageId ? how(each) : each)));

  return {
    async of(guildId: string): Promise<readonly Panel[]> {
      const { value = NONE } = await records.open(guildId);
      return value.panels;
    },
    guilds: (): Promise<readonly string[]> => store.values.ids(PANELS),
    /** Adds a panel. If two admins exceed the maximum at the same time, the oldest panel stays but can't be edited. */
    add: (guildId: string, panel: Panel) =>
      change(guildId, (panels) => [...panels, panel].slice(-MAX_PANELS)),
    /**
     * Changes a panel whose message already shows the change. If another admin has changed the panel in the meantime, it is
     * marked as out of date, because its message shows only one of the changes.
     * @param drawn the panel as it was when its message was built
     */
    change: (guildId: string, drawn: Panel, how: (panel: Panel) => Panel) =>
      changeOne(guildId, drawn.messageId, (panel) => {
        const revision = revisionOf(panel) + 1;
        const isAlone = revisionOf(panel) === revisionOf(drawn);
        return { ...how(panel), revision, ...(isAlone && { shownRevision: revision }) };
      }),
    /** Marks all the guild's panels as out of date, because its language has changed. */
    makeDue: (guildId: string) =>
      change(guildId, (panels) => panels.map((panel) => ({ ...panel, revision: revisionOf(panel) + 1 }))),
    /**
     * Records that a panel's message is up to date.
     * @param drawn the panel as it was when its message was built
     */
    markShown: (guildId: string, drawn: Panel) =>
      changeOne(guildId, drawn.messageId, (panel) => ({ ...panel, shownRevision: revisionOf(drawn) })),
    forget: (guildId: string, messageIds: readonly string[]) =>
      change(guildId, (panels) => panels.filter(({ messageId }) => !messageIds.includes(messageId))),
    delete: (guildId: string): Promise<boolean> => records.delete(guildId),
  };
}
