import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { CommandView } from '../commands.ts';
import type { Act } from '../protocol.ts';
import type { View } from '../view.ts';
import './command-line.ts';
import { Part } from './part.ts';
import { DIRECT, wordsFor } from './words.ts';

const LIST = 'composer-list';
/** Matches `/name`, a space, and the remaining text. */
const CALLED = /^\s*\/(\S+)\s(.*)$/su;

/**
 * The field in which users write messages. As in Discord, `/` and a name start a command. Dispatches `sent` with the
 * action, or `unknown` with the name of an unknown command.
 */
export class SandboxComposer extends Part {
  static override properties = {
    view: { attribute: false },
    example: {},
    text: { state: true },
    command: { state: true },
    given: { state: true },
    active: { state: true },
  };
  declare view: View | undefined;
  /** The command line that a scenario previews. It is read-only. */
  declare example: string;
  declare text: string;
  declare command: CommandView | undefined;
  /** The text after the command's name. */
  declare given: string;
  declare active: number;

  constructor() {
    super();
    this.example = '';
    this.text = '';
    this.given = '';
    this.active = 0;
  }

  override updated(): void {
    document.getElementById(`${LIST}-${this.active}`)?.scrollIntoView({ block: 'nearest' });
  }

  /** Returns the commands that match the user's text. */
  found(): readonly CommandView[] {
    if (!this.text.startsWith('/') || this.text.includes('\n')) return [];
    const typed = this.text.slice(1).trim().toLowerCase();
    return (this.view?.commands ?? []).filter(
      ({ label, name }) => label.includes(typed) || name.includes(typed),
    );
  }

  /** Replaces the text, as if the user had typed it. */
  async write(text: string): Promise<void> {
    this.command = undefined;
    this.type(text);
    await this.updateComplete;
    this.querySelector('textarea')?.focus();
  }

  /**
   * Splits text into a command and the text after it. Returns `undefined` if the text doesn't begin with a command's full
   * name.
   */
  called(text: string): { readonly command: CommandView; readonly given: string } | undefined {
    const [, name, given = ''] = CALLED.exec(text) ?? [];
    const command = this.view?.commands.find(
      (each) => name !== undefined && [each.name, each.label].includes(name),
    );
    return command === undefined ? undefined : { command, given };
  }

  /**
   * Handles typed text. As in Discord, the full name of a command and a space open the command; any further text fills in
   * its options.
   */
  type(text: string): void {
    this.text = text;
    this.active = 0;
    const called = this.called(text);
    if (called !== undefined) this.take(called.command, called.given);
  }

  take(command: CommandView, given = ''): void {
    this.text = '';
    this.active = 0;
    this.given = given;
    this.command = command;
  }

  /** Cancels the command and returns to the message field. */
  async leave(): Promise<void> {
    this.command = undefined;
    await this.updateComplete;
    this.querySelector('textarea')?.focus();
  }

  onWords(event: KeyboardEvent): void {
    const found = this.found();
    if (event.key === 'ArrowDown' && found.length > 0) this.active = (this.active + 1) % found.length;
    else if (event.key === 'ArrowUp' && found.length > 0)
      this.active = (this.active + found.length - 1) % found.length;
    else if ((event.key === 'Enter' && !event.shiftKey) || (event.key === 'Tab' && found.length > 0)) {
      const command = found[this.active];
      if (command !== undefined) this.take(command);
      else if (this.text.trim() !== '') this.say();
    } else if (event.key === 'Escape') this.text = '';
    else return;
    event.preventDefault();
  }

  say(): void {
    const [unknown] = /^\/\w\S*/.exec(this.text.trim()) ?? [];
    if (unknown !== undefined) this.tell('unknown', unknown);
    else {
      this.tell('sent', { do: 'say', text: this.text } satisfies Act);
      this.text = '';
    }
  }

  override render(): TemplateResult {
    const shown = this.example === '' ? undefined : this.called(`${this.example} `);
    if (shown !== undefined)
      return html`<div class="composer">${keyed(this.example, this.renderCommand(shown, true))}</div>`;
    const { command, given } = this;
    return html`<div class="composer">
      ${command === undefined ? this.renderWords() : this.renderCommand({ command, given }, false)}
    </div>`;
  }

  renderCommand(
    { command, given }: { readonly command: CommandView; readonly given: string },
    isExample: boolean,
  ): TemplateResult {
    return html`<sandbox-command
      .command=${command}
      .given=${given}
      .isExample=${isExample}
      .locale=${this.view?.you.locale ?? ''}
      @left=${() => void this.leave()}
      @sent=${() => void this.leave()}
    ></sandbox-command>`;
  }

  renderWords(): TemplateResult {
    const found = this.found();
    const { view } = this;
    const to = view?.you.channel === DIRECT ? `@${view.botName}` : `#${view?.you.channel ?? ''}`;
    const label = `${wordsFor(view?.you.locale ?? '').message} ${to}`;
    return html`${found.length === 0 ? nothing : this.renderList(found)}
      <textarea
        rows="1"
        aria-label=${label}
        placeholder=${label}
        aria-autocomplete="list"
        aria-controls=${found.length > 0 ? LIST : nothing}
        aria-activedescendant=${this.active < found.length ? `${LIST}-${this.active}` : nothing}
        .value=${this.text}
        @input=${({ target }: Event) => this.type((target as HTMLTextAreaElement).value)}
        @keydown=${(event: KeyboardEvent) => this.onWords(event)}
      ></textarea>`;
  }

  /**
   * Renders the list of commands. The message field keeps the focus, and refers to the highlighted command for screen
   * readers.
   */
  renderList(found: readonly CommandView[]): TemplateResult {
    return html`<ul id=${LIST} class="listbox" role="listbox" aria-label="/">
      ${found.map(
        (command, index) => html`<li
          id=${`${LIST}-${index}`}
          role="option"
          aria-selected=${index === this.active ? 'true' : 'false'}
          class=${index === this.active ? 'active' : ''}
          @mousedown=${(event: Event) => event.preventDefault()}
          @click=${() => this.take(command)}
        >
          <span>/${command.label}</span>
          <small>${command.description}</small>
        </li>`,
      )}
    </ul>`;
  }
}
customElements.define('sandbox-composer', SandboxComposer);
