import { type APIComponentInMessageActionRow, type APIMessage, ButtonStyle, ComponentType } from 'discord.js';
import { rowsOf } from '../discord/client/components.ts';
import { plain, type Reading, readMarkdown } from './markdown.ts';

type Components = NonNullable<APIMessage['components']>;

/** The components of a message, a line for each row: `[ Back · disabled ]  [ Next ]`. */
export const showComponents = (components: Components, reading: Reading): readonly string[] =>
  rowsOf({ components }).map((row) => row.map((component) => showComponent(component, reading)).join('  '));

/** The labels of the buttons that can be pressed, in the order they are shown. */
export const buttonsOf = (components: Components): readonly string[] =>
  rowsOf({ components })
    .flat()
    .flatMap((component) => {
      const isButton = component.type === ComponentType.Button && 'custom_id' in component;
      return isButton && component.label && !component.disabled ? [component.label] : [];
    });

function showComponent(component: APIComponentInMessageActionRow, reading: Reading): string {
  const paint = reading.paint ?? plain;
  switch (component.type) {
    case ComponentType.Button: {
      const label = 'label' in component ? component.label : '';
      if (component.style === ButtonStyle.Link) return paint('cyan', `[ ${label} → ${component.url} ]`);
      return component.disabled ? paint('dim', `[ ${label} · disabled ]`) : paint('cyan', `[ ${label} ]`);
    }
    case ComponentType.StringSelect: {
      const options = component.options.map(
        ({ label, value, default: chosen }) =>
          `\n  ${chosen ? '●' : '○'} ${label}${label === value ? '' : ` (${value})`}`,
      );
      return paint('cyan', `▾ ${component.placeholder}`) + options.join('');
    }
    case ComponentType.ChannelSelect:
    case ComponentType.RoleSelect: {
      const sign = component.type === ComponentType.RoleSelect ? '@&' : '#';
      const chosen = (component.default_values ?? []).map(
        ({ id }) => `\n  ● ${readMarkdown(`<${sign}${id}>`, reading)}`,
      );
      return paint('cyan', `▾ ${component.placeholder}`) + chosen.join('');
    }
    default:
      // Nothing that a member would see may be left out silently.
      return `(a component of Discord's type ${component.type}, which the prompt cannot draw)`;
  }
}
