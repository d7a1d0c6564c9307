import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Entered, FieldView, FileValue, ModalView } from '../protocol.ts';
import { fileValue } from './connection.ts';
import { draw } from './markup.ts';
import type { Picked } from './select.ts';
import './select.ts';
import { wordsFor } from './words.ts';

/** What was entered, when it is submitted. The event `closed` tells of the rest. */
export type Submitted = CustomEvent<Readonly<Record<string, Entered>>>;
type Field<K extends FieldView['kind']> = Extract<FieldView, { readonly kind: K }>;

/** A window of Discord's over a native dialog: Escape closes it, Enter in a line submits it. */
class SandboxModal extends LitElement {
  static override properties = {
    modal: { attribute: false },
    locale: {},
    problem: {},
    files: { state: true },
  };
  declare modal: ModalView | undefined;
  declare locale: string;
  declare problem: string;
  declare files: Readonly<Record<string, readonly FileValue[]>>;
  picked: Record<string, readonly string[]>;

  constructor() {
    super();
    this.locale = 'en-US';
    this.problem = '';
    this.files = {};
    this.picked = {};
  }

  override createRenderRoot(): this {
    return this;
  }

  override updated(changed: PropertyValues<this>): void {
    if (!changed.has('modal')) return;
    const dialog = this.querySelector('dialog');
    this.picked = {};
    this.files = {};
    if (this.modal === undefined) dialog?.close();
    else if (dialog !== null && !dialog.open) dialog.showModal();
    this.querySelector<HTMLElement>('input, textarea, .select')?.focus();
  }

  close(): void {
    this.dispatchEvent(new CustomEvent('closed', { bubbles: true }));
  }

  /** Escape: the dialog is closed once the page says so. */
  cancel(event: Event): void {
    event.preventDefault();
    this.close();
  }

  submit(event: Event): void {
    event.preventDefault();
    const values: Record<string, Entered> = { ...this.picked, ...this.files };
    for (const field of this.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('[data-field]'))
      values[field.name] = field.type === 'checkbox' ? (field as HTMLInputElement).checked : field.value;
    this.dispatchEvent(new CustomEvent('submitted', { detail: values, bubbles: true }));
  }

  async attach(id: string, event: Event): Promise<void> {
    const chosen = [...((event.target as HTMLInputElement).files ?? [])];
    const values = await Promise.all(chosen.map(fileValue));
    this.files = { ...this.files, [id]: values.filter((value) => value !== undefined) };
  }

  override render(): TemplateResult {
    const { modal } = this;
    const words = wordsFor(this.locale);
    return html`<dialog aria-labelledby="modal-title" @cancel=${(event: Event) => this.cancel(event)}>
      ${
        modal === undefined
          ? nothing
          : html`<form novalidate @submit=${(event: Event) => this.submit(event)}>
              <h2 id="modal-title">${modal.title}</h2>
              ${this.problem === '' ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
              ${modal.fields.map((field) => this.renderField(field))}
              <div class="row end">
                <button type="button" class="button plain" @click=${() => this.close()}>${words.cancel}</button>
                <button type="submit" class="button primary">${words.submit}</button>
              </div>
            </form>`
      }
    </dialog>`;
  }

  renderField(field: FieldView): TemplateResult {
    if (field.kind === 'words') return html`<p>${draw(field.marks, this.locale)}</p>`;
    const hint =
      field.description === '' ? nothing : html`<small id=${`hint-${field.id}`}>${field.description}</small>`;
    const star = field.required ? html`<span class="star" aria-hidden="true"> *</span>` : nothing;
    return html`<div class="modal-field">
      <label for=${`field-${field.id}`}>${field.label}${star}</label>${hint}${this.renderInput(field)}
    </div>`;
  }

  renderInput(field: Exclude<FieldView, Field<'words'>>): TemplateResult {
    const id = `field-${field.id}`;
    const hint = field.description === '' ? nothing : `hint-${field.id}`;
    switch (field.kind) {
      case 'line':
        return html`<input id=${id} data-field name=${field.id} type="text" autocomplete="off" maxlength=${field.most} aria-describedby=${hint}
          placeholder=${field.placeholder} ?required=${field.required} .value=${field.value} />`;
      case 'lines':
        return html`<textarea id=${id} data-field name=${field.id} rows="7" maxlength=${field.most} aria-describedby=${hint}
          placeholder=${field.placeholder} ?required=${field.required} .value=${field.value}></textarea>`;
      case 'tick':
        return html`<input id=${id} data-field name=${field.id} type="checkbox" ?checked=${field.ticked} />`;
      case 'files':
        return html`<input id=${id} name=${field.id} type="file" ?multiple=${field.most > 1} accept=${field.types.join(',') || nothing}
          aria-describedby=${hint} @change=${(event: Event) => void this.attach(field.id, event)} />`;
      case 'choices':
        return html`<sandbox-select .choices=${field.choices} .label=${field.label} .least=${Math.min(field.least, field.required ? field.least : 0)}
          .most=${field.most} @picked=${(event: Picked) => {
            this.picked[field.id] = event.detail;
          }}></sandbox-select>`;
    }
  }
}
customElements.define('sandbox-modal', SandboxModal);
