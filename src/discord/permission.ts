import { PermissionFlagsBits, type PermissionsBitField } from 'discord.js';

/**
 * What a member must be allowed in the server. The dispatcher asks for it at the command and again at each of its
 * buttons, selects and modals, whatever Discord has shown: Integrations can give a command to anyone, and a message
 * with buttons or a modal can stay open for long.
 */
export type Permission = 'manage-guild';

const BITS = { 'manage-guild': PermissionFlagsBits.ManageGuild } as const;

interface Permitted {
  readonly permissions: Readonly<PermissionsBitField>;
}

/** Whether the member has the permission at this moment. */
export const isAllowed = ({ permissions }: Permitted, permission: Permission): boolean =>
  permissions.has(BITS[permission]);

/** As Discord takes it: who sees a command, until admins say otherwise on the Integrations page. */
export const defaultPermissions = (permission: Permission): string => String(BITS[permission]);

/** Whether somebody lacks the permission that this needs; without one, nobody does. */
export const isDenied = (member: Permitted, permission: Permission | undefined): boolean =>
  permission !== undefined && !isAllowed(member, permission);
