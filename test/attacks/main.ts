import { parseArgs } from 'node:util';
import { type Arena, type Attack, type Campaign, openArena } from './arena.ts';
import { createBystanders, type Sight } from './bystanders.ts';
import { FLOODS } from './floods.ts';
import { KEYS } from './keys.ts';
import { LISTS } from './lists.ts';
import { RECORDS } from './records.ts';
import { SERVICE } from './service.ts';
import { TYPED } from './typed.ts';
import { WORDS } from './words.ts';

const CAMPAIGNS: readonly Campaign[] = [LISTS, TYPED, SERVICE, KEYS, WORDS, RECORDS, FLOODS];

/** Far above what is wanted (100 ms) and what a machine with other work explains: processor time of the bot alone. */
const WORST_STALL_MS = 1_500;
/** What is still not over by then has been answered by nobody. */
const GIVE_UP_MS = 120_000;
const SHOWN_CASES = 3;

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const wanted = positionals.map((text) => text.toLowerCase());
const isWanted = (campaign: Campaign, attack: Attack) =>
  wanted.length === 0 ||
  wanted.some((text) => `${campaign.name}: ${attack.name}`.toLowerCase().includes(text));
const say = (line: string) => process.stdout.write(`${line}\n`);
const harms: string[] = [];

const COLUMNS = [10, 12, 10, 8, 6, 9, 10] as const;
const row = (cells: readonly (string | number)[], name: string) =>
  say(`${COLUMNS.map((width, index) => String(cells[index] ?? '').padStart(width)).join('')}  ${name}`);

if (values.list) {
  for (const campaign of CAMPAIGNS) for (const { name } of campaign.attacks) say(`${campaign.name}: ${name}`);
  process.exit(0);
}

say('What happened to two other guilds meanwhile (milliseconds; “stall” is the bot’s own processor time):');
row(['slow. ack', 'slow. answer', 'unanswered', 'refused', 'wrong', 'stall', 'actions'], 'attack');
for (const campaign of CAMPAIGNS) await wage(campaign);
say('');
for (const harm of harms) say(`HARM ${harm}`);
say(harms.length === 0 ? 'Nobody was hurt.' : `${harms.length} cases of harm.`);
// Whoever still waits for an answer would keep this process alive.
process.exit(harms.length === 0 ? 0 : 1);

async function wage(campaign: Campaign): Promise<void> {
  const attacks = campaign.attacks.filter((attack) => isWanted(campaign, attack));
  if (attacks.length === 0) return;
  const arena = await openArena(campaign);
  const bystanders = createBystanders(arena);
  for (const attack of attacks) {
    const name = `${campaign.name}: ${attack.name}`;
    try {
      await attack.prepare?.(arena);
    } catch (error) {
      harms.push(`${name}: it could not be prepared: ${messageOf(error)}`);
      continue;
    }
    const since = Date.now();
    const sight = await bystanders.during(async () => {
      const harm = await harmOf(arena, attack);
      if (harm !== undefined) harms.push(`${name}: ${harm}`);
    });
    arena.beHostile(undefined);
    await report(name, sight, await arena.probe.longest(since));
    if (!arena.bot.running) break;
  }
  try {
    await arena.close(campaign.expected);
  } catch (error) {
    harms.push(`${campaign.name}: ${messageOf(error)}`);
  }
}

async function harmOf(arena: Arena, attack: Attack): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const never = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`it was not over after ${GIVE_UP_MS / 1000} s`), GIVE_UP_MS);
  });
  try {
    return await Promise.race([attack.run(arena).then(() => undefined), never]);
  } catch (error) {
    return messageOf(error);
  } finally {
    clearTimeout(timer);
  }
}

async function report(name: string, sight: Sight, stall: { ms: number; ownMs: number }): Promise<void> {
  const { slowestAck, slowestAnswer, unanswered, refused, toldWrongly, actions } = sight;
  const times = [Math.round(slowestAck), Math.round(slowestAnswer)];
  row([...times, unanswered.length, refused.length, toldWrongly.length, stall.ownMs, actions], name);
  const kinds = { 'not answered': unanswered, refused, 'told wrongly': toldWrongly };
  for (const [kind, cases] of Object.entries(kinds)) {
    for (const about of cases.slice(0, SHOWN_CASES)) {
      harms.push(`${name}: a bystander was ${kind}: ${about.replaceAll('\n', ' / ').slice(0, 400)}`);
    }
  }
  if (stall.ownMs > WORST_STALL_MS) harms.push(`${name}: the bot stood still for ${stall.ownMs} ms`);
}

/** The first line: the rest of an assertion is what was compared, which may be as long as the attack. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, 600).replaceAll('\n', ' / ');
}
