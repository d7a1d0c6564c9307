import { html, nothing, render } from 'lit';
import type { ModalView } from '../messages.ts';
import type { Act, Outcome, SeatView } from '../protocol.ts';
import type { TraceEntry } from '../trace.ts';
import type { View } from '../view.ts';
import './composer.ts';
import type { SandboxComposer } from './composer.ts';
import { act, addressWith, listen, scenarioOfAddress } from './connection.ts';
import { header, places } from './frame.ts';
import { type Drawing, type MessageAct, messages } from './message.ts';
import type { ModalSubmitEvent } from './modal.ts';
import './modal.ts';
import { side } from './side.ts';
import { type StoryActs, story, welcome } from './story.ts';
import { channelTitle, wordsFor } from './words.ts';

/** The state of the page. */
const state = {
  view: undefined as View | undefined,
  trace: [] as readonly TraceEntry[],
  modal: undefined as ModalView | undefined,
  modalProblem: '',
  /** A message from the client itself; for example, why it didn't send an action. */
  told: '',
  failed: new Set<string>(),
  isLost: false,
  isOpen: false,
  /** The name of the scenario that the page follows: the scenario in the URL, until it ends. */
  follows: scenarioOfAddress(),
  /** The scenario that the page has requested. Prevents a second request before the scenario's first view arrives. */
  asked: '',
  /** Whether the page has just loaded and hasn't followed a scenario yet. */
  isFresh: true,
  /** The step for which the page last focused *Next*. */
  focused: '',
};
const MOST_ENTRIES = 300;
/** How close to the bottom a list must be to count as scrolled to the bottom, in pixels. */
const NEAR_END = 80;
/** Whether the window is wide enough for all columns. */
const wide = matchMedia('(min-width: 1200px)');
const root = document.getElementById('page') ?? document.body;

const words = () => wordsFor(state.view?.you.locale ?? '');

/** Performs an action. If the client rejects it, shows the reason. */
async function perform(what: Act): Promise<Outcome> {
  state.told = '';
  try {
    const outcome = await act(what);
    if (outcome.kind === 'modal') {
      state.modal = outcome.modal;
      state.modalProblem = '';
    }
    if (outcome.kind === 'rejected' && what.do !== 'submit') state.told = outcome.why;
    return outcome;
  } catch {
    state.isLost = true;
    return { kind: 'lost' };
  } finally {
    draw();
  }
}

/** Shows a message from the client. */
function say(text: string): void {
  state.told = text;
  draw();
}

/** Performs an action on a message, after clearing the error from the previous action. */
async function performOn(what: MessageAct): Promise<void> {
  state.failed.delete(what.message);
  const { kind } = await perform(what);
  if (kind === 'lost') state.failed.add(what.message);
  // A press is only rejected if the message has just changed.
  if (kind === 'rejected' && what.do === 'press') state.told = words().changed;
  draw();
}

async function submitted({ detail }: ModalSubmitEvent): Promise<void> {
  const { modal } = state;
  if (modal === undefined) return;
  // Discord closes a modal as soon as the bot acknowledges it, and then shows "Thinking…" in the channel.
  const slow = setTimeout(closeModal, 400);
  const outcome = await perform({ do: 'submit', modal: modal.id, values: detail });
  clearTimeout(slow);
  if (outcome.kind === 'done') closeModal();
  else if (outcome.kind !== 'modal') {
    state.modal = modal;
    state.modalProblem = outcome.kind === 'rejected' ? outcome.why : words().somethingWrong;
    draw();
  }
}

function closeModal(): void {
  if (state.modal === undefined) return;
  state.modal = undefined;
  state.modalProblem = '';
  draw();
  // Nothing behind the dialog can get focus until the dialog is closed.
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>('.composer textarea');
    // When Chromium restores the focus, the field has no caret and ignores typing until it is focused again.
    field?.blur();
    field?.focus();
  });
}

/** Changes the seat: the user, the place or the language. */
function sit(changes: Partial<SeatView>): void {
  history.replaceState(null, '', addressWith(changes));
  state.told = '';
  connect();
}

function play(scenario: string): void {
  state.follows = scenario;
  state.asked = scenario;
  state.focused = '';
  state.isOpen = false;
  history.pushState(null, '', addressWith({ scenario }));
  void perform({ do: 'play', scenario });
}

/** Starts the scenario in the URL, unless the page was only reloaded. Then follows the scenario from user to user. */
function follow(view: View): void {
  const { follows } = state;
  if (follows === null) return;
  const { scenario } = view;
  // If the page is loaded in another language, the scenario restarts.
  if (scenario?.name !== follows || (state.isFresh && scenario.seat.locale !== view.you.locale)) {
    state.isFresh = false;
    if (state.asked === follows || scenario?.state === 'playing' || view.bot === 'starting') return;
    state.asked = follows;
    void perform({ do: 'play', scenario: follows });
    return;
  }
  state.isFresh = false;
  if (scenario.state !== 'playing') state.follows = null;
  const seat = Object.entries(scenario.seat) as [keyof SeatView, string][];
  if (seat.some(([name, value]) => view.you[name] !== value)) sit(scenario.seat);
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
  document.title = `${channelTitle(view.you.channel, view.you.locale)} | ${view.guilds.find(({ id }) => id === view.you.guild)?.name}`;
  const scrollOn = follower();
  // The first rendering removes the placeholder from index.html.
  if (!root.hasAttribute('data-drawn')) root.replaceChildren();
  root.setAttribute('data-drawn', '');
  render(page(view), root);
  scrollOn();
  focusStory(view);
}

/** Focuses *Next* whenever a new step is shown, unless the user is typing. */
function focusStory({ scenario }: View): void {
  const step = `${scenario?.seat.guild} ${scenario?.step} ${scenario?.state}`;
  const next = document.querySelector<HTMLElement>('.caption .next');
  if (next === null || step === state.focused) return;
  state.focused = step;
  if (document.activeElement?.matches('input, textarea, select') !== true) next.focus();
}

/**
 * Returns a function to call after rendering. It scrolls down if there is a new message, or if the user was already at the
 * bottom.
 */
function follower(): () => void {
  const list = () => document.querySelector('.messages');
  const last = () => list()?.querySelector('.message:last-of-type')?.getAttribute('data-id');
  const before = { list: list(), last: last() };
  const wasAtEnd =
    before.list === null ||
    before.list.scrollHeight - before.list.scrollTop - before.list.clientHeight < NEAR_END;
  return () => {
    if (last() === undefined || (!wasAtEnd && last() === before.last)) return;
    // Waits until everything below the list is rendered, which can make the list shorter.
    requestAnimationFrame(() => list()?.scrollTo(0, list()?.scrollHeight ?? 0));
  };
}

/** Stops the scenario and removes it from the URL. */
function leave(keepsServer: boolean): void {
  state.follows = null;
  history.replaceState(null, '', addressWith({ scenario: null }));
  void perform({ do: 'leave', keepsServer });
}

/** Switches to a member of the current Discord server, and types `/addserver` into the composer. */
async function tryIt(): Promise<void> {
  if (state.view?.scenario?.state === 'over') leave(true);
  sit({ role: 'member', channel: 'general' });
  const composer = document.querySelector<SandboxComposer>('sandbox-composer');
  composer?.write('/addserver');
}

const storyActs: StoryActs = {
  play,
  next: () => void perform({ do: 'next' }),
  leave: () => leave(false),
  tryIt: () => void tryIt(),
};

/** Opens or closes the side panel, and focuses the button that does the opposite. */
function fold(isOpen: boolean): void {
  state.isOpen = isOpen;
  draw();
  document.querySelector<HTMLElement>(isOpen ? '#side .fold' : 'header .fold')?.focus();
}

/** Renders the messages of the channel. An empty channel shows the welcome text, unless a scenario is playing. */
function content(view: View) {
  const { you, scenario } = view;
  if (view.messages.length > 0) {
    const target = isHere(view) ? scenario?.target : undefined;
    const { messageCommands } = view;
    const act = (what: MessageAct) => void performOn(what);
    const drawing: Drawing = { locale: you.locale, messageCommands, failed: state.failed, target, act };
    return messages(view.messages, drawing);
  }
  if (isHere(view) && scenario?.state === 'playing') return nothing;
  if (you.channel === 'general') return welcome(view, storyActs);
  return html`<p class="quiet">${words().nothing}</p>`;
}

/** Whether the page shows the guild and the user of the scenario's current step. */
const isHere = ({ scenario, you }: View): boolean =>
  scenario?.seat.guild === you.guild && scenario.seat.role === you.role;

function page(view: View) {
  const { locale, channel } = view.you;
  const { scenario } = view;
  const example = isHere(view) ? scenario : undefined;
  const isDrawer = state.isOpen && !wide.matches;
  return html`<div class="places" ?inert=${isDrawer}>${places(view, sit)}</div>
    <main data-scenario=${scenario?.state ?? nothing} ?inert=${isDrawer}>
      ${header(view, sit, { isOpen: isDrawer, toggle: () => fold(true) })}
      <div class="messages" role="log" aria-live="polite" aria-label=${`${words().messagesIn} ${channelTitle(channel, locale)}`} tabindex="0">
        ${content(view)}
      </div>
      <div class="told" role="alert">${state.isLost ? words().gone : state.told}</div>
      <sandbox-modal class="example" .modal=${example?.modal} .isExample=${true} .locale=${locale}></sandbox-modal>
      ${scenario === undefined ? nothing : story(scenario, view, storyActs)}
      <sandbox-composer .view=${view} .example=${example?.line ?? ''} @sent=${({ detail }: CustomEvent<Act>) => void perform(detail)}
        @unknown=${({ detail }: CustomEvent<string>) => say(`${words().unknown} ${detail}`)}></sandbox-composer>
    </main>
    <div id="side" class=${isDrawer ? 'side open' : 'side'} role=${isDrawer ? 'dialog' : 'complementary'} aria-modal=${isDrawer ? 'true' : nothing} aria-label=${words().sandbox} @keydown=${({ key }: KeyboardEvent) => key === 'Escape' && isDrawer && fold(false)}>
      <button type="button" class="button secondary fold" @click=${() => fold(false)}>${words().close}</button>
      ${side({ view, trace: state.trace, sit, play, act: (what) => void perform(what) })}
    </div>
    <sandbox-modal .modal=${state.modal} .locale=${locale} .problem=${state.modalProblem} @submitted=${submitted} @closed=${closeModal}></sandbox-modal>`;
}

/** Focuses the composer when the user types outside a field, as Discord does. */
function typeAnywhere({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): void {
  const isField = target instanceof Element && target.matches('input, textarea, select, dialog *');
  const isPaste = (ctrlKey || metaKey) && key === 'v';
  const isLetter = key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;
  if (!isField && (isLetter || isPaste)) document.querySelector<HTMLElement>('.composer textarea')?.focus();
}

wide.addEventListener('change', draw);
addEventListener('keydown', typeAnywhere);
addEventListener('popstate', () => {
  state.follows = scenarioOfAddress();
  state.asked = '';
  connect();
});
connect();
