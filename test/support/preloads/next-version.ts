/** Loaded into the bot first. Turns it into the next version, with its own migration. */
import { MIGRATIONS } from '../../../src/storage/migrations.ts';
import { NEXT_VERSION } from '../next-version.ts';

Object.assign(MIGRATIONS, NEXT_VERSION);
