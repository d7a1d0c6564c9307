import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { ModalField } from '../../discord/client/modal-form.ts';
import type { ModalView } from '../messages.ts';
import type { EnteredValues } from '../protocol.ts';
import { fileValue, isFileAccepted } from './connection.ts';
import { draw } from './markup.ts';
import { Part } from './part.ts';
import { options } from './select.ts';
import { acceptedText, wordsFor } from './words.ts';

/** The user submitted the modal with these values. A `closed` event means that the user closed it. */
export type ModalSubmitEvent = CustomEvent<EnteredValues>;

/** Shows a modal as a native dialog. Escape closes it, and Enter in a single-line field submits it. */
class SandboxModal extends Part {
  static override properties = {
    modal: { attribute: false },
    locale: {},
    problem: {},
    isExample: { attribute: false },
    faults: { state: true },
  };
  declare modal: ModalView | undefined;
  declare locale: string;
  declare problem: string;
  /** Whether this is a preview with the values that the scenario will submit. */
  declare isExample: boolean;

  /** What is wrong with each field, by its id. */
  declare faults: Readonly<Record<string, string>>;

  constructor() {
    super();
    this.faults = {};
    this.problem = '';
    this.isExample = false;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('modal')) this.faults = {};
  }

  override updated(changed: PropertyValues<this>): void {
    if (!changed.has('modal') || this.isExample) return;
    const dialog = this.querySelector('dialog');
    if (this.modal === undefined) dialog?.close();
    else if (dialog !== null && !dialog.open) dialog.showModal();
    this.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }

  /** Asks the page to close the dialog. */
  close(event: Event): void {
    event.preventDefault();
    this.tell('closed');
  }

  async submit(event: Event): Promise<void> {
    event.preventDefault();
    const detail: Record<string, EnteredValues[string]> = {};
    for (const [name, value] of new FormData(event.target as HTMLFormElement)) {
      // The browser represents an empty file field as a file without a name.
      if (!(value instanceof File)) detail[name] = value;
      else if (value.name !== '') detail[name] = await fileValue(value);
    }
    this.faults = this.faultsIn(detail);
    const [first] = Object.keys(this.faults);
    if (first !== undefined) return this.querySelector<HTMLElement>(`#field-${CSS.escape(first)}`)?.focus();
    this.tell('submitted', detail);
  }

  /** Finds the fields that Discord's client would reject. */
  faultsIn(entered: EnteredValues): Readonly<Record<string, string>> {
    const words = wordsFor(this.locale);
    const faults = (this.modal?.fields ?? []).flatMap((field) => {
      const value = entered[field.id] ?? '';
      const name = typeof value === 'string' ? value : value.filename;
      if (name === '') return field.required ? [[field.id, words.required]] : [];
      const isOther = field.kind === 'file' && !isFileAccepted(name, field.types);
      return isOther ? [[field.id, words.wrongFile]] : [];
    });
    return Object.fromEntries(faults);
  }

  override render(): TemplateResult {
    const form = this.modal === undefined ? nothing : keyed(this.modal.id, this.renderForm(this.modal));
    if (this.isExample)
      return this.modal === undefined
        ? html``
        : html`<div class="window" role="group" tabindex="0" aria-label=${this.modal.title}>${form}</div>`;
    return html`<dialog class="window" aria-labelledby="modal-title" @cancel=${(event: Event) => this.close(event)}>${form}</dialog>`;
  }

  renderForm({ title, texts, fields }: ModalView): TemplateResult {
    const words = wordsFor(this.locale);
    return html`<form novalidate @submit=${(event: Event) => void this.submit(event)}>
      <h2 id=${this.isExample ? nothing : 'modal-title'}>${title}</h2>
      ${this.problem === '' ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
      ${texts.map((text) => html`<p class="content">${draw(text, this.locale)}</p>`)}
      <fieldset ?disabled=${this.isExample}>
        ${fields.map((field) => this.renderField(field))}
        <div class="row end">
          <button type="button" class="button plain" @click=${(event: Event) => this.close(event)}>${words.cancel}</button>
          <button type="submit" class="button primary">${words.submit}</button>
        </div>
      </fieldset>
    </form>`;
  }

  renderField(field: ModalField): TemplateResult {
    const { id, label, required } = field;
    const hint = this.hintOf(field);
    return html`<div class="modal-field">
      <label for=${`field-${id}`}>${label}${required ? html`<span class="star" aria-hidden="true"> *</span>` : nothing}</label>
      ${hint === '' ? nothing : html`<small id=${`hint-${id}`}>${hint}</small>`}
      ${this.renderInput(field)}
      ${this.faults[id] === undefined ? nothing : html`<small class="problem" role="alert">${this.faults[id]}</small>`}
    </div>`;
  }

  hintOf(field: ModalField): string {
    if (field.description !== '' || field.kind !== 'file') return field.description;
    return acceptedText(field.types, this.locale);
  }

  renderInput(field: ModalField): TemplateResult {
    const { id, required } = field;
    const inputId = `field-${id}`;
    const hint = this.hintOf(field) === '' ? nothing : `hint-${id}`;
    switch (field.kind) {
      case 'select':
        return html`<select id=${inputId} name=${id} aria-describedby=${hint} ?required=${required}>
          <option value="">${field.placeholder || wordsFor(this.locale).choose}</option>
          ${options(field.offers.map((offer) => ({ ...offer, isChosen: offer.value === field.value })))}
        </select>`;
      case 'file':
        return html`<input id=${inputId} name=${id} type="file" accept=${field.types.join()} aria-describedby=${hint}
          ?required=${required} />`;
      case 'text':
        return field.isLong
          ? html`<textarea id=${inputId} name=${id} rows="7" maxlength=${field.most} aria-describedby=${hint}
              placeholder=${field.placeholder} ?required=${required} .value=${field.value ?? ''}></textarea>`
          : html`<input id=${inputId} name=${id} type="text" autocomplete="off" maxlength=${field.most} aria-describedby=${hint}
              placeholder=${field.placeholder} ?required=${required} .value=${field.value ?? ''} />`;
    }
  }
}
customElements.define('sandbox-modal', SandboxModal);
