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
  /** The alias of the game that its windows begin with. */
  game: z.exactOptional(z.string()),
});
/** A message with buttons that submit, which the bot has posted for everybody. */
export type Panel = Readonly<z.infer<typeof panelSchema>>;

const panelsSchema = z.object({ panels: z.array(panelSchema) });

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
      const panels = how(await of(guildId));
      await records.set(guildId, { panels: [...panels] });
      return panels;
    });

  return {
    of,
    /** Two admins may post the last one at once: the oldest stands, and can be changed no more. */
    add: (guildId: string, panel: Panel) =>
      change(guildId, (panels) => [...panels, panel].slice(-MOST_PANELS)),
    /** Records a panel as it is now, unless it was forgotten meanwhile. */
    replace: (guildId: string, panel: Panel) =>
      change(guildId, (panels) => panels.map((each) => (each.messageId === panel.messageId ? panel : each))),
    forget: (guildId: string, messageId: string) =>
      change(guildId, (panels) => panels.filter((each) => each.messageId !== messageId)),
    delete: (guildId: string): Promise<boolean> => records.delete(guildId),
  };
}
