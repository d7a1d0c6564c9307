import type { Encryption } from '../storage/encryption.ts';

/**
 * What stands for a member whose id was deleted, as long as a limit counts what they submitted: one hash for each
 * encryption key, the one to write first. It is another one in each guild.
 */
export const memberHashes = (
  encryption: Pick<Encryption, 'pseudonyms'>,
  { guildId, userId }: { readonly guildId: string; readonly userId: string },
): readonly string[] => encryption.pseudonyms(`guild ${guildId}: member ${userId}`);
