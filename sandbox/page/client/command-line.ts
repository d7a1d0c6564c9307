import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Choice, CommandView, Entered, FileValue, OptionView } from '../protocol.ts';
import { act, fileValue } from './connection.ts';
import { activeId, listbox, moved, reveal } from './listbox.ts';
import { type Filled, optionEntered } from './option-value.ts';
import { SAMPLE_LISTS } from './sample-lists.ts';
import { type Words, wordsFor } from './words.ts';

/** A command that is complete. The event `left` tells that it is not to be sent. */
export type CommandSent = CustomEvent<{
  readonly command: string;
  readonly options: Entered;
}>;

/** So that not every letter asks the bot. */
const TYPING_MS = 120;
const LIST = 'option-list';

/** A command with its options, filled in one by one. */
class SandboxCommand extends LitElement {
  static override properties = {
    command: { attribute: false },
    locale: {},
    filled: { state: true },
    focused: { state: true },
    offered: { state: true },
    active: { state: true },
    problem: { state: true },
  };
  declare command: CommandView;
  declare locale: string;
  declare filled: Readonly<Record<string, Filled>>;
  declare focused: string;
  /** What the focused option offers; undefined: its list is closed. */
  declare offered: readonly Choice[] | 'loading' | 'lost' | undefined;
  declare active: number;
  declare problem: { readonly option: string; readonly why: string } | undefined;
  asked: number;
  timer: number;

  constructor() {
    super();
    this.asked = 0;
    this.timer = 0;
    this.locale = '';
    this.filled = {};
    this.focused = '';
    this.active = 0;
  }

  override createRenderRoot(): this {
    return this;
  }

  override firstUpdated(): void {
    this.focusOn(this.command.options.find(({ required }) => required));
  }

  override updated(): void {
    reveal(LIST, this.active);
  }

  get words(): Words {
    return wordsFor(this.locale);
  }

  /** The field of that option; without one the button that sends. */
  focusOn(option: OptionView | undefined): void {
    const wanted = option === undefined ? '.send' : `[data-option="${option.name}"]`;
    this.querySelector<HTMLElement>(wanted)?.focus();
  }

  leave(): void {
    this.dispatchEvent(new CustomEvent('left', { bubbles: true }));
  }

  fill(option: OptionView, filled: Filled): void {
    this.filled = { ...this.filled, [option.name]: filled };
    this.problem = undefined;
    this.offer(option);
  }

  /** Opens the list of what an option offers. */
  offer(option: OptionView): void {
    this.focused = option.name;
    this.active = 0;
    const typed = this.filled[option.name]?.text ?? '';
    clearTimeout(this.timer);
    this.asked += 1;
    if (option.autocomplete) {
      this.offered ??= 'loading';
      this.timer = window.setTimeout(() => void this.askBot(option, this.asked), TYPING_MS);
    } else if (option.choices.length > 0) {
      const wanted = typed.toLowerCase();
      this.offered = option.choices.filter(({ label }) => label.toLowerCase().includes(wanted));
    } else this.offered = undefined;
  }

  async askBot(option: OptionView, asked: number): Promise<void> {
    const options: Record<string, string> = {};
    for (const [name, { text, value, file }] of Object.entries(this.filled)) {
      const entered = value ?? text;
      if (entered !== '' && file === undefined) options[name] = entered;
    }
    const outcome = await act({
      do: 'complete',
      command: this.command.name,
      focused: option.name,
      options: { ...options, [option.name]: this.filled[option.name]?.text ?? '' },
    });
    if (asked !== this.asked || this.focused !== option.name) return;
    this.offered = outcome.kind === 'choices' ? outcome.choices : 'lost';
  }

  /** Takes what the list offers, and goes on to the next option that is needed. */
  choose(option: OptionView, index: number): void {
    const choice = Array.isArray(this.offered) ? this.offered[index] : undefined;
    if (choice === undefined) return;
    this.filled = { ...this.filled, [option.name]: { text: choice.label, value: choice.value } };
    this.close();
    const { options } = this.command;
    this.focusOn(options.slice(options.indexOf(option) + 1).find(({ required }) => required));
  }

  close(): void {
    clearTimeout(this.timer);
    this.asked += 1;
    this.offered = undefined;
  }

  onKey(event: KeyboardEvent, option: OptionView): void {
    const { key, shiftKey } = event;
    const { text = '', value } = this.filled[option.name] ?? {};
    const list = Array.isArray(this.offered) ? this.offered : [];
    const next = key.startsWith('Arrow') ? moved(key, this.active, list.length) : undefined;
    if (next !== undefined) this.active = next;
    else if (key === 'Enter' && list.length > 0 && value === undefined) this.choose(option, this.active);
    else if (key === 'Enter') this.send();
    else if (key === 'Escape' && this.offered !== undefined) this.close();
    else if (key === 'Escape') this.leave();
    else {
      // What is active is taken along, and Tab goes on to the next field by itself.
      const choice = list[this.active];
      if (key === 'Tab' && !shiftKey && choice !== undefined && text !== '')
        this.filled = { ...this.filled, [option.name]: { text: choice.label, value: choice.value } };
      return;
    }
    event.preventDefault();
  }

  send(): void {
    const { command } = this;
    const options: Record<string, string | FileValue> = {};
    for (const option of command.options) {
      const read = optionEntered(option, this.filled[option.name], this.words);
      if ('why' in read) {
        this.problem = { option: option.name, why: read.why };
        this.close();
        this.focusOn(option);
        return;
      }
      if (read.value !== undefined) options[option.name] = read.value;
    }
    this.dispatchEvent(
      new CustomEvent('sent', { detail: { command: command.name, options }, bubbles: true }),
    );
  }

  async attach(option: OptionView, file: File | undefined): Promise<void> {
    if (file === undefined) return;
    const value = await fileValue(file);
    if (value === undefined) this.problem = { option: option.name, why: this.words.fileTooLarge };
    else this.fill(option, { text: file.name, file: value });
  }

  async attachSample(option: OptionView, list: string): Promise<void> {
    const response = await fetch(`/lists/${list}`);
    await this.attach(option, new File([await response.blob()], list));
  }

  onDrop(event: DragEvent): void {
    const option = this.command.options.find(({ kind }) => kind === 'file');
    event.preventDefault();
    if (option !== undefined) void this.attach(option, event.dataTransfer?.files[0]);
  }

  override render(): TemplateResult {
    const { words, command } = this;
    const about = command.options.find(({ name }) => name === this.focused);
    return html`<div role="group" aria-label=${`/${command.label}`} @dragover=${(event: DragEvent) => event.preventDefault()} @drop=${(event: DragEvent) => this.onDrop(event)}>
      <p class="about" id="composer-about">${about === undefined ? command.description : `${about.label}: ${about.description}`}</p>
      ${this.problem === undefined ? nothing : html`<p class="problem" id="composer-problem" role="alert">${this.problem.option}: ${this.problem.why}</p>`}
      <div class="fields">
        <button type="button" class="chip" title=${words.leave} aria-label=${`/${command.label} – ${words.leave}`} @click=${() => this.leave()}>/${command.label}</button>
        ${command.options.map((option) => (option.kind === 'file' ? this.renderFile(option) : this.renderField(option)))}
        <button type="button" class="button primary send" @click=${() => this.send()} @keydown=${(event: KeyboardEvent) => event.key === 'Escape' && this.leave()}>${words.send}</button>
      </div>
    </div>`;
  }

  renderFile(option: OptionView): TemplateResult {
    const isWrong = this.problem?.option === option.name;
    return html`<label class=${isWrong ? 'field wrong' : 'field'}><span>${option.label}</span>
      <input type="file" data-option=${option.name} aria-describedby="composer-about"
        @focus=${() => this.offer(option)}
        @change=${(event: Event) => void this.attach(option, (event.target as HTMLInputElement).files?.[0])} />
      <span class="file-name">${this.filled[option.name]?.file?.filename ?? this.words.file}</span></label>
      ${SAMPLE_LISTS.map((list) => html`<button type="button" class="optional" @click=${() => void this.attachSample(option, list)}>docs/${list}</button>`)}`;
  }

  renderField(option: OptionView): TemplateResult {
    const isWrong = this.problem?.option === option.name;
    const isOpen = this.focused === option.name && this.offered !== undefined;
    const list = Array.isArray(this.offered) ? this.offered : [];
    const empty = { loading: this.words.loading, lost: this.words.loadingFailed };
    return html`<div class=${isWrong ? 'field wrong' : 'field'}>
      <label for=${`option-${option.name}`}>${option.label}</label>
      <input
        id=${`option-${option.name}`}
        data-option=${option.name}
        role="combobox"
        autocomplete="off"
        aria-autocomplete="list"
        aria-expanded=${isOpen ? 'true' : 'false'}
        aria-controls=${isOpen ? LIST : nothing}
        aria-activedescendant=${isOpen ? activeId(LIST, this.active, list.length) : nothing}
        aria-describedby="composer-about"
        aria-required=${option.required ? 'true' : 'false'}
        aria-invalid=${isWrong ? 'true' : 'false'}
        inputmode=${option.kind === 'integer' ? 'numeric' : 'text'}
        .value=${this.filled[option.name]?.text ?? ''}
        @focus=${() => this.offer(option)}
        @blur=${() => this.close()}
        @input=${(event: Event) => this.fill(option, { text: (event.target as HTMLInputElement).value })}
        @keydown=${(event: KeyboardEvent) => this.onKey(event, option)}
      />
      ${
        isOpen
          ? listbox({
              id: LIST,
              label: option.label,
              items: list,
              active: this.active,
              empty: typeof this.offered === 'string' ? empty[this.offered] : this.words.nothing,
              choose: (index) => this.choose(option, index),
            })
          : nothing
      }
    </div>`;
  }
}
customElements.define('sandbox-command', SandboxCommand);
