import { z } from 'zod';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../observability/logger.ts';
import { createCollection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';
import type { ApiKeys } from './api-keys.ts';
import { ABSENCE, type GuildData } from './guild-data.ts';

/** From this many absences on, one after the other, the bot counts as removed. */
const ENOUGH = 2;
/** More than this many guilds, and more than this share, do not leave at once: the token is of another bot. */
const MASS = { guilds: 10, share: 0.2 };

const absenceSchema = z.object({
  /** Milliseconds since 1970. */
  since: z.number(),
  /** In how many checks in a row the guild was absent. */
  absences: z.int().positive(),
});
type Absence = z.infer<typeof absenceSchema>;

export interface DeparturesDeps {
  readonly store: Store;
  readonly data: GuildData;
  readonly keys: Pick<ApiKeys, 'delete'>;
  /** Every guild the bot is in, or an error. */
  readonly listGuilds: () => Promise<readonly string[]>;
  /** Whether this process looks after the guild. */
  readonly isOurs: (guildId: string) => boolean;
  readonly checkEveryMs: number;
  /** How long what is kept beside the key outlives the bot's removal from a guild. */
  readonly graceMs: number;
  readonly logger: Logger;
  readonly now?: () => number;
}

/**
 * Finds out by asking which guilds the bot was removed from, since without intents nobody tells it. A guild that is
 * absent in two checks in a row loses its key, and after a time of grace everything else. It checks at its start, and
 * has to be started after the connection to Discord.
 */
export interface Departures extends Part {
  /** One check, or the one that runs. It never throws. */
  check(): Promise<void>;
  /** How many lists were refused because too many guilds were missing in them. */
  readonly refusals: number;
}

export function createDepartures(deps: DeparturesDeps): Departures {
  const { store, data, keys, listGuilds, isOurs, checkEveryMs, graceMs, logger, now = Date.now } = deps;
  const records = createCollection<Absence>({ store, name: ABSENCE, version: 1, schema: absenceSchema });
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let refusals = 0;

  async function absences(): Promise<ReadonlyMap<string, Absence>> {
    const known = new Map<string, Absence>();
    for await (const [guildId, absence] of records.list()) if (isOurs(guildId)) known.set(guildId, absence);
    return known;
  }

  async function compare(listed: ReadonlySet<string>): Promise<void> {
    const held = [...(await data.held())].filter(isOurs);
    const known = await absences();
    const absent = held.filter((guildId) => !listed.has(guildId));
    const vanished = absent.filter((guildId) => !known.has(guildId)).length;
    const before = held.length - absent.length + vanished;
    if (vanished > MASS.guilds && vanished > MASS.share * before) {
      refusals += 1;
      logger.error(
        { vanished, of: before, refusals },
        'too many guilds are missing at once in the list from Discord: is this the token of another bot? ' +
          'The data of all guilds stays as it is',
      );
      return;
    }
    const gone = new Set(absent);
    // Back again, or nothing is left to delete.
    for (const guildId of known.keys()) if (!gone.has(guildId)) await records.delete(guildId);
    for (const guildId of absent) await note(guildId, known.get(guildId));
  }

  async function note(guildId: string, known: Absence | undefined): Promise<void> {
    const since = known?.since ?? now();
    const absences = (known?.absences ?? 0) + 1;
    await records.set(guildId, { since, absences });
    if (absences < ENOUGH) return;
    if (now() - since >= graceMs) {
      await data.delete(guildId);
      logger.info({ guildId }, 'the bot has not been in a guild for long: all its data was deleted');
    } else if (await keys.delete(guildId)) {
      logger.info({ guildId }, 'the bot is no longer in a guild: its API key was deleted');
    }
  }

  async function run(): Promise<void> {
    let listed: readonly string[];
    try {
      listed = await listGuilds();
    } catch (error) {
      logger.warn({ err: error }, 'the guilds of this bot could not be read from Discord; will try again');
      return;
    }
    if (listed.length === 0) {
      logger.warn({}, 'Discord lists no guild of this bot; the data of all guilds stays as it is');
      return;
    }
    await compare(new Set(listed)).catch((error: unknown) => {
      logger.error({ err: error }, 'the check for guilds that the bot has left did not end; will try again');
    });
  }

  function check(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    name: 'departures',
    check,
    get refusals() {
      return refusals;
    },
    async start() {
      timer = setInterval(() => void check(), checkEveryMs).unref();
      void check();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
