import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { SeatView } from '../protocol.ts';
import type { View } from '../view.ts';
import { options } from './select.ts';
import { avatar } from './story.ts';
import { channelTitle, DIRECT, wordsFor } from './words.ts';

type ChangeSeat = (changes: Partial<SeatView>) => void;

/** Returns a Discord server's initials, which Discord shows instead of a missing picture. */
const initials = (name: string): string =>
  name
    .split(/\s+/u)
    .map(([letter = '']) => letter)
    .join('')
    .slice(0, 2)
    .toUpperCase();

/** Renders the list of Discord servers and the current server's channels, for wide screens. */
export function places({ guilds, channels, you }: View, sit: ChangeSeat): TemplateResult {
  const words = wordsFor(you.locale);
  const current = (isCurrent: boolean) => (isCurrent ? 'true' : 'false');
  return html`<nav class="rail" aria-label=${words.servers}>
      ${repeat(
        guilds,
        ({ id }) => id,
        ({
          id,
          name,
        }) => html`<button type="button" title=${name} aria-label=${name} aria-current=${current(id === you.guild)}
          data-initials=${initials(name)} @click=${() => sit({ guild: id, channel: '' })}></button>`,
      )}
    </nav>
    <nav class="channels" aria-label=${words.channels}>
      <p class="server">${guilds.find(({ id }) => id === you.guild)?.name}</p>
      <ul>
        ${channels.map(
          (
            name,
          ) => html`<li><button type="button" aria-current=${current(name === you.channel)} @click=${() => sit({ channel: name })}
            ><span class="hash" aria-hidden="true">${name === DIRECT ? '✉' : '#'}</span>${name === DIRECT ? words.direct : name}</button></li>`,
        )}
      </ul>
      <p class="self"><img class="avatar" src=${avatar(you.role)} alt="" /><span>${you.role}<small>${words[you.role]}</small></span></p>
    </nav>`;
}

/** Renders a channel's header. On narrow screens, adds the user, the Discord server and a menu of channels. */
export function header(
  { you, guilds, channels }: View,
  sit: ChangeSeat,
  fold: { readonly isOpen: boolean; toggle(): void },
) {
  const { locale, channel, role, guild } = you;
  const words = wordsFor(locale);
  const offers = channels.map((name) => ({
    label: channelTitle(name, locale),
    value: name,
    isChosen: name === channel,
  }));
  return html`<header>
    <img class="avatar narrow" src=${avatar(role)} alt="" />
    <h1><span class="wide">${channelTitle(channel, locale)}</span><span class="narrow"><b>${words[role]}</b> · ${guilds.find(({ id }) => id === guild)?.name}</span></h1>
    <select class="select narrow" aria-label=${words.channel}
      @change=${({ target }: Event) => sit({ channel: (target as HTMLSelectElement).value })}>${options(offers)}</select>
    <button type="button" class="button secondary fold" aria-expanded=${fold.isOpen ? 'true' : 'false'} aria-controls="side"
      @click=${fold.toggle}>${words.sandbox}</button>
  </header>`;
}
