import type { OnlyOne } from '../../src/storage/only-one.ts';

/** Where there is one process. */
export const onlyOne: OnlyOne = async (_name, _ms, work) => {
  await work();
  return true;
};
