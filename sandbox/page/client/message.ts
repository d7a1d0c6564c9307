import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ButtonView, EmbedView, FileView, MessageView, SelectView } from '../messages.ts';
import type { Act } from '../protocol.ts';
import { clockText, draw } from './markup.ts';
import { select } from './select.ts';
import { avatar } from './story.ts';
import { wordsFor } from './words.ts';

/** An action on a message. */
export type MessageAct = Extract<Act, { readonly message: string }>;

export interface Drawing {
  readonly locale: string;
  /** The message commands in each message's menu. */
  readonly messageCommands: readonly { readonly name: string; readonly label: string }[];
  /** The messages whose last button press didn't get a response. */
  readonly failed: ReadonlySet<string>;
  /** The custom id of the control that the next step of the scenario uses. */
  readonly target: string | undefined;
  readonly act: (what: MessageAct) => void;
}

/** Renders messages from top to bottom. */
export const messages = (all: readonly MessageView[], drawing: Drawing) =>
  repeat(
    all,
    ({ id }) => id,
    (message) => drawMessage(message, drawing),
  );

function drawMessage(message: MessageView, drawing: Drawing): TemplateResult {
  const { id, author, bot, ephemeral, state, command, content, embeds, files, rows, edited } = message;
  const { locale, act, failed } = drawing;
  const words = wordsFor(locale);
  const clock = clockText(message.at, locale);
  return html`<article class=${ephemeral ? 'message ephemeral' : 'message'} data-id=${id} aria-label=${`${author}, ${clock}`}>
    ${command === undefined ? nothing : html`<div class="used"><b>${command.user}</b> ${words.used} <span class="mention">/${command.name}</span></div>`}
    <img class="avatar" src=${avatar(author)} alt="" />
    <div class="said">
      <div class="author"><b>${author}</b>${bot ? html`<span class="app">${words.app}</span>` : nothing}<time>${clock}</time></div>
      ${content.length === 0 || state === 'thinking' ? nothing : html`<div class="content">${draw(content, locale)}</div>`}
      ${state === 'thinking' ? html`<em class="thinking">${author} ${words.thinking}</em>` : nothing}
      ${state === 'sending' ? html`<em class="thinking">${words.sending}</em>` : nothing}
      ${state === 'failed' ? html`<span class="lost">${words.failed}</span>` : nothing}
      ${edited ? html`<small class="edited">${words.edited}</small>` : nothing}
      ${embeds.map((embed) => drawEmbed(embed, locale))}
      ${files.map((file) => drawFile(file))}
      ${rows.map((row) => html`<div class="row">${drawControls(row, message, drawing)}</div>`)}
      ${failed.has(id) ? html`<div class="lost">${words.pressFailed}</div>` : nothing}
      ${
        ephemeral
          ? html`<div class="only-you">👁 ${words.onlyYou} •
              <button type="button" class="link" @click=${() => act({ do: 'dismiss', message: id })}>${words.dismiss}</button></div>`
          : nothing
      }
    </div>
    ${ephemeral ? nothing : drawMenu(message, drawing)}
  </article>`;
}

/** Renders the menu of message commands. */
function drawMenu(
  { id }: MessageView,
  { messageCommands, locale, act }: Drawing,
): TemplateResult | typeof nothing {
  if (messageCommands.length === 0) return nothing;
  const words = wordsFor(locale);
  return html`<button type="button" class="more" popovertarget=${`apps-${id}`} aria-label=${words.more}>⋯</button>
    <div id=${`apps-${id}`} class="apps" popover>
      ${messageCommands.map(
        ({ name, label }) =>
          html`<button type="button" popovertarget=${`apps-${id}`} popovertargetaction="hide"
            @click=${() => act({ do: 'apps', message: id, command: name })}>${words.apps} › ${label}</button>`,
      )}
    </div>`;
}

function drawEmbed({ color, title, description, footer }: EmbedView, locale: string): TemplateResult {
  return html`<div class="embed" .style=${color === '' ? '' : `border-color: ${color}`}>
    ${title === '' ? nothing : html`<b class="embed-title">${title}</b>`}
    ${description.length === 0 ? nothing : html`<div class="embed-text">${draw(description, locale)}</div>`}
    ${footer === '' ? nothing : html`<small>${footer}</small>`}
  </div>`;
}

function drawFile({ name, size, url, preview }: FileView): TemplateResult {
  const kib = Math.max(0.1, Math.round(size / 102.4) / 10);
  return html`<div class="file">
      <span class="sign" aria-hidden="true">📄</span><span><a href=${url}>${name}</a><small>${kib} KB</small></span>
    </div>
    ${preview === '' ? nothing : html`<pre class="preview" tabindex="0" aria-label=${name}>${preview}</pre>`}`;
}

/** Renders a row of controls, keyed by custom id so that a new control doesn't inherit an old control's ticked boxes. */
const drawControls = (
  row: readonly (ButtonView | SelectView)[],
  message: MessageView,
  drawing: Drawing,
): unknown =>
  repeat(
    row,
    (control) => control.id,
    (control) => drawControl(control, message, drawing),
  );

function drawControl(
  control: ButtonView | SelectView,
  message: MessageView,
  drawing: Drawing,
): TemplateResult {
  const { act, locale, target } = drawing;
  if (control.kind === 'button') return drawButton(control, message, drawing);
  const words = wordsFor(locale);
  return select({
    view: control,
    label: control.placeholder || words.choose,
    done: words.done,
    isTarget: control.id === target,
    pick: (values) => act({ do: 'pick', message: message.id, select: control.id, values }),
  });
}

const STYLES: Readonly<Record<number, string>> = {
  1: 'primary',
  2: 'secondary',
  3: 'success',
  4: 'danger',
  5: 'secondary',
};

function drawButton(
  { id, label, style, disabled, url }: ButtonView,
  message: MessageView,
  { act, target }: Drawing,
): TemplateResult {
  if (url !== '')
    return html`<a class="button secondary" href=${url} target="_blank" rel="noreferrer">${label} ↗</a>`;
  return html`<button
    type="button"
    class=${`button ${STYLES[style] ?? 'secondary'}${id === target ? ' target' : ''}`}
    ?disabled=${disabled}
    @click=${() => act({ do: 'press', message: message.id, button: id })}
  >${label}</button>`;
}
