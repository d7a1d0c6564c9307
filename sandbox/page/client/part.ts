import { LitElement } from 'lit';

/** A base class for the page's components. They don't have a shadow root, so the page's stylesheet applies to them. */
export class Part extends LitElement {
  override createRenderRoot(): this {
    return this;
  }

  /** Dispatches an event that bubbles up. */
  tell(name: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }
}
