import type { Encryption } from '../storage/encryption.ts';
import type { Store } from '../storage/store.ts';
import { type AccessLists, createAccess } from './access.ts';
import { createApiKeys } from './api-keys.ts';
import { createBlocks } from './blocks.ts';
import { createDeletion, type DeletionDeps } from './deletion.ts';
import { createDirectMessageOptOuts } from './direct-message-opt-outs.ts';
import { createMembership, type MembershipDeps } from './membership.ts';
import { createPanels } from './panels.ts';
import { announcementChannels, createGuildSettings, logChannels } from './settings.ts';

export interface GuildsDeps extends Omit<MembershipDeps, 'deletion' | 'submissions' | 'pauseMs' | 'now'> {
  readonly accessLists: AccessLists;
  readonly store: Store;
  readonly encryption: Pick<Encryption, 'seal' | 'open'>;
  readonly directMessageChannels: DeletionDeps['directMessageChannels'];
  readonly submissions: DeletionDeps['submissions'] & MembershipDeps['submissions'];
}

export function createGuilds(deps: GuildsDeps) {
  const { store, encryption, logger } = deps;
  const keys = createApiKeys({ store, encryption, logger });
  const settings = createGuildSettings({ store, logger });
  const panels = createPanels({ store, logger });
  const blocks = createBlocks({ store, settings });
  const directMessageOptOuts = createDirectMessageOptOuts({ store });
  const deletion = createDeletion({ ...deps, keys, settings, directMessageOptOuts, panels, blocks });
  return {
    keys,
    settings,
    panels,
    blocks,
    directMessageOptOuts,
    logChannel: logChannels(settings),
    announcements: announcementChannels(settings),
    access: createAccess(deps.accessLists),
    deletion,
    membership: createMembership({ ...deps, deletion }),
  };
}
