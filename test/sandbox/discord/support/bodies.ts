/** Parts of the bodies that a bot sends, each right as it is. */
export const button = (more: object = {}) => ({
  type: 2,
  style: 1,
  label: 'Press',
  custom_id: 'press',
  ...more,
});
export const row = (...components: object[]) => ({ type: 1, components });
export const label = (component: object, more: object = {}) => ({
  type: 18,
  label: 'Text',
  component,
  ...more,
});
export const input = (more: object = {}) => ({ type: 4, custom_id: 'text', style: 1, ...more });
export const modal = (more: object = {}) => ({
  type: 9,
  data: { custom_id: 'asked', title: 'A question', components: [label(input())], ...more },
});
