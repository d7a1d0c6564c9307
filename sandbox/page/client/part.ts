import { LitElement } from 'lit';

/** A part of the page, drawn without a shadow so that the page's style is its own. */
export class Part extends LitElement {
  override createRenderRoot(): this {
    return this;
  }

  /** Tells those around it. */
  tell(name: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }
}
