import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../secret.ts';
import type { Context, Reply } from '../command.ts';
import { LIMITS } from '../limits.ts';
import type { Modal, Row } from './controls.ts';

/** The custom id of a component or modal: which command and action it belongs to, and the state it carries. */
export function customId(command: string, action: string, argument = ''): string {
  return `${command}:${action}:${argument}`;
}

/** Whether a custom id leaves room for its seal. */
export const isCustomId = (id: string): boolean => id.length + SEAL_LENGTH <= LIMITS.customId;

/** The reverse of {@link customId}; the argument may contain colons. */
export function parseCustomId(id: string): { command: string; action: string; argument: string } {
  const [command = '', action = '', ...rest] = id.split(':');
  return { command, action, argument: rest.join(':') };
}

/** Whom a button, select or modal is for: a guild, and one member of it unless everyone there may use it. */
export interface Owner {
  readonly guildId: string;
  readonly userId?: string;
}

/** Of a component in the answer to an interaction; `isPrivate`: only the member who made it sees that. */
export const ownerOf = ({ guildId, user }: Pick<Context, 'guildId' | 'user'>, isPrivate: boolean): Owner =>
  isPrivate ? { guildId, userId: user.id } : { guildId };

/** Custom ids with a seal, so that a component works only where, and for whom, this bot has put it. */
export interface SignedIds {
  /** @throws RangeError when a custom id leaves no room for the seal */
  reply(reply: Reply, owner: Owner): Reply;
  modal(modal: Modal, owner: Owner): Modal;
  /**
   * The custom id as the command gave it; `undefined` when it is forged, of another guild or member, or from before the
   * bot token was reset. Which of these it is cannot be told, so what members read must be true of all of them.
   */
  open(customId: string, by: Required<Owner>): string | undefined;
}

/** 48 bits in base64url: guessing one takes 2^47 presses of a button. */
const SEAL_BYTES = 6;
const SEAL_LENGTH = 8;

/** @param secret survives a restart, so that buttons do; when it changes (a token reset), all older ones are refused */
export function createSignedIds(secret: Secret): SignedIds {
  function sealOf(id: string, { guildId, userId = '' }: Owner): string {
    const message = JSON.stringify(['custom id', guildId, userId, id]);
    return createHmac('sha256', secret.reveal())
      .update(message)
      .digest()
      .subarray(0, SEAL_BYTES)
      .toString('base64url');
  }

  function bind(id: string, owner: Owner): string {
    const bound = id + sealOf(id, owner);
    if (bound.length > LIMITS.customId) throw new RangeError(`the custom id ${id} is too long to be bound`);
    return bound;
  }

  const bindRow = ({ type, components }: Row, owner: Owner): Row => ({
    type,
    components: components.map((control) =>
      'custom_id' in control ? { ...control, custom_id: bind(control.custom_id, owner) } : control,
    ),
  });

  return {
    reply: (reply, owner) =>
      reply.components ? { ...reply, components: reply.components.map((row) => bindRow(row, owner)) } : reply,
    modal: (modal, owner) => ({ ...modal, custom_id: bind(modal.custom_id, owner) }),
    open(customId, { guildId, userId }) {
      const id = customId.slice(0, -SEAL_LENGTH);
      const seal = Buffer.from(customId.slice(-SEAL_LENGTH));
      return [{ guildId, userId }, { guildId }].some((owner) => {
        const right = Buffer.from(sealOf(id, owner));
        return seal.length === right.length && timingSafeEqual(seal, right);
      })
        ? id
        : undefined;
    },
  };
}
