import '@skyra/discord-components-core/discord-messages.js';
import '@skyra/discord-components-core/discord-message.js';
import '@skyra/discord-components-core/discord-embed.js';
import '@skyra/discord-components-core/discord-embed-description.js';
import '@skyra/discord-components-core/discord-embed-footer.js';
import '@skyra/discord-components-core/discord-file-attachment.js';
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import type { ButtonView, EmbedView, FileView, MessageView, SelectView } from '../messages.ts';
import type { Act } from '../protocol.ts';
import { clockText, draw } from './markup.ts';
import { select } from './select.ts';
import { wordsFor } from './words.ts';

/** What can be done to a message. */
export type MessageAct = Extract<Act, { readonly message: string }>;

export interface Drawing {
  readonly locale: string;
  readonly isLight: boolean;
  /** Commands on messages, for their menu. */
  readonly messageCommands: readonly { readonly name: string; readonly label: string }[];
  /** Messages on which the last press had no answer. */
  readonly failed: ReadonlySet<string>;
  readonly act: (what: MessageAct) => void;
}

/** Messages, one under the other. The components look at the theme once, so another one needs new components. */
export function messages(all: readonly MessageView[], drawing: Drawing): TemplateResult {
  const { isLight } = drawing;
  const each = repeat(
    all,
    ({ id }) => id,
    (message) => drawMessage(message, drawing),
  );
  return html`${keyed(isLight, html`<discord-messages no-background ?light-theme=${isLight}>${each}</discord-messages>`)}`;
}

function drawMessage(message: MessageView, drawing: Drawing): TemplateResult {
  const { id, author, bot, ephemeral, state, command, content, embeds, files, rows, edited } = message;
  const { locale, act, failed, messageCommands } = drawing;
  const words = wordsFor(locale);
  const text = content.length === 0 ? nothing : html`<span class="content">${draw(content, locale)}</span>`;
  return html`<discord-message
    data-id=${id}
    class=${ephemeral ? 'ephemeral' : ''}
    author=${author}
    avatar=${`/avatars/${encodeURIComponent(author)}.svg`}
    ?bot=${bot}
    .timestamp=${clockText(message.at, locale)}
  >
    ${command === undefined ? nothing : html`<div slot="reply" class="used"><b>${command.user}</b> ${words.used} <span class="mention">/${command.name}</span></div>`}
    ${state === 'thinking' ? html`<em class="thinking">${author} ${words.thinking}</em>` : text}
    ${state === 'sending' ? html`<em class="thinking">${words.sending}</em>` : nothing}
    ${state === 'failed' ? html`<span class="lost">${words.failed}</span>` : nothing}
    ${edited ? html`<small class="edited">${words.edited}</small>` : nothing}
    ${embeds.map((embed) => drawEmbed(embed, locale))}
    ${files.length === 0 ? nothing : html`<div slot="attachments">${files.map((file) => drawFile(file))}</div>`}
    <div slot="components" class="below">
      ${rows.map((row) => html`<div class="row">${drawControls(row, message, drawing)}</div>`)}
      ${failed.has(id) ? html`<div class="lost">${words.pressFailed}</div>` : nothing}
      ${
        ephemeral
          ? html`<div class="only-you">👁 ${words.onlyYou} •
              <button type="button" class="link" @click=${() => act({ do: 'dismiss', message: id })}>${words.dismiss}</button></div>`
          : html`<div class="apps">
              ${messageCommands.map(
                ({ name, label }) =>
                  html`<button type="button" @click=${() => act({ do: 'apps', message: id, command: name })}>${words.apps} › ${label}</button>`,
              )}
            </div>`
      }
    </div>
  </discord-message>`;
}

function drawEmbed(embed: EmbedView, locale: string): TemplateResult {
  const { color, title, description, footer } = embed;
  return html`<discord-embed
    slot="embeds"
    color=${color || nothing}
    embed-title=${title || nothing}
  >
    ${description.length === 0 ? nothing : html`<discord-embed-description slot="description">${draw(description, locale)}</discord-embed-description>`}
    ${footer === '' ? nothing : html`<discord-embed-footer slot="footer">${footer}</discord-embed-footer>`}
  </discord-embed>`;
}

function drawFile({ name, size, url, preview }: FileView): TemplateResult {
  const kib = Math.max(0.1, Math.round(size / 102.4) / 10);
  return html`<discord-file-attachment name=${name} bytes=${kib} bytes-unit="KB" href=${url}></discord-file-attachment>
    ${preview === '' ? nothing : html`<pre class="preview" tabindex="0" aria-label=${name}>${preview}</pre>`}`;
}

/** Each by its custom id, so that one that takes the place of another has nothing of what was ticked there. */
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
  { act, locale }: Drawing,
): TemplateResult {
  if (control.kind === 'button') return drawButton(control, message, act);
  const words = wordsFor(locale);
  return select({
    view: control,
    label: control.placeholder || words.choose,
    done: words.done,
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
  act: Drawing['act'],
): TemplateResult {
  if (url !== '')
    return html`<a class="button secondary" href=${url} target="_blank" rel="noreferrer">${label} ↗</a>`;
  return html`<button
    type="button"
    class=${`button ${STYLES[style] ?? 'secondary'}`}
    ?disabled=${disabled}
    @click=${() => act({ do: 'press', message: message.id, button: id })}
  >${label}</button>`;
}
