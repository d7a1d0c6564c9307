import {
  type APIMessageComponent,
  type APIMessageTopLevelComponent,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import { plain, type Reading, readMarkdown } from './markdown.ts';

/** The components of a message, a line for each row: `[ Back · disabled ]  [ Next ]`. */
export function showComponents(
  components: readonly APIMessageTopLevelComponent[],
  reading: Reading,
): readonly string[] {
  return components.map((component) => showComponent(component, reading));
}

function showComponent(component: APIMessageComponent, reading: Reading): string {
  const paint = reading.paint ?? plain;
  const each = (children: readonly APIMessageComponent[], between: string) =>
    children.map((child) => showComponent(child, reading)).join(between);
  switch (component.type) {
    case ComponentType.ActionRow:
      return each(component.components, '  ');
    case ComponentType.Button: {
      const label =
        ('label' in component && component.label) || ('emoji' in component && component.emoji?.name) || '?';
      if (component.style === ButtonStyle.Link) return paint('cyan', `[ ${label} → ${component.url} ]`);
      return component.disabled ? paint('dim', `[ ${label} · disabled ]`) : paint('cyan', `[ ${label} ]`);
    }
    case ComponentType.StringSelect: {
      const title = `▾ ${component.placeholder ?? 'Make a selection'}${component.disabled ? ' · disabled' : ''}`;
      const options = component.options.map(
        ({ label, value, description, default: chosen }) =>
          `  ${chosen ? '●' : '○'} ${label}${label === value ? '' : ` (${value})`}${description ? ` — ${description}` : ''}`,
      );
      return [paint('cyan', title), ...options].join('\n');
    }
    case ComponentType.ChannelSelect: {
      const chosen = (component.default_values ?? []).map(
        ({ id }) => `\n  ● ${readMarkdown(`<#${id}>`, reading)}`,
      );
      return `${paint('cyan', `▾ ${component.placeholder ?? 'Select a channel'}`)}${chosen.join('')}`;
    }
    case ComponentType.RoleSelect:
      return paint('cyan', `▾ ${component.placeholder ?? 'Select a role'}`);
    case ComponentType.TextDisplay:
      return readMarkdown(component.content, reading);
    case ComponentType.Separator:
      return component.divider === false ? '' : '────';
    case ComponentType.Section:
      return each([...component.components, component.accessory], '\n');
    case ComponentType.Container:
      return each(component.components, '\n').replace(/^/gm, '│ ');
    default:
      // Nothing a member would see may be left out silently.
      return `(a component of Discord's type ${component.type}, which the prompt cannot draw)`;
  }
}

/** The labels of the buttons that can be pressed, in the order they are shown. */
export function buttonsOf(components: readonly APIMessageComponent[]): readonly string[] {
  return components.flatMap((component) => {
    if (component.type === ComponentType.Button)
      return 'custom_id' in component && 'label' in component && component.label && !component.disabled
        ? [component.label]
        : [];
    return 'components' in component ? buttonsOf(component.components) : [];
  });
}

/**
 * What the options of the selects are called: their labels, and their values where these differ.
 * @param here what may be chosen in selects of channels and of roles
 */
export function optionsOf(
  components: readonly APIMessageComponent[],
  here: { readonly channels: readonly string[]; readonly roles: readonly string[] },
): readonly string[] {
  return components.flatMap((component) => {
    if (component.type === ComponentType.ChannelSelect && !component.disabled) return here.channels;
    if (component.type === ComponentType.RoleSelect && !component.disabled) return here.roles;
    if (component.type === ComponentType.StringSelect && !component.disabled)
      return [...new Set(component.options.flatMap(({ label, value }) => [label, value]))];
    return 'components' in component ? optionsOf(component.components, here) : [];
  });
}
