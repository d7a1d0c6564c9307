import { html, nothing, type TemplateResult } from 'lit';

/** Something in a list that opens. */
export interface Item {
  readonly label: string;
  readonly description?: string;
}

/** Where the arrows lead in a list of so many; `undefined` for other keys. */
export function moved(key: string, active: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (active + 1) % count;
  if (key === 'ArrowUp') return (active + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** The list over the composer, whose field keeps the focus and names the active one. */
export function listbox(about: {
  readonly id: string;
  readonly label: string;
  readonly items: readonly Item[];
  readonly active: number;
  readonly choose: (index: number) => void;
}): TemplateResult {
  const { id, label, items, active, choose } = about;
  return html`<ul id=${id} class="listbox" role="listbox" aria-label=${label}>
    ${items.map(
      (item, index) => html`<li
        id=${`${id}-${index}`}
        role="option"
        aria-selected=${index === active ? 'true' : 'false'}
        class=${index === active ? 'active' : ''}
        @mousedown=${(event: Event) => event.preventDefault()}
        @click=${() => choose(index)}
      >
        <span>${item.label}</span>
        ${item.description ? html`<small>${item.description}</small>` : nothing}
      </li>`,
    )}
  </ul>`;
}

export const activeId = (id: string, active: number, count: number): string | typeof nothing =>
  active >= 0 && active < count ? `${id}-${active}` : nothing;

/** Keeps the active one in view. */
export function reveal(id: string, active: number): void {
  document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
}
