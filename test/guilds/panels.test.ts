import { describe, expect, it } from 'vitest';
import { createPanels, isDue, type Panel } from '../../src/guilds/panels.ts';
import { openStore } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const FIRST: Panel = { channelId: '5', messageId: '10', text: 'a', buttons: ['server'] };
const SECOND: Panel = { ...FIRST, messageId: '11' };

async function setUp(stored: readonly object[] = [FIRST, SECOND]) {
  const store = await openStore();
  await store.values.set('panels:1', { panels: stored, later: 'beside' });
  const panels = createPanels({ store, logger: recorder() });
  const find = async (messageId = '10') => {
    const panel = (await panels.of('1')).find((each) => each.messageId === messageId);
    if (!panel) throw new Error(`there is no panel ${messageId}`);
    return panel;
  };
  return { store, panels, find };
}

describe("a guild's panels", () => {
  it('preserve fields added by a newer version of the bot', async () => {
    const { store, panels, find } = await setUp([
      { ...FIRST, colour: 'red' },
      { ...SECOND, colour: 'blue' },
    ]);
    await panels.change('1', await find(), (panel) => ({ ...panel, text: 'b' }));
    await panels.makeDue('1');
    await panels.markShown('1', await find('11'));
    expect(await store.values.get('panels:1')).toMatchObject({
      panels: [{ text: 'b', colour: 'red' }, { colour: 'blue' }],
      later: 'beside',
    });
  });

  it('can be changed by two admins at the same time', async () => {
    const { panels, find } = await setUp();
    const drawn = await find();
    await panels.change('1', drawn, (panel) => ({ ...panel, text: 'b' }));
    expect(isDue(await find())).toBe(false);
    await panels.change('1', drawn, (panel) => ({ ...panel, buttons: ['list'] }));
    const both = await find();
    expect(both).toMatchObject({ text: 'b', buttons: ['list'] });
    expect(isDue(both)).toBe(true);
    expect(isDue(await find('11'))).toBe(false);
    await panels.markShown('1', both);
    expect(isDue(await find())).toBe(false);
  });

  it('are updated again if they change during an update', async () => {
    const { panels, find } = await setUp();
    await panels.makeDue('1');
    const drawn = await find();
    await panels.makeDue('1');
    await panels.markShown('1', drawn);
    expect(isDue(await find())).toBe(true);
  });

  it("aren't updated again if a change has already updated them", async () => {
    const { panels, find } = await setUp();
    await panels.makeDue('1');
    await panels.change('1', await find(), (panel) => ({ ...panel, text: 'b' }));
    expect(isDue(await find())).toBe(false);
    expect(isDue(await find('11'))).toBe(true);
  });

  it("aren't overwritten if they are corrupted", async () => {
    const { store, panels } = await setUp();
    await store.values.set('panels:1', { panels: 'damaged' });
    await panels.makeDue('1');
    expect(await store.values.get('panels:1')).toEqual({ panels: 'damaged' });
  });
});
