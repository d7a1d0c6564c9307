import { html, nothing, render } from 'lit';
import type { ModalView } from '../messages.ts';
import type { Act, Outcome, SeatView } from '../protocol.ts';
import type { TraceEntry } from '../trace.ts';
import type { View } from '../view.ts';
import './composer.ts';
import { act, addressWith, listen, scenarioOfAddress } from './connection.ts';
import { contrast } from './contrast.ts';
import { type Drawing, type MessageAct, messages } from './message.ts';
import type { Submitted } from './modal.ts';
import './modal.ts';
import { options } from './select.ts';
import { scenarioLink, side } from './side.ts';
import { DIRECT, wordsFor } from './words.ts';

/** Everything that is drawn. */
const state = {
  view: undefined as View | undefined,
  trace: [] as readonly TraceEntry[],
  modal: undefined as ModalView | undefined,
  modalProblem: '',
  /** What this person's own Discord says, such as why it did not send something. */
  told: '',
  failed: new Set<string>(),
  isLost: false,
  isOpen: false,
  /** The scenario whose eyes are followed: the one of the address, while it plays. */
  follows: scenarioOfAddress(),
  /** Nothing of it has been followed yet. */
  isFresh: true,
};
const MOST_ENTRIES = 300;
/** So near its end, in pixels, a list counts as read to it. */
const NEAR_END = 80;
const light = matchMedia('(prefers-color-scheme: light)');
const root = document.createElement('div');
root.id = 'page';
document.body.append(root);
contrast();

const words = () => wordsFor(state.view?.you.locale ?? '');

/** Does something, and shows what this person's own Discord has to say of it. */
async function perform(what: Act): Promise<Outcome> {
  state.told = '';
  try {
    const outcome = await act(what);
    if (outcome.kind === 'modal') {
      state.modal = outcome.modal;
      state.modalProblem = '';
    }
    if (outcome.kind === 'refused' && what.do !== 'submit') state.told = outcome.why;
    return outcome;
  } catch {
    state.isLost = true;
    return { kind: 'lost' };
  } finally {
    draw();
  }
}

/** Shows what this person's own Discord says. */
function say(text: string): void {
  state.told = text;
  draw();
}

/** A press or a choice on a message; what it said of the press before goes. */
async function performOn(what: MessageAct): Promise<void> {
  state.failed.delete(what.message);
  const { kind } = await perform(what);
  if (kind === 'lost') state.failed.add(what.message);
  draw();
}

async function submitted({ detail }: Submitted): Promise<void> {
  const { modal } = state;
  if (modal === undefined) return;
  // Discord closes the window as soon as the bot has acknowledged it; "thinking…" is then in the channel.
  const slow = setTimeout(closeModal, 400);
  const outcome = await perform({ do: 'submit', modal: modal.id, values: detail });
  clearTimeout(slow);
  if (outcome.kind === 'done') closeModal();
  else if (outcome.kind !== 'modal') {
    state.modal = modal;
    state.modalProblem = outcome.kind === 'refused' ? outcome.why : words().somethingWrong;
    draw();
  }
}

function closeModal(): void {
  if (state.modal === undefined) return;
  state.modal = undefined;
  state.modalProblem = '';
  draw();
  // Nothing behind the window takes the focus before it is closed.
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>('.composer textarea');
    // The closed dialog gave the focus back, but in Chromium without the caret: nothing could be typed.
    field?.blur();
    field?.focus();
  });
}

/** Somebody else sits down, in another place or with another language. */
function sit(changes: Partial<SeatView>): void {
  history.replaceState(null, '', addressWith(changes));
  state.told = '';
  connect();
}

function play(scenario: string): void {
  state.follows = scenario;
  state.isOpen = false;
  history.pushState(null, '', addressWith({ scenario }));
  void perform({ do: 'play', scenario });
}

/** The scenario of the address begins by itself, but not again after a reload; and one sees it through its eyes. */
function follow(view: View): void {
  const { follows } = state;
  if (follows === null) return;
  const { scenario } = view;
  // In another language it is another play.
  if (scenario?.name !== follows || (state.isFresh && scenario.seat.locale !== view.you.locale)) {
    state.isFresh = false;
    if (scenario?.state !== 'playing' && view.bot !== 'starting')
      void perform({ do: 'play', scenario: follows });
    return;
  }
  state.isFresh = false;
  const { role, guild, locale } = scenario.seat;
  if (scenario.state !== 'playing') state.follows = null;
  const { you } = view;
  if (you.role !== role || you.guild !== guild || you.locale !== locale) sit(scenario.seat);
}

function connect(): void {
  listen({
    view(view) {
      state.view = view;
      draw();
      follow(view);
    },
    trace(entries) {
      const known = new Map(state.trace.map((entry) => [entry.number, entry]));
      for (const entry of entries) known.set(entry.number, entry);
      state.trace = [...known.values()].slice(-MOST_ENTRIES);
      draw();
    },
    lost(isLost) {
      state.isLost = isLost;
      draw();
    },
  });
}

function draw(): void {
  const { view } = state;
  if (view === undefined) return;
  document.documentElement.lang = view.you.locale;
  const scrollOn = follower();
  render(page(view), root);
  scrollOn();
}

/** The messages are seen to their end when something new is among them, or when their end was seen before. */
function follower(): () => void {
  const list = () => document.querySelector('.messages');
  const last = () => list()?.querySelector('discord-message:last-of-type')?.getAttribute('data-id');
  const before = { list: list(), last: last() };
  const wasAtEnd =
    before.list === null ||
    before.list.scrollHeight - before.list.scrollTop - before.list.clientHeight < NEAR_END;
  return () => {
    if (!wasAtEnd && last() === before.last) return;
    // The components draw themselves in the frame after this one.
    requestAnimationFrame(() => requestAnimationFrame(() => list()?.scrollTo(0, list()?.scrollHeight ?? 0)));
  };
}

/** Only while its scenario is played, or when that came otherwise. */
function caption({ state: how, caption }: NonNullable<View['scenario']>) {
  if (how !== 'playing' && how !== 'failed') return nothing;
  const next = html`<button type="button" class="button primary" @click=${() => void perform({ do: 'next' })}>${words().next}</button>`;
  return html`<div class=${`caption ${how}`}>
    <p role="status">${caption}</p>
    ${how === 'playing' ? next : nothing}
    <button type="button" class="button plain" aria-label=${words().close} @click=${leave}>✕</button>
  </div>`;
}

/** Nobody is followed any more, and the address plays nothing. */
function leave(): void {
  state.follows = null;
  history.replaceState(null, '', addressWith({ scenario: null }));
  void perform({ do: 'leave' });
}

const channelTitle = (name: string) => (name === DIRECT ? words().direct : `#${name}`);

function header({ you, guilds, channels }: View) {
  const offers = channels.map((name) => ({
    label: channelTitle(name),
    value: name,
    isChosen: name === you.channel,
  }));
  return html`<header>
    <h1>${guilds.find(({ id }) => id === you.guild)?.name} <small>${you.role}</small></h1>
    <select class="select" aria-label=${words().channel}
      @change=${({ target }: Event) => sit({ channel: (target as HTMLSelectElement).value })}>${options(offers)}</select>
    <button type="button" class="button secondary fold" aria-expanded=${state.isOpen ? 'true' : 'false'} aria-controls="side"
      @click=${() => {
        state.isOpen = !state.isOpen;
        draw();
      }}>${state.isOpen ? words().close : 'Sandbox'}</button>
  </header>`;
}

/** What one can do where nothing is; nothing in a scenario, which goes on by itself. */
function emptyState({ you, scenario, scenarios }: View) {
  if (scenario?.state === 'playing' && scenario.seat.guild === you.guild) return nothing;
  const [first, ...others] = scenarios.map((each) => scenarioLink(each, play));
  return html`<div class="quiet">
    <p>${words().nothing}</p>
    <p>${words().newHere} <em>${first}</em>. ${words().orElse} ${others.map((link, index) => html`${index === 0 ? '' : ' · '}${link}`)}</p>
  </div>`;
}

function page(view: View) {
  const { locale, channel } = view.you;
  const { messageCommands } = view;
  const drawing: Drawing = {
    locale,
    isLight: light.matches,
    messageCommands,
    failed: state.failed,
    act: (what) => void performOn(what),
  };
  return html`<main data-scenario=${view.scenario?.state ?? nothing}>
      ${header(view)}
      ${view.scenario === undefined ? nothing : caption(view.scenario)}
      <div class="messages" role="log" aria-live="polite" aria-label=${`Messages in ${channelTitle(channel)}`} tabindex="0">
        ${view.messages.length === 0 ? emptyState(view) : messages(view.messages, drawing)}
      </div>
      <div class="told" role="alert">${state.isLost ? 'The sandbox has ended.' : state.told}</div>
      <sandbox-composer .view=${view} @sent=${({ detail }: CustomEvent<Act>) => void perform(detail)}
        @unknown=${({ detail }: CustomEvent<string>) => say(`${words().unknown} ${detail}`)}></sandbox-composer>
    </main>
    <aside id="side" class=${state.isOpen ? 'open' : ''} aria-label="The sandbox">
      ${side({ view, trace: state.trace, sit, play, act: (what) => void perform(what) })}
    </aside>
    <sandbox-modal .modal=${state.modal} .locale=${locale} .problem=${state.modalProblem} @submitted=${submitted} @closed=${closeModal}></sandbox-modal>`;
}

/** What is typed outside of a field goes to the composer, as in Discord. */
function typeAnywhere({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): void {
  const isField = target instanceof Element && target.matches('input, textarea, select, dialog *');
  const isPaste = (ctrlKey || metaKey) && key === 'v';
  const isLetter = key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;
  if (!isField && (isLetter || isPaste)) document.querySelector<HTMLElement>('.composer textarea')?.focus();
}

light.addEventListener('change', draw);
addEventListener('keydown', typeAnywhere);
addEventListener('popstate', () => {
  state.follows = scenarioOfAddress();
  connect();
});
connect();
