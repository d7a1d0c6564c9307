import { html, nothing, type TemplateResult } from 'lit';
import type { CommandView, OptionView } from '../commands.ts';
import type { Act, Choice, FileValue } from '../protocol.ts';
import { readAssignments } from './assignments.ts';
import { act, fileValue, isFileAccepted } from './connection.ts';
import { Part } from './part.ts';
import { SAMPLE_LISTS } from './sample-lists.ts';
import { acceptedText, wordsFor } from './words.ts';

/** How long the user must stop typing before the page asks the bot for choices, in milliseconds. */
const TYPING_MS = 120;

/**
 * A form for the options of a command. The browser rejects missing options, and the stand-in rejects input that Discord
 * wouldn't send. Dispatches `sent` with the action, or `left` when the user cancels the command.
 */
class SandboxCommand extends Part {
  static override properties = {
    command: { attribute: false },
    given: {},
    isExample: { type: Boolean },
    locale: {},
    suggested: { state: true },
    focused: { state: true },
  };
  declare command: CommandView;
  /** The text that the user typed or pasted after the command's name. */
  declare given: string;
  /** Whether this is a preview, which can't be edited. */
  declare isExample: boolean;
  declare locale: string;
  /** The bot's latest choices for each option. */
  declare suggested: Readonly<Record<string, readonly Choice[]>>;
  /** The name of the option that has the focus. Its description is shown above the fields, as in Discord. */
  declare focused: string;
  typing: number;

  constructor() {
    super();
    this.given = '';
    this.isExample = false;
    this.locale = '';
    this.suggested = {};
    this.focused = '';
    this.typing = 0;
  }

  override firstUpdated(): void {
    const [first] = this.command.options;
    if (first !== undefined && this.given.trim() !== '') this.fill(this.given, first);
    else this.focusNext();
  }

  /** Returns the form field for an option. */
  field(name: string): HTMLInputElement | HTMLSelectElement | null {
    return this.querySelector(`[name="${CSS.escape(name)}"]`);
  }

  /** Focuses the first required field that is empty. If there is none, focuses the send button. */
  focusNext(): void {
    const fields = [...this.querySelectorAll<HTMLInputElement>(':required')];
    const missing = fields.find(({ value }) => value === '');
    (missing ?? this.querySelector<HTMLElement>('.send'))?.focus();
  }

  /**
   * Fills in the fields from text such as `game:cs2 server:play.example.com`.
   * @param own the option for text that doesn't begin with an option's name
   */
  fill(text: string, own: OptionView): void {
    const found = this.assignmentsIn(text, own);
    for (const [name, value] of found) this.setField(name, value);
    const [last, value] = found.at(-1) ?? [own.name, ''];
    this.focusNext();
    const isComplete = this.querySelector('.send:focus') !== null;
    // Focuses the last field instead of the send button, because Enter in a field also sends the command.
    if (value === '' || isComplete) this.field(last)?.focus();
  }

  /** Whether the text begins with the name of an option. */
  isNamed = (text: string): boolean =>
    this.command.options.some(({ name }) => text.trimStart().startsWith(`${name}:`));

  assignmentsIn(text: string, own: OptionView) {
    const names = this.command.options.map(({ name }) => name);
    return readAssignments(this.isNamed(text) ? text : `${own.name}:${text}`, { names, sign: ':' });
  }

  setField(name: string, value: string): void {
    const option = this.command.options.find((each) => each.name === name);
    const field = this.field(name);
    if (option?.kind === 'file') {
      const sample = SAMPLE_LISTS.find((list) => value === list || value.endsWith(`/${list}`));
      if (sample !== undefined) void this.attachSample(sample);
    } else if (field !== null) {
      field.value = option?.choices.find(({ label }) => label === value)?.value ?? value;
    }
  }

  /** If the user types `name:value`, moves the value to that option's field, as Discord does. */
  onTyped(option: OptionView, { value }: HTMLInputElement): void {
    if (this.isNamed(value) || this.assignmentsIn(value, option).length > 1) this.fill(value, option);
    if (option.autocomplete) this.suggest(option);
  }

  get entered(): [string, FormDataEntryValue][] {
    const form = this.querySelector('form') ?? undefined;
    return [...new FormData(form)].filter(([, value]) => (value instanceof File ? value.name : value) !== '');
  }

  /** Asks the bot for choices once the user stops typing. */
  suggest({ name }: OptionView): void {
    clearTimeout(this.typing);
    this.typing = window.setTimeout(async () => {
      const texts = this.entered.filter((each): each is [string, string] => typeof each[1] === 'string');
      const outcome = await act({
        do: 'complete',
        command: this.command.name,
        focused: name,
        options: Object.fromEntries(texts),
      });
      if (outcome.kind === 'choices') this.suggested = { ...this.suggested, [name]: outcome.choices };
    }, TYPING_MS);
  }

  async send(event: Event): Promise<void> {
    event.preventDefault();
    const options: Record<string, string | FileValue> = {};
    for (const [name, value] of this.entered)
      options[name] = value instanceof File ? await fileValue(value) : value;
    this.tell('sent', { do: 'slash', command: this.command.name, options } satisfies Act);
  }

  onFocus(target: EventTarget | null): void {
    this.focused = target instanceof Element ? (target.getAttribute('name') ?? '') : '';
  }

  attach(files: FileList | undefined): void {
    const input = this.querySelector<HTMLInputElement>('input[type=file]');
    if (input === null || files === undefined) return;
    input.files = files;
    input.dispatchEvent(new Event('change'));
  }

  /** Lets the browser reject a file of another type, in the user's language. */
  checkFile({ types }: OptionView, input: HTMLInputElement): void {
    const [file] = input.files ?? [];
    const isAccepted = file === undefined || isFileAccepted(file.name, types);
    input.setCustomValidity(isAccepted ? '' : wordsFor(this.locale).wrongFile);
  }

  async attachSample(list: string): Promise<void> {
    const response = await fetch(`/lists/${list}`);
    const transfer = new DataTransfer();
    transfer.items.add(new File([await response.blob()], list));
    this.attach(transfer.files);
  }

  override render(): TemplateResult {
    const { label, description, options } = this.command;
    const words = wordsFor(this.locale);
    return html`<form
      aria-label=${`/${label}`}
      @submit=${(event: Event) => void this.send(event)}
      @keydown=${({ key }: KeyboardEvent) => key === 'Escape' && this.tell('left')}
      @dragover=${(event: Event) => event.preventDefault()}
      @drop=${(event: DragEvent) => {
        event.preventDefault();
        this.attach(event.dataTransfer?.files);
      }}
    >
      <p class="about">${options.find(({ name }) => name === this.focused)?.description ?? description}</p>
      <fieldset class="fields" ?disabled=${this.isExample} @focusin=${({ target }: FocusEvent) => this.onFocus(target)}>
        <button type="button" class="chip" title=${words.leave} aria-label=${`/${label} – ${words.leave}`} @click=${() => this.tell('left')}>/${label}</button>
        ${options.map((option) => html`<label class="field" title=${option.description}><span>${option.label}</span>${this.renderInput(option)}</label>`)}
        ${options.some(({ kind }) => kind === 'file') ? SAMPLE_LISTS.map((list) => html`<button type="button" class="optional" @click=${() => void this.attachSample(list)}>docs/${list}</button>`) : nothing}
        <button type="submit" class="button primary send">${words.send}</button>
      </fieldset>
    </form>`;
  }

  renderInput(option: OptionView): TemplateResult {
    const { name, kind, required, least, most, autocomplete, choices, description, types } = option;
    if (kind === 'file')
      return html`<input type="file" name=${name} accept=${types.join()} ?required=${required}
          @change=${({ target }: Event) => this.checkFile(option, target as HTMLInputElement)} />
        <small>${acceptedText(types, this.locale)}</small>`;
    if (kind === 'choice')
      return html`<select name=${name} ?required=${required}>
        <option value=""></option>
        ${choices.map((choice) => html`<option value=${choice.value}>${choice.label}</option>`)}
      </select>`;
    if (kind === 'number')
      return html`<input type="number" name=${name} min=${least ?? nothing} max=${most ?? nothing} placeholder=" " aria-description=${description} ?required=${required} />`;
    const list = `suggested-${name}`;
    return html`<input
        type="text"
        name=${name}
        autocomplete="off"
        list=${autocomplete ? list : nothing}
        minlength=${least ?? nothing}
        maxlength=${most ?? nothing}
        placeholder=" "
        aria-description=${description}
        ?required=${required}
        @focus=${() => autocomplete && this.suggest(option)}
        @input=${({ target }: Event) => this.onTyped(option, target as HTMLInputElement)}
      />
      <datalist id=${list}>
        ${(this.suggested[name] ?? []).map((choice) => html`<option value=${choice.value}>${choice.label}</option>`)}
      </datalist>`;
  }
}
customElements.define('sandbox-command', SandboxCommand);
