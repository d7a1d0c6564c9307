/** Loaded into the bot before anything else. Turns it into the next version, which has its own migration. */
import { MIGRATIONS } from '../../../src/storage/migrations.ts';
import { NEXT_VERSION } from '../next-version.ts';

Object.assign(MIGRATIONS, NEXT_VERSION);
