import { isDeepStrictEqual } from 'node:util';
import type { APIApplicationCommand } from 'discord.js';
import type { Denial } from '../rest/denial.ts';
import type { Clock } from './clock.ts';
import { type CommandBody, kept } from './command-form.ts';
import type { Snowflakes } from './snowflakes.ts';

/** Where commands live: the id of a guild, or everywhere. */
export type Scope = string | 'global';

// Rule 22 (Discord docs: Application Commands, Registering a Command).
const NEW_NAMES_A_DAY = 200;
const DAY_MS = 24 * 60 * 60_000;

export interface Commands {
  list(scope: Scope): readonly APIApplicationCommand[];
  get(scope: Scope, id: string): APIApplicationCommand | undefined;
  /** The command of that name and type, which a body with both would overwrite. */
  sameName(scope: Scope, body: CommandBody): APIApplicationCommand | undefined;
  /** Creates it, or overwrites the one of the same name and type. */
  upsert(scope: Scope, body: CommandBody): { command: APIApplicationCommand; created: boolean } | Denial;
  /** Replaces every command of the scope, of every type. */
  replace(scope: Scope, bodies: readonly CommandBody[]): readonly APIApplicationCommand[] | Denial;
  patch(scope: Scope, id: string, changes: Partial<CommandBody>): APIApplicationCommand | undefined;
  remove(scope: Scope, id: string): boolean;
  /** Called with the id of a command that was deleted or renamed: its permission overwrites are void. */
  onForgotten(listener: (commandId: string) => void): void;
}

export function createCommands(deps: {
  readonly clock: Clock;
  readonly snowflakes: Snowflakes;
  readonly applicationId: string;
  /** Discord answered 400 in 2023 and 429 since 2024 when the 200 of the day are used up. */
  readonly dailyLimitStatus: 400 | 429;
}): Commands {
  const { snowflakes, applicationId } = deps;
  const countNew = createDailyCount(deps);
  const scopes = new Map<Scope, readonly APIApplicationCommand[]>();
  const forgotten: ((commandId: string) => void)[] = [];

  const list = (scope: Scope) => scopes.get(scope) ?? [];
  const sameName = (scope: Scope, { name, type = 1 }: CommandBody) =>
    list(scope).find((command) => command.name === name && command.type === type);
  const forget = (id: string) => {
    for (const listener of forgotten) listener(id);
  };

  function store(scope: Scope, body: CommandBody, previous: APIApplicationCommand | undefined) {
    const version = previous?.version ?? snowflakes.next();
    const command = kept(body, {
      id: previous?.id ?? snowflakes.next(),
      applicationId,
      version,
      guildId: scope === 'global' ? undefined : scope,
    });
    return previous === undefined || isDeepStrictEqual(command, previous)
      ? command
      : { ...command, version: snowflakes.next() };
  }

  return {
    list,
    get: (scope, id) => list(scope).find((command) => command.id === id),
    sameName,
    upsert(scope, body) {
      const previous = sameName(scope, body);
      const refusal = previous === undefined ? countNew(scope, 1) : undefined;
      if (refusal !== undefined) return refusal;
      const command = store(scope, body, previous);
      scopes.set(scope, [...list(scope).filter(({ id }) => id !== command.id), command]);
      return { command, created: previous === undefined };
    },
    replace(scope, bodies) {
      const before = list(scope);
      const previousOnes = matched(before, bodies);
      const refusal = countNew(scope, previousOnes.filter((previous) => previous === undefined).length);
      if (refusal !== undefined) return refusal;
      const after = bodies.map((body, i) => store(scope, body, previousOnes[i]));
      scopes.set(scope, after);
      for (const { id, name } of before)
        if (!after.some((command) => command.id === id && command.name === name)) forget(id);
      return after;
    },
    patch(scope, id, changes) {
      const previous = list(scope).find((command) => command.id === id);
      if (previous === undefined) return undefined;
      const command = store(scope, { ...previous, ...changes } as CommandBody, previous);
      scopes.set(
        scope,
        list(scope).map((other) => (other.id === id ? command : other)),
      );
      if (command.name !== previous.name) forget(id);
      return command;
    },
    remove(scope, id) {
      const before = list(scope);
      const after = before.filter((command) => command.id !== id);
      scopes.set(scope, after);
      if (after.length === before.length) return false;
      forget(id);
      return true;
    },
    onForgotten: (listener) => forgotten.push(listener),
  };
}

/** Rule 22: counts the new names of a day in each scope, and says when there are too many. */
function createDailyCount(deps: { readonly clock: Clock; readonly dailyLimitStatus: 400 | 429 }) {
  const { clock, dailyLimitStatus } = deps;
  const creations = new Map<Scope, readonly number[]>();

  return (scope: Scope, added: number): Denial | undefined => {
    const dayAgo = clock.now() - DAY_MS;
    const today = (creations.get(scope) ?? []).filter((at) => at > dayAgo);
    if (added > 0 && today.length + added > NEW_NAMES_A_DAY)
      return {
        rule: 22,
        status: dailyLimitStatus,
        code: 30034,
        message: `Max number of daily application command creates has been reached (${NEW_NAMES_A_DAY})`,
        ...(dailyLimitStatus === 429 && {
          limited: { retryAfterMs: (today[0] ?? clock.now()) + DAY_MS - clock.now(), scope: 'user' },
        }),
      };
    creations.set(scope, [...today, ...Array.from({ length: added }, () => clock.now())]);
    return undefined;
  };
}

/**
 * Rule 21: the command that each body of a PUT replaces: the one it names by id, else the one of its name and type.
 * No command is replaced twice.
 */
function matched(
  before: readonly APIApplicationCommand[],
  bodies: readonly CommandBody[],
): readonly (APIApplicationCommand | undefined)[] {
  const left = new Map(before.map((command) => [command.id, command]));
  const take = (command: APIApplicationCommand | undefined) => {
    if (command !== undefined) left.delete(command.id);
    return command;
  };
  const byId = bodies.map(({ id }) => take(id === undefined ? undefined : left.get(id)));
  return bodies.map(
    ({ name, type = 1 }, i) =>
      byId[i] ?? take([...left.values()].find((command) => command.name === name && command.type === type)),
  );
}

/** One line of a server's Integrations page (Discord docs: Application Commands, Permissions). */
export interface Overwrite {
  readonly id: string;
  readonly type: 'role' | 'user' | 'channel';
  readonly allow: boolean;
}

/**
 * Who may use what in a guild, as its administrators set it: by command, and by application for all commands that
 * have no overwrites of their own.
 */
export interface Integrations {
  of(guildId: string, target: string): readonly Overwrite[];
  /** At most 100 for one target. Ids: a role, a member, a channel; the guild's id is @everyone, minus one all channels. */
  set(guildId: string, target: string, overwrites: readonly Overwrite[]): void;
  /** Drops what was set for a command, in every guild. */
  forget(target: string): void;
}

export function createIntegrations(): Integrations {
  const guilds = new Map<string, Map<string, readonly Overwrite[]>>();
  return {
    of: (guildId, target) => guilds.get(guildId)?.get(target) ?? [],
    set(guildId, target, overwrites) {
      if (overwrites.length > 100) throw new RangeError('a command has at most 100 overwrites');
      const targets = guilds.get(guildId) ?? new Map<string, readonly Overwrite[]>();
      targets.set(target, overwrites);
      guilds.set(guildId, targets);
    },
    forget(target) {
      for (const targets of guilds.values()) targets.delete(target);
    },
  };
}
