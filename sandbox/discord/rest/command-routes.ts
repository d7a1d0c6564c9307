import type { APIApplicationCommand } from 'discord.js';
import { ApplicationCommandResponseSchema } from 'discord-api-spec/zod';
import { array } from 'zod/mini';
import { type CommandAnswers, type CommandBody, inForm, listed } from '../world/command-form.ts';
import type { Scope } from '../world/commands.ts';
import type { World } from '../world/world.ts';
import {
  type Denial,
  entryPointRemoved,
  isDenial,
  missingAccess,
  otherApplication,
  unknownCommand,
} from './denial.ts';
import { type Call, noContent, ok, type Reply, type Route } from './route.ts';
import { checkCommand, checkCommandCaps, checkCommandList, checkCommandPatch } from './rules/commands.ts';

/** Discord docs: Application Commands, PRIMARY_ENTRY_POINT: what opens the Activity of an application. */
const ENTRY_POINT = 4;

/** Rules 11 to 23: publishing commands, for everywhere and for one guild. */
export function commandRoutes(world: World, answers: CommandAnswers): readonly Route[] {
  return [
    ...['/applications/:app/commands', '/applications/:app/guilds/:guild/commands'].flatMap((base) => [
      ...listRoutes(world, base, answers),
      ...singleRoutes(world, base),
    ]),
  ];
}

type InScope = (handle: (scope: Scope, call: Call) => Reply | Denial) => (call: Call) => Reply | Denial;

/** Runs a handler with the scope that the path names, or says why the bot may not touch it. */
const scoped =
  ({ applicationId, guilds }: World): InScope =>
  (handle) =>
  (call) => {
    const { app, guild } = call.params;
    if (app !== applicationId) return otherApplication;
    if (guild === undefined) return handle('global', call);
    const state = guilds.get(guild);
    if (state === undefined || state.status === 'left' || !state.authorised) return missingAccess;
    return handle(guild, call);
  };

const kind = (scope: Scope) => (scope === 'global' ? 'global' : 'guild');

/** All commands of a scope: reading and replacing them, adding one. */
function listRoutes(world: World, base: string, answers: CommandAnswers): readonly Route[] {
  const { commands } = world;
  const inScope = scoped(world);
  return [
    {
      method: 'GET',
      path: base,
      auth: 'bot',
      answers: array(ApplicationCommandResponseSchema),
      handle: inScope((scope, { query, header }) =>
        ok(
          commands.list(scope).map((command) =>
            listed(inForm(command, answers), {
              withLocalizations: ['true', 'True', '1'].includes(query.get('with_localizations') ?? ''),
              locale: header('x-discord-locale') ?? header('accept-language')?.split(/[,;]/)[0],
            }),
          ),
        ),
      ),
    },
    {
      method: 'PUT',
      path: base,
      auth: 'bot',
      answers: array(ApplicationCommandResponseSchema),
      handle: inScope((scope, { json }) => {
        const refusal = checkCommandList(json, kind(scope));
        if (refusal !== undefined) return refusal;
        const bodies = json as readonly CommandBody[];
        const isEntryPoint = ({ type }: { readonly type?: number | undefined }) => type === ENTRY_POINT;
        if (commands.list(scope).some(isEntryPoint) && !bodies.some(isEntryPoint)) return entryPointRemoved;
        const after = commands.replace(scope, bodies);
        return isDenial(after) ? after : ok(after.map((command) => inForm(command, answers)));
      }),
    },
    {
      method: 'POST',
      path: base,
      auth: 'bot',
      answers: ApplicationCommandResponseSchema,
      handle: inScope((scope, { json }) => {
        const refusal = checkCommand(json, kind(scope));
        if (refusal !== undefined) return refusal;
        const body = json as CommandBody;
        const tooMany =
          commands.sameName(scope, body) === undefined
            ? checkCommandCaps(
                [...commands.list(scope), body].map(({ type = 1 }) => ({ type })),
                kind(scope),
              )
            : undefined;
        if (tooMany !== undefined) return tooMany;
        const stored = commands.upsert(scope, body);
        return isDenial(stored) ? stored : { status: stored.created ? 201 : 200, body: stored.command };
      }),
    },
  ];
}

/** One command of a scope, by its id. */
function singleRoutes(world: World, base: string): readonly Route[] {
  const { commands } = world;
  const one = (handle: (scope: Scope, command: APIApplicationCommand, call: Call) => Reply | Denial) =>
    scoped(world)((scope, call) => {
      const command = commands.get(scope, call.params.id ?? '');
      return command === undefined ? unknownCommand : handle(scope, command, call);
    });
  return [
    {
      method: 'GET',
      path: `${base}/:id`,
      auth: 'bot',
      answers: ApplicationCommandResponseSchema,
      handle: one((_scope, command) => ok(command)),
    },
    {
      method: 'PATCH',
      path: `${base}/:id`,
      auth: 'bot',
      answers: ApplicationCommandResponseSchema,
      handle: one((scope, command, { json }) => {
        const others = commands.list(scope);
        const refusal = checkCommandPatch(json, command, { scope: kind(scope), others });
        if (refusal !== undefined) return refusal;
        const { id, type } = command;
        return ok(
          commands.patch(scope, id, { ...(json as Partial<CommandBody>), type } as Partial<CommandBody>),
        );
      }),
    },
    {
      method: 'DELETE',
      path: `${base}/:id`,
      auth: 'bot',
      answers: 'nothing',
      handle: one((scope, command) => {
        commands.remove(scope, command.id);
        return noContent;
      }),
    },
  ];
}
