import { html, LitElement, nothing, type PropertyValues } from 'lit';
import type { Choice } from '../protocol.ts';
import { activeId, listbox, moved, reveal } from './listbox.ts';

/** What was chosen, once the list is closed. */
export type Picked = CustomEvent<readonly string[]>;

let count = 0;

/**
 * A select as Discord's: a button that opens a list. Of several, Enter or Space chooses, and Escape, Tab or a press
 * beside it is the end; what was chosen is then told by the event `picked`.
 */
class SandboxSelect extends LitElement {
  static override properties = {
    choices: { attribute: false },
    label: {},
    least: { type: Number },
    most: { type: Number },
    disabled: { type: Boolean },
    open: { state: true },
    active: { state: true },
    chosen: { state: true },
  };
  declare choices: readonly Choice[];
  declare label: string;
  declare least: number;
  declare most: number;
  declare disabled: boolean;
  declare open: boolean;
  declare active: number;
  declare chosen: readonly string[];
  readonly listId: string;

  constructor() {
    super();
    this.choices = [];
    this.label = '';
    this.least = 1;
    this.most = 1;
    this.disabled = false;
    this.open = false;
    this.active = 0;
    this.chosen = [];
    count += 1;
    this.listId = `select-${count}`;
  }

  override createRenderRoot(): this {
    return this;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('choices') && !this.open)
      this.chosen = this.choices.filter(({ chosen }) => chosen).map(({ value }) => value);
  }

  override updated(): void {
    if (this.open) reveal(this.listId, this.active);
  }

  choose(index: number): void {
    const value = this.choices[index]?.value;
    if (value === undefined) return;
    this.active = index;
    if (this.most === 1) {
      this.chosen = [value];
      this.finish();
    } else if (this.chosen.includes(value)) this.chosen = this.chosen.filter((each) => each !== value);
    else if (this.chosen.length < this.most) this.chosen = [...this.chosen, value];
  }

  /** Closes the list, and tells when that is a choice. */
  finish(): void {
    if (!this.open) return;
    this.open = false;
    if (this.chosen.length < this.least) return;
    const before = this.choices.filter(({ chosen }) => chosen).map(({ value }) => value);
    if (this.most > 1 && before.join() === this.chosen.join()) return;
    this.dispatchEvent(new CustomEvent('picked', { detail: this.chosen, bubbles: true }));
  }

  toggle(): void {
    if (this.open) this.close();
    else this.open = true;
  }

  onKey(event: KeyboardEvent): void {
    const { key } = event;
    if (!this.open) {
      if (key !== 'ArrowDown' && key !== 'ArrowUp') return;
      event.preventDefault();
      this.open = true;
      return;
    }
    const next = moved(key, this.active, this.choices.length);
    if (next !== undefined) this.active = next;
    else if (key === 'Enter' || key === ' ') this.choose(this.active);
    else if (key === 'Escape') this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Escape: of one nothing is chosen; of several it is the end. */
  close(): void {
    if (this.most > 1) this.finish();
    this.open = false;
  }

  override render() {
    const shown = this.choices.filter(({ value }) => this.chosen.includes(value)).map(({ label }) => label);
    const text = shown.length === 0 ? this.label : shown.join(', ');
    return html`<button
        type="button"
        class="select"
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded=${this.open ? 'true' : 'false'}
        aria-controls=${this.open ? this.listId : nothing}
        aria-activedescendant=${this.open ? activeId(this.listId, this.active, this.choices.length) : nothing}
        aria-label=${this.label === text ? text : `${this.label}: ${text}`}
        ?disabled=${this.disabled}
        @click=${() => this.toggle()}
        @keydown=${(event: KeyboardEvent) => this.onKey(event)}
        @blur=${() => this.close()}
      >
        <span>${text}</span><span aria-hidden="true">⌄</span>
      </button>
      ${
        this.open
          ? listbox({
              id: this.listId,
              label: this.label,
              items: this.choices.map((choice) => ({
                ...choice,
                chosen: this.chosen.includes(choice.value),
              })),
              active: this.active,
              several: this.most > 1,
              choose: (index) => this.choose(index),
            })
          : nothing
      }`;
  }
}
customElements.define('sandbox-select', SandboxSelect);
