import { randomUUID } from 'node:crypto';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Store } from '../storage/store.ts';
import type { BlocksTable } from '../storage/tables.ts';
import type { GuildSettings } from './settings.ts';

export const MAX_BLOCKS = 500;
export const MAX_BLOCK_REASON_LENGTH = 100;

/** The member, host or range of addresses that can't be submitted or submit in a guild. */
export type BlockTarget =
  | { readonly kind: 'member'; readonly id: string }
  /**
   * A name with its subdomains or an address, both in canonical form, or a range such as `203.0.113.0/24`, in lower case and
   * otherwise as typed.
   */
  | { readonly kind: 'host'; readonly host: string };

export interface Block {
  readonly id: string;
  readonly target: BlockTarget;
  readonly reason: string;
  /** Who blocked the target; `undefined` once their name has been deleted. */
  readonly by: { readonly id: string; readonly name: string } | undefined;
  /** In milliseconds since 1970. */
  readonly at: number;
}

export interface NewBlocks {
  readonly targets: readonly BlockTarget[];
  readonly by: { readonly id: string; readonly name: string };
  readonly reason: string;
  /** The interaction that also declined submissions; `undefined` for a block on its own. */
  readonly decisionId?: string;
}

export interface BlockCheck {
  hasMember(id: string): boolean;
  /** @param host the host of a game server, in canonical form. Names aren't resolved */
  hasHost(host: string): boolean;
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

export function createBlockCheck(targets: readonly BlockTarget[]): BlockCheck {
  const members = new Set<string>();
  const names = new Set<string>();
  const addresses = new BlockList();
  for (const target of targets) {
    if (target.kind === 'member') members.add(target.id);
    else {
      const [host = '', bits] = target.host.split('/');
      if (isIP(host) === 0) names.add(host);
      else if (bits === undefined) addresses.addAddress(host, familyOf(host));
      else addresses.addSubnet(host, Number(bits), familyOf(host));
    }
  }
  return {
    hasMember: (id) => members.has(id),
    hasHost(host) {
      if (isIP(host) !== 0) return addresses.check(host, familyOf(host));
      const labels = host.split('.');
      return labels.some((_, index) => names.has(labels.slice(index).join('.')));
    },
  };
}

export const NO_BLOCKS: BlockCheck = { hasMember: () => false, hasHost: () => false };

export type Blocks = ReturnType<typeof createBlocks>;

/**
 * Creates the store for guilds' blocks. A guild's settings record whether it has blocks, so that a guild without blocks
 * doesn't need a query. Methods that change data must be called inside the guild's transaction. Every method throws a
 * StoreError when the store fails.
 */
export function createBlocks({
  store: { tables },
  settings,
  now = () => Date.now(),
}: {
  readonly store: Pick<Store, 'tables'>;
  readonly settings: Pick<GuildSettings, 'getOrThrow' | 'change'>;
  readonly now?: () => number;
}) {
  const rowsOf = (guildId: string) =>
    tables()
      .selectFrom('blocks')
      .selectAll()
      .where('guild_id', '=', guildId)
      .orderBy('blocked_at', 'desc')
      .orderBy('id');

  const deleteFrom = (guildId: string) => tables().deleteFrom('blocks').where('guild_id', '=', guildId);

  async function list(guildId: string): Promise<readonly Block[]> {
    return (await rowsOf(guildId).execute()).map(blockOf);
  }

  async function ofDecision(guildId: string, decisionId: string): Promise<readonly Block[]> {
    return (await rowsOf(guildId).where('decision_id', '=', decisionId).execute()).map(blockOf);
  }

  async function remove(guildId: string, chosen: readonly Block[]): Promise<readonly Block[]> {
    if (chosen.length === 0) return [];
    const ids = chosen.map(({ id }) => id);
    await deleteFrom(guildId).where('id', 'in', ids).execute();
    if ((await list(guildId)).length === 0) {
      await settings.change(guildId, ({ hasBlocks: _, ...others }) => others);
    }
    return chosen;
  }

  return {
    /** Returns the guild's blocks, newest first. */
    list,
    check: async (guildId: string): Promise<BlockCheck> =>
      createBlockCheck((await list(guildId)).map(({ target }) => target)),
    ofDecision,
    /**
     * Adds blocks for the targets that no block includes yet, up to {@link MAX_BLOCKS} in total.
     * @throws UnreadableSettingsError if the guild's settings can't be read
     */
    async add(guildId: string, { targets, by, reason, decisionId }: NewBlocks): Promise<readonly Block[]> {
      const before = await list(guildId);
      const added = targets
        .filter((target) => !before.some((block) => includes(block.target, target)))
        .slice(0, MAX_BLOCKS - before.length)
        .map(
          (target): BlocksTable => ({
            id: randomUUID(),
            guild_id: guildId,
            user_id: target.kind === 'member' ? target.id : null,
            host: target.kind === 'host' ? target.host : null,
            reason,
            blocked_by: by.id,
            blocked_by_name: by.name,
            blocked_at: now(),
            decision_id: decisionId ?? null,
          }),
        );
      if (added.length === 0) return [];
      await tables().insertInto('blocks').values(added).execute();
      // Unreadable settings must not be replaced.
      const { hasBlocks } = await settings.getOrThrow(guildId);
      if (!hasBlocks) await settings.change(guildId, (found) => ({ ...found, hasBlocks: true }));
      return added.map(blockOf);
    },
    async remove(guildId: string, id: string): Promise<Block | undefined> {
      const found = await rowsOf(guildId).where('id', '=', id).execute();
      const [removed] = await remove(guildId, found.map(blockOf));
      return removed;
    },
    removeOfDecision: async (guildId: string, decisionId: string): Promise<readonly Block[]> =>
      remove(guildId, await ofDecision(guildId, decisionId)),
    /** Deletes all of a guild's blocks, but not the note in its settings. */
    async delete(guildId: string): Promise<void> {
      await deleteFrom(guildId).execute();
    },
    async deleteName(guildId: string, userId: string): Promise<void> {
      await tables()
        .updateTable('blocks')
        .set({ blocked_by: null, blocked_by_name: null })
        .where('guild_id', '=', guildId)
        .where('blocked_by', '=', userId)
        .execute();
    },
  };
}

/** The length of an address without a prefix, in bits. A shorter prefix is a wider range. */
const NO_PREFIX = '128';

/** Whether a block of one target also blocks everything of the other. */
export function includes(blocked: BlockTarget, other: BlockTarget): boolean {
  const check = createBlockCheck([blocked]);
  if (blocked.kind === 'member') return other.kind === 'member' && check.hasMember(other.id);
  if (other.kind === 'member') return false;
  const [, bits = NO_PREFIX] = blocked.host.split('/');
  const [host = '', otherBits = NO_PREFIX] = other.host.split('/');
  return Number(bits) <= Number(otherBits) && check.hasHost(host);
}

function blockOf({ id, user_id, host, reason, blocked_by, blocked_by_name, blocked_at }: BlocksTable): Block {
  return {
    id,
    target: user_id === null ? { kind: 'host', host: host ?? '' } : { kind: 'member', id: user_id },
    reason,
    by: blocked_by === null ? undefined : { id: blocked_by, name: blocked_by_name ?? '' },
    at: blocked_at,
  };
}
