import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Act, SeatView } from '../protocol.ts';
import type { TraceEntry } from '../trace.ts';
import type { TroublesView, View } from '../view.ts';
import { addressWith } from './connection.ts';
import { options } from './select.ts';

/** What stands beside the channel, and what it can change. */
interface Side {
  readonly view: View;
  readonly trace: readonly TraceEntry[];
  sit(changes: Partial<SeatView>): void;
  act(what: Act): void;
  play(scenario: string): void;
}

const ROLES = [
  ['admin', 'Admin (Manage Server)'],
  ['moderator', 'Moderator (by role)'],
  ['member', 'Member'],
  ['other', 'Another member'],
] as const;
/** A language as itself calls it, as in Discord's own settings. */
const languageName = (locale: string): string =>
  new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;

const chosenOf = (all: readonly (readonly [string, string])[], chosen: string) =>
  options(all.map(([value, label]) => ({ label, value, isChosen: value === chosen })));

const selected = (event: Event) => (event.target as HTMLSelectElement).value;

export const side = (about: Side): TemplateResult => html`
  ${scenarios(about)} ${you(about)} ${bot(about)} ${unwell(about)} ${service(about)} ${wire(about)}
`;

const scenarios = ({ view, play }: Side) => html`<section aria-labelledby="scenarios">
  <h2 id="scenarios">Scenarios</h2>
  <ul>
    ${view.scenarios.map((each) => html`<li>${scenarioLink(each, play)}</li>`)}
  </ul>
</section>`;

/** Plays it; what it leads to can be kept, too. */
export const scenarioLink = (
  { name, title }: View['scenarios'][number],
  play: (scenario: string) => void,
): TemplateResult => html`<a
  href=${addressWith({ scenario: name })}
  @click=${(event: Event) => {
    event.preventDefault();
    play(name);
  }}
  >${title}</a
>`;

function you({ view, sit }: Side): TemplateResult {
  const { role, guild, locale } = view.you;
  const languages = view.locales.map((each) => [each, languageName(each)] as const);
  const guilds = view.guilds.map(({ id, name }, index) => [id, `${index + 1}. ${name}`] as const);
  return html`<section aria-labelledby="you">
    <h2 id="you">You</h2>
    <label>Who you are <select @change=${(event: Event) => sit({ role: selected(event) as SeatView['role'] })}>${chosenOf(ROLES, role)}</select></label>
    <label>Discord server <select @change=${(event: Event) => sit({ guild: selected(event) })}>${chosenOf(guilds, guild)}</select></label>
    <label>Language <select @change=${(event: Event) => sit({ locale: selected(event) })}>${chosenOf(languages, locale)}</select></label>
  </section>`;
}

const BOT = { starting: 'starting…', ready: 'running', stopped: 'not running', crashed: 'ended by itself' };

function bot({ view, act }: Side): TemplateResult {
  const isRunning = view.bot === 'ready';
  return html`<section aria-labelledby="bot">
    <h2 id="bot">The bot</h2>
    <p role="status">It is ${BOT[view.bot]}.</p>
    <div class="row">
      <button type="button" class="button danger" ?disabled=${!isRunning} @click=${() => act({ do: 'kill' })}>kill -9</button>
      <button type="button" class="button success" ?disabled=${isRunning || view.bot === 'starting'} @click=${() => act({ do: 'start' })}>Start</button>
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

function unwell({ view, act }: Side): TemplateResult {
  const { discord, service: listing } = view.troubles;
  return html`<section aria-labelledby="troubles">
    <h2 id="troubles">Bad days</h2>
    ${troubles('Discord', discord, (name) => act({ do: 'trouble', whom: 'discord', name }))}
    ${troubles('Service', listing, (name) => act({ do: 'trouble', whom: 'service', name }))}
  </section>`;
}

function service({ view, act }: Side): TemplateResult {
  const { keys, held } = view;
  const allow = (event: Event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    act({ do: 'allow', key: String(new FormData(form).get('key')) });
    form.reset();
  };
  return html`<section aria-labelledby="service">
    <h2 id="service">The listing service</h2>
    <details>
      <summary>Keys (${keys.length})</summary>
      <ul>
        ${keys.map((key) => html`<li><code>${key}</code> <button type="button" class="link" @click=${() => act({ do: 'revoke', key })}>Revoke ${key}</button></li>`)}
      </ul>
      <form class="row" @submit=${allow}>
        <input name="key" aria-label="A key that the service is to accept" placeholder="another-key" autocomplete="off" />
        <button type="submit" class="button secondary">Allow</button>
      </form>
    </details>
    <details>
      <summary>It holds ${held.length} ${held.length === 1 ? 'server' : 'servers'}</summary>
      <ol class="held" tabindex="0" aria-label="Servers that the service holds">
        ${held.map(({ game, address }) => html`<li>${game} <code>${address}</code></li>`)}
      </ol>
    </details>
  </section>`;
}

function wire({ trace, view }: Side): TemplateResult {
  return html`<section aria-labelledby="wire">
    <h2 id="wire">Between bot and Discord</h2>
    <p class=${view.broken === 0 ? 'quiet' : 'broken'} role="status">
      ${view.broken === 0 ? 'No rule of Discord was broken.' : `Rules of Discord were broken ${view.broken} times.`}
    </p>
    <ol class="trace" reversed tabindex="0" aria-label="What went over the wire, the latest first">
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
