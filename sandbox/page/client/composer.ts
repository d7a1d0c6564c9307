import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { CommandView, View } from '../protocol.ts';
import type { CommandSent } from './command-line.ts';
import './command-line.ts';
import { activeId, listbox, moved, reveal } from './listbox.ts';
import { wordsFor } from './words.ts';

/** A command that is complete, or words for everybody. */
export type Sent = CommandSent | CustomEvent<{ readonly text: string }>;

const LIST = 'composer-list';

/** Where one writes: words, or `/` and the name of a command, as in Discord. */
class SandboxComposer extends LitElement {
  static override properties = {
    view: { attribute: false },
    text: { state: true },
    command: { state: true },
    active: { state: true },
  };
  declare view: View | undefined;
  declare text: string;
  declare command: CommandView | undefined;
  declare active: number;

  constructor() {
    super();
    this.text = '';
    this.active = 0;
  }

  override createRenderRoot(): this {
    return this;
  }

  override updated(): void {
    reveal(LIST, this.active);
  }

  /** The commands that go on from what is typed. */
  found(): readonly CommandView[] {
    if (!this.text.startsWith('/') || this.text.includes('\n')) return [];
    const typed = this.text.slice(1).trim().toLowerCase();
    return (this.view?.commands ?? []).filter(
      ({ label, name }) => label.includes(typed) || name.includes(typed),
    );
  }

  take(command: CommandView): void {
    this.text = '';
    this.active = 0;
    this.command = command;
  }

  /** Back to words. */
  async leave(): Promise<void> {
    this.command = undefined;
    await this.updateComplete;
    this.querySelector('textarea')?.focus();
  }

  onWords(event: KeyboardEvent): void {
    const found = this.found();
    const next = moved(event.key, this.active, found.length);
    if (next !== undefined && event.key.startsWith('Arrow')) this.active = next;
    else if ((event.key === 'Enter' && !event.shiftKey) || (event.key === 'Tab' && found.length > 0)) {
      const command = found[this.active];
      if (command !== undefined) this.take(command);
      else if (this.text.trim() !== '') this.say();
    } else if (event.key === 'Escape') this.text = '';
    else return;
    event.preventDefault();
  }

  say(): void {
    this.dispatchEvent(new CustomEvent('sent', { detail: { text: this.text }, bubbles: true }));
    this.text = '';
  }

  override render(): TemplateResult {
    const { command } = this;
    return html`<div class="composer">
      ${
        command === undefined
          ? this.renderWords()
          : html`<sandbox-command
              .command=${command}
              .locale=${this.view?.you.locale ?? ''}
              @left=${() => void this.leave()}
              @sent=${() => void this.leave()}
            ></sandbox-command>`
      }
    </div>`;
  }

  renderWords(): TemplateResult {
    const found = this.found();
    const label = `${wordsFor(this.view?.you.locale ?? '').message} #${this.view?.channel ?? ''}`;
    return html`${
      found.length === 0
        ? nothing
        : listbox({
            id: LIST,
            label: '/',
            items: found.map((command) => ({ label: `/${command.label}`, description: command.description })),
            active: this.active,
            choose: (index) => this.take(found[index] as CommandView),
          })
    }
      <textarea
        rows="1"
        aria-label=${label}
        placeholder=${label}
        aria-autocomplete="list"
        aria-controls=${found.length > 0 ? LIST : nothing}
        aria-activedescendant=${activeId(LIST, this.active, found.length)}
        .value=${this.text}
        @input=${(event: Event) => {
          this.text = (event.target as HTMLTextAreaElement).value;
          this.active = 0;
        }}
        @keydown=${(event: KeyboardEvent) => this.onWords(event)}
      ></textarea>`;
  }
}
customElements.define('sandbox-composer', SandboxComposer);
