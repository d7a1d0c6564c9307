import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Offer } from '../../discord/client/components.ts';
import type { SelectView } from '../messages.ts';

interface About {
  readonly view: SelectView;
  readonly label: string;
  readonly done: string;
  /** Whether a scenario will use the select next. */
  readonly isTarget: boolean;
  readonly pick: (values: readonly string[]) => void;
}

/** Draws a select: native for a single choice, an expandable list of checkboxes for several. */
export const select = (about: About): TemplateResult =>
  Math.min(about.view.most, about.view.offers.length) > 1 ? several(about) : one(about);

/** Draws the options of a native select. They set a property, because an attribute wouldn't undo the user's choice. */
export const options = (offers: readonly Offer[]) =>
  repeat(
    offers,
    ({ value }) => value,
    ({ label, value, isChosen }) => html`<option value=${value} .selected=${isChosen}>${label}</option>`,
  );

function one({ view, label, isTarget, pick }: About): TemplateResult {
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

/** Opens the select for arrow keys, which would otherwise choose every option on the way. */
function openFirst(event: KeyboardEvent): void {
  if (!event.key.startsWith('Arrow')) return;
  event.preventDefault();
  (event.target as HTMLSelectElement).showPicker();
}

function several({ view, label, done, pick }: About): TemplateResult {
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
