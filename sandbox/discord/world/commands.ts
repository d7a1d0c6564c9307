import {
  type APIApplicationCommand,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import type { Snowflakes } from './snowflakes.ts';

/** A command in the form that bots send. */
export type CommandBody = RESTPostAPIApplicationCommandsJSONBody & { readonly id?: string };

/** Stores the application's commands, which are the same in every guild. */
export function createCommands(deps: { readonly snowflakes: Snowflakes; readonly applicationId: string }) {
  const { snowflakes, applicationId } = deps;
  let commands: readonly APIApplicationCommand[] = [];

  function kept(body: CommandBody): APIApplicationCommand {
    const { type = ApplicationCommandType.ChatInput, name } = body;
    const previous = commands.find((command) => command.name === name && command.type === type);
    const permissions = body.default_member_permissions ?? null;
    return {
      description: '',
      contexts: null,
      integration_types: [ApplicationIntegrationType.GuildInstall],
      nsfw: false,
      ...withoutRepeatedTexts(body),
      type,
      id: previous?.id ?? snowflakes.next(),
      application_id: applicationId,
      version: snowflakes.next(),
      // Bots may send permissions as a number, but Discord always returns them as a string.
      default_member_permissions: permissions === null ? null : String(permissions),
    } as APIApplicationCommand;
  }

  return {
    list: () => commands,
    /** Replaces all commands of all types. A command with the same name and type as before keeps its id. */
    replace(bodies: readonly CommandBody[]): void {
      commands = bodies.map(kept);
    },
  };
}

/** Like Discord, removes translations that equal the default text, and option properties that have their default value. */
function withoutRepeatedTexts(item: object): object {
  const { name, description } = Object(item);
  const entries = Object.entries(item).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'options') return [[key, value.map(withoutRepeatedTexts)]];
    if (key === 'name_localizations') return [[key, otherThan(name, value)]];
    if (key === 'description_localizations') return [[key, otherThan(description, value)]];
    const isDefault = value === undefined || (value === false && ['required', 'autocomplete'].includes(key));
    return isDefault ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

function otherThan(text: string, localizations: Readonly<Record<string, string>> | null): object | null {
  const others = Object.entries(localizations ?? {}).filter(([, value]) => value !== null && value !== text);
  return others.length === 0 ? null : Object.fromEntries(others);
}

/**
 * Removes all translations. Discord leaves them out of the list of commands unless a bot requests them (Discord docs: Get
 * Global Application Commands).
 */
export function withoutLocalizations(item: APIApplicationCommand): APIApplicationCommand {
  const withoutTexts = (key: string, value: unknown) => (key.endsWith('_localizations') ? undefined : value);
  return JSON.parse(JSON.stringify(item, withoutTexts));
}
