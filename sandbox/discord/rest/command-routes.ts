import { ApplicationCommandType } from 'discord.js';
import { ApplicationCommandResponseSchema } from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import { type CommandAnswers, type CommandBody, inForm } from '../world/commands.ts';
import type { World } from '../world/world.ts';
import { type Denial, entryPointRemoved, otherApplication } from './denial.ts';
import { type Call, ok, type Reply, type Route } from './route.ts';
import { checkCommands } from './rules.ts';

/** Publishing commands. */
export function commandRoutes({ commands, applicationId }: World, answers: CommandAnswers): readonly Route[] {
  const list = () => ok(commands.list().map((command) => inForm(command, answers)));

  function replace({ json }: Call): Reply | Denial {
    const denial = checkCommands(json);
    if (denial !== undefined) return denial;
    const bodies = json as readonly CommandBody[];
    const hasEntryPoint = (all: readonly { readonly type?: ApplicationCommandType | undefined }[]) =>
      all.some(({ type }) => type === ApplicationCommandType.PrimaryEntryPoint);
    if (hasEntryPoint(commands.list()) && !hasEntryPoint(bodies)) return entryPointRemoved;
    commands.replace(bodies);
    return list();
  }

  const ownAlone = (handle: (call: Call) => Reply | Denial) => (call: Call) =>
    call.params.app === applicationId ? handle(call) : otherApplication;
  const common = {
    path: '/applications/:app/commands',
    auth: 'bot',
    // Fields that nobody has sent are as odd as they are told to be.
    answers: z.array(answers === 'full' ? z.any() : ApplicationCommandResponseSchema),
  } as const;
  return [
    { ...common, method: 'GET', handle: ownAlone(list) },
    { ...common, method: 'PUT', handle: ownAlone(replace) },
  ];
}
