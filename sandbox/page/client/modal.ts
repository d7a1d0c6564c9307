import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ModalField } from '../../discord/client/modal-form.ts';
import type { ModalView } from '../acts.ts';
import { wordsFor } from './words.ts';

/** What was entered, when it is submitted. The event `closed` tells of the rest. */
export type Submitted = CustomEvent<Readonly<Record<string, string>>>;

/** A window of Discord's over a native dialog: Escape closes it, Enter in a line submits it. */
class SandboxModal extends LitElement {
  static override properties = {
    modal: { attribute: false },
    locale: {},
    problem: {},
  };
  declare modal: ModalView | undefined;
  declare locale: string;
  declare problem: string;

  override createRenderRoot(): this {
    return this;
  }

  override updated(changed: PropertyValues<this>): void {
    if (!changed.has('modal')) return;
    const dialog = this.querySelector('dialog');
    if (this.modal === undefined) dialog?.close();
    else if (dialog !== null && !dialog.open) dialog.showModal();
    this.querySelector<HTMLElement>('input, textarea')?.focus();
  }

  /** The dialog is closed once the page says so. */
  close(event: Event): void {
    event.preventDefault();
    this.dispatchEvent(new CustomEvent('closed', { bubbles: true }));
  }

  submit(event: Event): void {
    event.preventDefault();
    const entered = new FormData(event.target as HTMLFormElement);
    const detail = Object.fromEntries([...entered].map(([name, value]) => [name, String(value)]));
    this.dispatchEvent(new CustomEvent('submitted', { detail, bubbles: true }));
  }

  override render(): TemplateResult {
    return html`<dialog aria-labelledby="modal-title" @cancel=${(event: Event) => this.close(event)}>
      ${this.modal === undefined ? nothing : this.renderForm(this.modal)}
    </dialog>`;
  }

  renderForm({ title, texts, fields }: ModalView): TemplateResult {
    const words = wordsFor(this.locale);
    return html`<form novalidate @submit=${(event: Event) => this.submit(event)}>
      <h2 id="modal-title">${title}</h2>
      ${this.problem === '' ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
      ${texts.map((text) => html`<p>${text}</p>`)}
      ${fields.map((field) => this.renderField(field))}
      <div class="row end">
        <button type="button" class="button plain" @click=${(event: Event) => this.close(event)}>${words.cancel}</button>
        <button type="submit" class="button primary">${words.submit}</button>
      </div>
    </form>`;
  }

  renderField(field: ModalField): TemplateResult {
    const { id, label, description, placeholder, required, isLong, most, value = '' } = field;
    const hint = description === '' ? nothing : `hint-${id}`;
    return html`<div class="modal-field">
      <label for=${`field-${id}`}>${label}${required ? html`<span class="star" aria-hidden="true"> *</span>` : nothing}</label>
      ${description === '' ? nothing : html`<small id=${`hint-${id}`}>${description}</small>`}
      ${
        isLong
          ? html`<textarea id=${`field-${id}`} name=${id} rows="7" maxlength=${most} aria-describedby=${hint}
              placeholder=${placeholder} ?required=${required} .value=${value}></textarea>`
          : html`<input id=${`field-${id}`} name=${id} type="text" autocomplete="off" maxlength=${most} aria-describedby=${hint}
              placeholder=${placeholder} ?required=${required} .value=${value} />`
      }
    </div>`;
  }
}
customElements.define('sandbox-modal', SandboxModal);
