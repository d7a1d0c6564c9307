import { html, type TemplateResult } from 'lit';
import { moved } from './listbox.ts';

/** A button that opens a menu; Escape and a press beside it close it. */
export function popupMenu(about: {
  readonly id: string;
  readonly label: string;
  readonly heading: string;
  readonly items: readonly { readonly name: string; readonly label: string }[];
  readonly choose: (name: string) => void;
}): TemplateResult {
  const { id, label, heading, items, choose } = about;
  const entries = (menu: Element) => [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const onKey = (event: KeyboardEvent) => {
    const all = entries(event.currentTarget as Element);
    const next = moved(event.key, all.indexOf(document.activeElement as HTMLElement), all.length);
    if (next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  };
  const close = (name: string) => {
    document.getElementById(id)?.hidePopover();
    choose(name);
  };
  return html`<button type="button" class="more" popovertarget=${id} aria-haspopup="menu" aria-label=${label}>⋯</button>
    <div id=${id} popover class="menu" role="menu" aria-label=${heading} @keydown=${onKey}>
      ${items.map((item, index) => html`<button type="button" role="menuitem" ?autofocus=${index === 0} @click=${() => close(item.name)}>${heading} › ${item.label}</button>`)}
    </div>`;
}
