import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { createCollection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';

/** The panels of each guild are stored under this name and the id of the guild. */
export const PANELS = 'panels';

/** How many panels of a guild can be changed. */
export const MOST_PANELS = 10;

/** What a panel can have, in this order. */
export const PANEL_BUTTONS = ['server', 'list', 'mine'] as const;
export type PanelButton = (typeof PANEL_BUTTONS)[number];

const panelSchema = z.object({
  channelId: z.string(),
  messageId: z.string(),
  /** The admin's own text; may be empty. */
  text: z.string(),
  /** Which of {@link PANEL_BUTTONS}; a newer version may know more. */
  buttons: z.array(z.string()),
  /** The alias of the game that its modals begin with. */
  game: z.exactOptional(z.string()),
  /** How often the panel or its language has changed, and which of these changes its message shows; absent: none. */
  changes: z.exactOptional(z.int()),
  shown: z.exactOptional(z.int()),
});
/** A message with buttons that submit, which the bot has posted for everybody. */
export type Panel = Readonly<z.infer<typeof panelSchema>>;

/** What a newer version stores beside these fields stays when this version changes a panel. */
const panelsSchema = z.object({ panels: z.array(panelSchema.loose()) });

const countOf = ({ changes = 0 }: Panel): number => changes;

/** Whether the message of a panel shows less than what is stored, so that it has to be changed. */
export const isDue = (panel: Panel): boolean => countOf(panel) > (panel.shown ?? 0);

export type Panels = ReturnType<typeof createPanels>;

/**
 * The panels of each guild that can be changed, oldest first; unreadable ones count as none. Every method throws a StoreError
 * when the store fails.
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

  /** @returns the panels afterwards */
  const change = (guildId: string, how: (panels: readonly Panel[]) => readonly Panel[]) =>
    store.inGuild(guildId, async () => {
      const found = await of(guildId);
      const panels = how(found);
      // Unreadable panels are only overwritten by a new one.
      if (found.length > 0 || panels.length > 0) await records.set(guildId, { panels: [...panels] });
      return panels;
    });

  /** Changes one panel, unless it was forgotten meanwhile. */
  const changeOne = (guildId: string, messageId: string, how: (panel: Panel) => Panel) =>
    change(guildId, (panels) => panels.map((each) => (each.messageId === messageId ? how(each) : each)));

  return {
    of,
    /** The ids of the guilds that have panels. */
    guilds: (): Promise<readonly string[]> => store.values.ids(PANELS),
    /** Two admins can post the last one at the same time: the oldest stands, and can be changed no more. */
    add: (guildId: string, panel: Panel) =>
      change(guildId, (panels) => [...panels, panel].slice(-MOST_PANELS)),
    /**
     * Changes a panel whose message shows the change already. If another change came between, the panel is due: its message shows
     * only one of the two.
     * @param drawn the panel as it was read before its message was changed
     */
    change: (guildId: string, drawn: Panel, how: (panel: Panel) => Panel) =>
      changeOne(guildId, drawn.messageId, (panel) => {
        const changes = countOf(panel) + 1;
        const isAlone = countOf(panel) === countOf(drawn);
        return { ...how(panel), changes, ...(isAlone && { shown: changes }) };
      }),
    /** Makes every panel of a guild due, since their language changes. */
    makeDue: (guildId: string) =>
      change(guildId, (panels) => panels.map((panel) => ({ ...panel, changes: countOf(panel) + 1 }))),
    /** Records that the message of a panel shows it. @param drawn the panel as it was read before its message was changed */
    shown: (guildId: string, drawn: Panel) =>
      changeOne(guildId, drawn.messageId, (panel) => ({ ...panel, shown: countOf(drawn) })),
    forget: (guildId: string, messageId: string) =>
      change(guildId, (panels) => panels.filter((each) => each.messageId !== messageId)),
    delete: (guildId: string): Promise<boolean> => records.delete(guildId),
  };
}
