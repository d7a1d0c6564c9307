import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Offer } from '../../discord/client/components.ts';
import type { SelectView } from '../messages.ts';

interface SelectOptions {
  readonly view: SelectView;
  readonly label: string;
  readonly done: string;
  /** Whether the next step of the scenario uses this select. */
  readonly isTarget: boolean;
  readonly pick: (values: readonly string[]) => void;
}

/** Renders a native select for a single choice, or an expandable list of checkboxes for multiple choices. */
export const select = (about: SelectOptions): TemplateResult =>
  Math.min(about.view.most, about.view.offers.length) > 1 ? several(about) : one(about);

/**
 * Renders the options of a native select. Sets the `selected` property, because the attribute has no effect after the user
 * has chosen an option.
 */
export const options = (offers: readonly Offer[]) =>
  repeat(
    offers,
    ({ value }) => value,
    ({ label, value, isChosen }) => html`<option value=${value} .selected=${isChosen}>${label}</option>`,
  );

function one({ view, label, isTarget, pick }: SelectOptions): TemplateResult {
  const { offers, disabled } = view;
  return html`<select
    class=${isTarget ? 'select target' : 'select'}
    aria-label=${label}
    ?disabled=${disabled}
    @keydown=${openFirst}
    @change=${({ target }: Event) => pick([(target as HTMLSelectElement).value])}
  >
    <option value="" disabled .selected=${!offers.some(({ isChosen }) => isChosen)}>${label}</option>
    ${options(offers)}
  </select>`;
}

/** Opens the select when an arrow key is pressed. Otherwise, each press would immediately choose the next option. */
function openFirst(event: KeyboardEvent): void {
  if (!event.key.startsWith('Arrow')) return;
  event.preventDefault();
  (event.target as HTMLSelectElement).showPicker();
}

function several({ view, label, done, pick }: SelectOptions): TemplateResult {
  const { offers, disabled, least, most } = view;
  const chosen = offers.filter(({ isChosen }) => isChosen).map((offer) => offer.label);
  const take = (event: Event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const values = new FormData(form).getAll('value').map(String);
    if (values.length >= least && values.length <= most) pick(values);
  };
  return html`<details class="several">
    <summary class="select" aria-label=${[label, ...chosen].join(', ')}>${chosen.length === 0 ? label : chosen.join(', ')}</summary>
    <form @submit=${take}>
      ${repeat(
        offers,
        ({ value }) => value,
        (offer) => html`<label>
          <input type="checkbox" name="value" value=${offer.value} .checked=${offer.isChosen} ?disabled=${disabled} />${offer.label}
        </label>`,
      )}
      <button type="submit" class="button primary" ?disabled=${disabled}>${done}</button>
    </form>
  </details>`;
}
