import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Act, SeatView } from '../protocol.ts';
import type { TraceEntry } from '../trace.ts';
import type { TroublesView, View } from '../view.ts';
import { options } from './select.ts';
import { scenarioLink } from './story.ts';
import { wordsFor } from './words.ts';

/** The contents and actions of the side panel. */
interface Side {
  readonly view: View;
  readonly trace: readonly TraceEntry[];
  sit(changes: Partial<SeatView>): void;
  act(what: Act): void;
  play(scenario: string): void;
}

const ROLES = ['admin', 'moderator', 'member', 'other'] as const;
/** Returns the name of a language in that language, as Discord's settings show it. */
const languageName = (locale: string): string =>
  new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;

const chosenOf = (all: readonly (readonly [string, string])[], chosen: string) =>
  options(all.map(([value, label]) => ({ label, value, isChosen: value === chosen })));

const selected = (event: Event) => (event.target as HTMLSelectElement).value;

const wordsOf = ({ view }: Side) => wordsFor(view.you.locale);

export const side = (about: Side): TemplateResult => html`
  ${scenarios(about)} ${you(about)} ${bot(about)} ${unwell(about)} ${service(about)} ${wire(about)}
`;

const scenarios = (about: Side) => html`<section aria-labelledby="scenarios">
  <h2 id="scenarios">${wordsOf(about).scenarios}</h2>
  <ul class="plays">
    ${about.view.scenarios.map((each) => html`<li>${scenarioLink(each, about.play, html`▶ ${each.title}`)}</li>`)}
  </ul>
</section>`;

function you(about: Side): TemplateResult {
  const { view, sit } = about;
  const { role, guild, locale } = view.you;
  const words = wordsOf(about);
  const roles = ROLES.map((each) => [each, words[each]] as const);
  const languages = view.locales.map((each) => [each, languageName(each)] as const);
  const guilds = view.guilds.map(({ id, name }, index) => [id, `${index + 1}. ${name}`] as const);
  return html`<section aria-labelledby="you">
    <h2 id="you">${words.you}</h2>
    <label>${words.who} <select @change=${(event: Event) => sit({ role: selected(event) as SeatView['role'] })}>${chosenOf(roles, role)}</select></label>
    <label>${words.server} <select @change=${(event: Event) => sit({ guild: selected(event) })}>${chosenOf(guilds, guild)}</select></label>
    <label>${words.language} <select @change=${(event: Event) => sit({ locale: selected(event) })}>${chosenOf(languages, locale)}</select></label>
  </section>`;
}

function bot(about: Side): TemplateResult {
  const { view, act } = about;
  const words = wordsOf(about);
  const isRunning = view.bot === 'ready';
  return html`<section aria-labelledby="bot">
    <h2 id="bot">${words.bot}</h2>
    <p role="status">${words[view.bot]}</p>
    <div class="row">
      <button type="button" class="button danger" ?disabled=${!isRunning} @click=${() => act({ do: 'kill' })}>kill -9</button>
      <button type="button" class="button success" ?disabled=${isRunning || view.bot === 'starting'} @click=${() => act({ do: 'start' })}>${words.start}</button>
    </div>
  </section>`;
}

const troubles = (name: string, { now, all }: TroublesView, choose: (name: string) => void) => html`<label
  >${name} <select @change=${(event: Event) => choose(selected(event))}>
    ${chosenOf(
      all.map(({ name: each, words }) => [each, words]),
      now,
    )}
  </select></label>`;

function unwell(about: Side): TemplateResult {
  const { view, act } = about;
  const { discord, service: listing, steam } = view.troubles;
  const words = wordsOf(about);
  return html`<section aria-labelledby="troubles">
    <h2 id="troubles">${words.badDays}</h2>
    ${troubles('Discord', discord, (name) => act({ do: 'trouble', whom: 'discord', name }))}
    ${troubles('Steam', steam, (name) => act({ do: 'trouble', whom: 'steam', name }))}
    ${troubles(words.serviceShort, listing, (name) => act({ do: 'trouble', whom: 'service', name }))}
  </section>`;
}

function service(about: Side): TemplateResult {
  const { view, act } = about;
  const { keys, held } = view;
  const words = wordsOf(about);
  const allow = (event: Event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    act({ do: 'allow', key: String(new FormData(form).get('key')) });
    form.reset();
  };
  return html`<section aria-labelledby="service">
    <h2 id="service">${words.service}</h2>
    <details>
      <summary>${words.held} ${held.length}</summary>
      <ol class="held" tabindex="0" aria-label=${words.held}>
        ${held.map(({ game, address }) => html`<li>${game} <code>${address}</code></li>`)}
      </ol>
    </details>
    <details>
      <summary>${words.keys} (${keys.length})</summary>
      <ul>
        ${keys.map((key) => html`<li><code>${key}</code> <button type="button" class="link" @click=${() => act({ do: 'revoke', key })}>${words.revoke} ${key}</button></li>`)}
      </ul>
      <form class="row" @submit=${allow}>
        <input name="key" aria-label=${words.newKey} placeholder=${words.anotherKey} autocomplete="off" />
        <button type="submit" class="button secondary">${words.allow}</button>
      </form>
    </details>
  </section>`;
}

function wire(about: Side): TemplateResult {
  const { trace, view } = about;
  const { state, cause } = view.scenario ?? {};
  const words = wordsOf(about);
  return html`<section aria-labelledby="wire">
    <h2 id="wire">${words.wire}</h2>
    <p class=${view.broken === 0 ? 'quiet' : 'broken'} role="status">
      ${view.broken === 0 ? words.noneBroken : `${words.broken} ${view.broken}`}
    </p>
    ${state !== 'failed' ? nothing : html`<p class="broken">${cause}</p>`}
    <ol class="trace" reversed tabindex="0" aria-label=${words.trace}>
      ${repeat(
        [...trace].reverse().slice(0, 100),
        ({ number }) => number,
        (entry) => html`<li class=${entry.broken.length > 0 ? 'broken' : ''}>
          <details>
            <summary>${entry.from === 'bot' ? 'bot →' : '→ bot'} ${entry.title}</summary>
            ${entry.broken.map((rule) => html`<p><strong>${rule.title}</strong> ${rule.answer}</p>`)}
            ${entry.body === '' ? nothing : html`<pre tabindex="0">${entry.body}</pre>`}
          </details>
        </li>`,
      )}
    </ol>
  </section>`;
}
