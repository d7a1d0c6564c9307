import {
  type APIComponentInLabel,
  type APIModalInteractionResponseCallbackData,
  ComponentType,
} from 'discord.js';
import { createLatest } from '../world/latest.ts';
import { modalFields } from './modal-form.ts';

type Modal = APIModalInteractionResponseCallbackData;
type Values = Readonly<Record<string, string>>;

/**
 * Remembers modal values by custom id, as Discord's mobile app does. If an id is reused, the new modal shows the old
 * modal's values (discord-api-docs#7554), or the text that the user typed before closing the old modal.
 */
export function createPhone() {
  const remembered = createLatest<Values>();
  return {
    /** Returns the modal as the app shows it. */
    show(modal: Modal): Modal {
      const values = remembered.get(modal.custom_id);
      if (values) return withValues(modal, values);
      remembered.set(modal.custom_id, valuesIn(modal));
      return modal;
    },
    /** Closes the modal without submitting it. The app keeps the typed text. */
    close(modal: Modal, typed: Values): void {
      remembered.set(modal.custom_id, { ...valuesIn(modal), ...typed });
    },
  };
}

const valuesIn = (modal: Modal): Values =>
  Object.fromEntries(modalFields(modal).map(({ id, value = '' }) => [id, value]));

const withValues = (modal: Modal, values: Values): Modal => ({
  ...modal,
  components: modal.components.map((part) => {
    if (part.type !== ComponentType.Label) return part;
    return { ...part, component: withValue(part.component, values) };
  }),
});

function withValue(component: APIComponentInLabel, values: Values): APIComponentInLabel {
  const value = values[component.custom_id];
  if (value === undefined) return component;
  if (component.type === ComponentType.TextInput) return { ...component, value };
  if (component.type !== ComponentType.StringSelect) return component;
  const options = component.options.map((option) => ({ ...option, default: option.value === value }));
  return { ...component, options };
}
