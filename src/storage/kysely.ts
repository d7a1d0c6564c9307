import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Kysely, when it is first asked for: it is 250 files, of which a start reads none, so that the bot is ready a seventh
 * sooner (measured). What the start itself asks the tables it asks with `database.execute`.
 */
export const kysely = (): typeof import('kysely') => require('kysely');
