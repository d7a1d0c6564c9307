import { type CSSResult, css } from 'lit';

/** What the components draw too faintly to be read (WCAG 2.2, 1.4.3), a little stronger. */
const STRONGER: Readonly<Record<string, CSSResult>> = {
  'discord-message': css`
    .discord-message-timestamp { color: #a3a6aa; }
    :host([light-theme]) .discord-message-timestamp { color: #5c5e66; }
    .discord-message-content { min-width: 0; }
  `,
  'discord-embed': css`
    :host .discord-embed-root, :host .discord-embed-wrapper { min-width: 0; overflow-wrap: anywhere; }
  `,
  'discord-embed-footer': css`
    :host { color: #b5bac1; }
    :host([light-theme]) { color: #4e5058; }
  `,
  'discord-link': css`
    .discord-link-light-theme { color: #0059b3; }
  `,
  'discord-file-attachment': css`
    .discord-file-attachment-metadata { color: #a3a6aa; }
    .discord-file-attachment-light-theme .discord-file-attachment-metadata { color: #5c5e66; }
    .discord-button-download-attachment { display: none !important; }
  `,
};

/** Before the first of them is drawn. */
export function contrast(): void {
  for (const [name, sheet] of Object.entries(STRONGER)) {
    const element = customElements.get(name) as { readonly elementStyles?: CSSResult[] } | undefined;
    element?.elementStyles?.push(sheet);
  }
}
