/** Loaded into the bot before anything else: it is the next version, with a change of the tables of its own. */
import { MIGRATIONS } from '../../../src/storage/migrations.ts';
import { NEXT_VERSION } from '../next-version.ts';

Object.assign(MIGRATIONS, NEXT_VERSION);
