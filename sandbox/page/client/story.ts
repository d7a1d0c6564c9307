import { html, nothing, type TemplateResult } from 'lit';
import type { ScenarioView } from '../player.ts';
import type { View } from '../view.ts';
import { addressWith } from './connection.ts';
import { wordsFor } from './words.ts';

type ListedScenario = View['scenarios'][number];

/** Actions that a user can perform on a scenario. */
export interface StoryActs {
  play(scenario: string): void;
  next(): void;
  leave(): void;
  /** Types a command into the composer. */
  tryIt(): void;
}

/** Renders a link that plays a scenario. Users can bookmark its URL. */
export const scenarioLink = (
  { name }: ListedScenario,
  play: (scenario: string) => void,
  inside: TemplateResult,
  look = '',
): TemplateResult => html`<a
  class=${look}
  href=${addressWith({ scenario: name })}
  @click=${(event: Event) => {
    event.preventDefault();
    play(name);
  }}
  >${inside}</a
>`;

/** Renders the welcome text: a description of the page and a list of scenarios. */
export function welcome({ scenarios, you }: View, { play, tryIt }: StoryActs): TemplateResult {
  const words = wordsFor(you.locale);
  const card = (title: string, about: string, sign: string) =>
    html`<span class="sign" aria-hidden="true">${sign}</span><span class="words"><b>${title}</b><span>${about}</span></span>`;
  const [first, ...others] = scenarios;
  return html`<section class="welcome" aria-labelledby="welcome">
    <h2 id="welcome">${words.title}</h2>
    <p>${words.what}</p>
    <p>${words.cardboard}</p>
    <div class="cards">
      ${first === undefined ? nothing : scenarioLink(first, play, card(first.title, first.about, '▶'), 'card first')}
      <button type="button" class="card try" @click=${tryIt}>${card(words.tryIt, words.tryAbout, '⌨')}</button>
      ${others.map((each) => scenarioLink(each, play, card(each.title, each.about, '▶'), 'card'))}
    </div>
  </section>`;
}

/** Renders the caption of the current step or, once the scenario has ended, a card with next steps. */
export function story(scenario: ScenarioView, view: View, acts: StoryActs): TemplateResult | typeof nothing {
  switch (scenario.state) {
    case 'playing':
      return scenario.caption === '' ? nothing : caption(scenario, acts);
    case 'over':
      return scenario.seat.guild === view.you.guild ? endCard(scenario, view, acts) : nothing;
    case 'failed':
      return html`<div class="caption failed">
        <p role="status">${scenario.caption}</p>
        <button type="button" class="button primary next" @click=${() => acts.play(scenario.name)}>${wordsFor(scenario.seat.locale).again}</button>
        ${leaveButton(scenario, acts)}
      </div>`;
    default:
      return nothing;
  }
}

const leaveButton = ({ seat }: ScenarioView, { leave }: StoryActs) =>
  html`<button type="button" class="button plain" aria-label=${wordsFor(seat.locale).close} @click=${leave}>✕</button>`;

export const avatar = (name: string): string => `/avatars/${encodeURIComponent(name)}.svg`;

function caption(scenario: ScenarioView, acts: StoryActs): TemplateResult {
  const { seat, step, steps } = scenario;
  const words = wordsFor(seat.locale);
  return html`<div class="caption">
    <img class="avatar" src=${avatar(seat.role)} alt="" />
    <p role="status">
      <span class="about"><b>${words[seat.role]}</b> · ${step} ${words.of} ${steps}</span>
      <span class="says">${scenario.caption}</span>
    </p>
    <button type="button" class="button primary next" @click=${acts.next}>${words.next}</button>
    ${leaveButton(scenario, acts)}
    <span class="done" .style=${`width: ${(100 * step) / steps}%`}></span>
  </div>`;
}

function endCard(scenario: ScenarioView, { scenarios }: View, acts: StoryActs): TemplateResult {
  const words = wordsFor(scenario.seat.locale);
  const following = scenarios[scenarios.findIndex(({ name }) => name === scenario.name) + 1];
  return html`<div class="caption over">
    <p role="status">${words.over}: <b>${scenario.title}</b></p>
    <div class="row">
      <button type="button" class="button secondary" @click=${() => acts.play(scenario.name)}>${words.again}</button>
      ${
        following === undefined
          ? nothing
          : html`<button type="button" class="button primary next" @click=${() => acts.play(following.name)}>${words.nextOne} ${following.title}</button>`
      }
      <button type="button" class=${`button ${following === undefined ? 'primary next' : 'success'}`} @click=${acts.tryIt}>${words.tryIt}</button>
    </div>
    ${leaveButton(scenario, acts)}
  </div>`;
}
