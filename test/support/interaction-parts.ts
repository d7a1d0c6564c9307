import { type AfterCrashDeps, createAfterCrash } from '../../src/interactions/after-crash.ts';
import { createEditOrder } from '../../src/interactions/edit-order.ts';
import { createRecord, type RecordDeps } from '../../src/interactions/record.ts';
import { createTakeover, type TakeoverDeps } from '../../src/interactions/takeover.ts';
import { createUnderWay, type UnderWay } from '../../src/interactions/under-way.ts';

type Made = 'record' | 'underWay' | 'editOrder' | 'tellUnreplied';

export interface InteractionPartsDeps
  extends Omit<RecordDeps & TakeoverDeps & AfterCrashDeps, Made | 'submissions'> {
  readonly underWay?: UnderWay;
  readonly submissions: RecordDeps['submissions'] & TakeoverDeps['submissions'];
}

/** What one run of the bot keeps of interactions, and tells of after a crash. */
export function interactionParts(deps: InteractionPartsDeps) {
  const record = createRecord(deps);
  const { underWay = createUnderWay() } = deps;
  const editOrder = createEditOrder(deps);
  const afterCrash = createAfterCrash({ ...deps, record, underWay, editOrder });
  const takeOver = createTakeover({ ...deps, tellUnreplied: afterCrash.tellUnreplied });
  return {
    record,
    underWay,
    editOrder,
    afterCrash,
    takeOver: () => takeOver(new AbortController().signal),
  };
}
