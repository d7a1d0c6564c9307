import { randomUUID } from 'node:crypto';
import { MessageFlags } from 'discord.js';
import type { Logger } from '../logger.ts';
import { Secret } from '../secret.ts';
import { UndecryptableError } from '../storage/collection.ts';
import { StoreError } from '../storage/store.ts';
import { UserError } from '../user-error.ts';
import { escapeText } from '../words/words.ts';
import type { Context, Reply } from './command.ts';
import type { SignedIds } from './components/controls.ts';
import {
  announce,
  bareText,
  type Deliveries,
  deliver,
  deliverAtOnce,
  ownerOf,
  say,
  sealedReply,
} from './deliver.ts';
import type { GuildLog } from './guild-log.ts';
import type { Answer, Incoming } from './incoming.ts';
import { acknowledge, isRefused, LostInteraction } from './requests.ts';
import type { Memory } from './taken.ts';
import type { Traces } from './traces.ts';

export interface DeferralDeps {
  /** Every button, select and modal is bound to its guild, and to its member where only they see it. */
  readonly ids: SignedIds;
  readonly memory: Memory;
  readonly words: FailureWords;
  readonly deliveries: Deliveries;
  readonly traces: Traces;
  /** What an admin reads above the answer to a command, of what they have to do something about; `undefined`: nothing. */
  readonly firstForAdmins: (context: Context, command: string, answer: string) => Promise<string | undefined>;
  /** Says to a guild what its member can no longer be told. */
  readonly tellGuild: GuildLog['tell'];
  readonly logger: Logger;
}

/** An interaction whose answer takes longer than Discord waits. */
export interface Deferred extends Extract<Answer, { shape: 'reply' | 'update' }> {
  readonly interaction: Incoming;
  readonly context: Context;
}

/** Remember, acknowledge, carry out, answer, forget: a crash anywhere in between leaves nobody waiting. */
export function createDeferral(deps: DeferralDeps) {
  const { ids, memory, words, deliveries, traces, tellGuild, logger } = deps;

  async function forget({ context: { guildId, interactionId }, shape }: Deferred): Promise<void> {
    await memory.forget({ guildId, interactionId, shape }).catch((error: unknown) => {
      logger.error({ err: error, interactionId }, 'an answered interaction could not be forgotten');
    });
  }

  const answerOf = ({ context, isPrivate, run }: Pick<Deferred, 'context' | 'isPrivate' | 'run'>) =>
    run()
      .then((reply) => {
        if (reply.isRefusal) traces.became('refused');
        return sealedReply(reply, ids, ownerOf(context, isPrivate));
      })
      .catch((error: unknown) => words(error, context));

  /** Nothing is done before the first response, and it is all there is: should it fail, the member asks again. */
  async function answerAtOnce(asked: Pick<Deferred, 'interaction' | 'context' | 'run'>): Promise<void> {
    const { interaction, context } = asked;
    const answer = await below(asked, deps, await answerOf({ ...asked, isPrivate: true }));
    await deliverAtOnce(interaction, (error) => words(error, context), answer);
  }

  async function answerLater(deferred: Deferred): Promise<void> {
    const { interaction, context, shape, work } = deferred;
    try {
      if (!(await remember(deferred, deps))) throw new LostInteraction('The interaction was delivered twice');
    } catch (error) {
      if (error instanceof LostInteraction) throw error;
      return say(interaction, words(error, context));
    }
    try {
      await acknowledge(() => defer(deferred));
      traces.acknowledged();
      // discord.js does not know when the answer to that was lost, and would refuse to edit.
      interaction.deferred = true;
    } catch (error) {
      await forget(deferred);
      throw error;
    }
    const answer = await below(deferred, deps, await answerOf(deferred));
    try {
      const delivery = deliveries.begin(messageOf(deferred), answer);
      await deliver(interaction, { shape, failed: (error) => words(error, context), delivery }, answer);
    } catch (error) {
      // What Discord did not take for another reason stays remembered, and is told after the next start.
      if (!isRefused(error)) throw error;
      await forget(deferred);
      const text = typeof answer === 'string' ? answer : bareText(answer);
      if (work)
        await tellGuild(context.guildId, () =>
          context.t('resume.told', { user: escapeText(context.user.name), what: text }),
        );
      throw error;
    }
    traces.answered();
    await forget(deferred);
    if (typeof answer === 'string') return;
    await announce(interaction, answer).catch((error: unknown) => {
      logger.warn({ err: error, interactionId: context.interactionId }, 'an announcement could not be made');
    });
  }

  return { answerAtOnce, answerLater };
}

/** The answer to a command, below what an admin is to read first. */
async function below(
  { interaction, context }: Pick<Deferred, 'interaction' | 'context'>,
  { firstForAdmins, logger }: Pick<DeferralDeps, 'firstForAdmins' | 'logger'>,
  answer: Reply | string,
): Promise<Reply | string> {
  if (!interaction.isCommand() || !context.isAdmin) return answer;
  const said = typeof answer === 'string' ? answer : (answer.content ?? '');
  const first = await firstForAdmins(context, interaction.commandName, said).catch((error: unknown) => {
    logger.warn({ err: error, guildId: context.guildId }, 'an admin could not be told what to do');
    return undefined;
  });
  if (first === undefined) return answer;
  const under = (text: string | undefined) =>
    text === undefined || text === '' ? first : `${first}\n\n${text}`;
  return typeof answer === 'string' ? under(answer) : { ...answer, content: under(answer.content) };
}

/** @returns false when this very interaction was taken before */
async function remember(
  { interaction, context, shape, isPrivate, work }: Deferred,
  { memory, logger }: Pick<DeferralDeps, 'memory' | 'logger'>,
): Promise<boolean> {
  const { interactionId, guildId, channelId, user, permissions, locale, guildLocale } = context;
  try {
    return await memory.remember({
      ...{ interactionId, guildId, channelId, user, locale, guildLocale, shape, isPrivate },
      permissions: String(permissions.bitfield),
      token: new Secret(interaction.token),
      ...(work && { work }),
    });
  } catch (error) {
    // What submits must not begin unrecorded; all else is better answered without a net than not at all.
    if (work) throw error;
    logger.warn({ err: error, interactionId }, 'an interaction could not be written down; going on without');
    return true;
  }
}

/** The interaction that the message with the answer was made for. */
function messageOf({ interaction, shape }: Deferred): string | undefined {
  if (shape === 'reply') return interaction.id;
  return ('message' in interaction && interaction.message?.interactionMetadata?.id) || undefined;
}

function defer({ interaction, shape, isPrivate }: Deferred): Promise<unknown> {
  if (shape === 'reply') return interaction.deferReply(isPrivate ? { flags: MessageFlags.Ephemeral } : {});
  if (!('deferUpdate' in interaction)) throw new Error('only buttons, selects and modals change a message');
  return interaction.deferUpdate();
}

export interface FailureWordsDeps {
  readonly traces: Pick<Traces, 'became'>;
  readonly logger: Logger;
}

/** What a member reads in place of an answer. */
export type FailureWords = (error: unknown, context: Context) => string;

/** A UserError's own words; everything else is logged whole, under a reference that the member sees too. */
export function createFailureWords({ traces, logger }: FailureWordsDeps): FailureWords {
  return (error, context) => {
    const { t, interactionId, guildId } = context;
    if (error instanceof UserError) {
      traces.became('refused');
      return error.message;
    }
    const reference = randomUUID().slice(0, 8);
    traces.became('failed', reference);
    logger.error({ err: error, reference, interactionId, guildId }, 'an interaction failed');
    return t('dispatch.failed', { what: causeText(error, context), reference });
  };
}

/** What went wrong, for the failures that members should tell apart. */
function causeText(error: unknown, { t, mention }: Context): string {
  if (error instanceof UndecryptableError) return t('failure.undecryptable', { setkey: mention('setkey') });
  return t(error instanceof StoreError ? 'failure.store' : 'failure.unexpected');
}
