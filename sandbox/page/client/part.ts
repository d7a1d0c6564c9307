import { LitElement } from 'lit';

/** A component of the page. It has no shadow root, so the page's style applies to it. */
export class Part extends LitElement {
  override createRenderRoot(): this {
    return this;
  }

  /** Dispatches an event to the surrounding components. */
  tell(name: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }
}
