import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { modalFields } from '../../sandbox/prompt/modal-line.ts';
import type { Random } from '../soak/random.ts';
import { postButton } from '../support/forged-button.ts';
import type { Scene } from '../support/scene.ts';
import { anyCustomId, anyFile, anyText } from './texts.ts';

/** One thing that somebody did. */
export interface Act {
  readonly what: string;
  /** In ms since 1970. */
  readonly from: number;
  to?: number;
}

export interface Hostile {
  readonly acts: readonly Act[];
  readonly unanswered: readonly string[];
  /** Lists that were read as far as to be shown: without any, this was about something else. */
  previews(): number;
  /** Does one thing after the other until `over`. */
  live(person: Person, random: Random, over: AbortSignal): Promise<void>;
}

/** Longer than any work that a member waits for here. */
const ANSWER_WITHIN_MS = 60_000;
const MOST_FILE = 256 * 1024;

export function createHostile(scene: Scene): Hostile {
  const acts: Act[] = [];
  const unanswered: string[] = [];
  let previews = 0;

  /** Waits for an answer, whatever it is, and tells when there is none. */
  async function answered<Found>(what: string, run: () => Promise<Found>): Promise<Found | undefined> {
    const act: Act = { what, from: Date.now() };
    acts.push(act);
    const late = new AbortController();
    const found = await Promise.race([
      run(),
      sleep(ANSWER_WITHIN_MS, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    act.to = Date.now();
    if (JSON.stringify(messageIn(found)?.components ?? []).includes(PREVIEW)) previews += 1;
    const isLost = found === undefined || found === 'lost' || (found as { kind?: string }).kind === 'lost';
    if (isLost) unanswered.push(`${what} at ${new Date(act.from).toISOString()}`);
    return found;
  }

  /** Presses, chooses or fills in whatever an answer has, so that the next step gets its turn. */
  async function goOn(person: Person, random: Random, answer: Answer | undefined): Promise<void> {
    if (answer?.kind === 'modal') {
      // A key that is a word or a sign is found in anything that is printed.
      const textOf = (id: string) => (id === 'key' ? forgedKey(random) : anyText(random, 100));
      const texts = modalFields(answer.modal.data).map(({ id }) => [id, textOf(id)]);
      const modal = answer.modal;
      await answered(`modal ${modal.data.custom_id.slice(0, 20)}`, () =>
        person.submit(modal, Object.fromEntries(texts)),
      );
      return;
    }
    if (answer?.kind !== 'message') return;
    const ids = buttonsOf(answer.message);
    const id = ids[random.below(ids.length)];
    if (id !== undefined) {
      const next = await answered(`button ${id.slice(0, 25)}`, () => person.press(answer.message, id));
      if (next?.kind === 'modal') await goOn(person, random, next);
    }
  }

  function actOf(person: Person, random: Random): () => Promise<void> {
    const slash =
      (name: string, options: Parameters<Person['slash']>[1] = {}, about = '') =>
      async () => {
        const answer = await answered(`/${name} ${about}`, () => person.slash(name, options));
        if (random.chance(0.4)) await goOn(person, random, answer);
      };
    const about = (text: string | Buffer) =>
      `${text.length} of ${JSON.stringify(text.toString().slice(0, 30))}`;
    const file = () => {
      const bytes = anyFile(random, random.chance(0.05) ? MOST_FILE + 10 : MOST_FILE);
      const filename = `list.${random.pick([
        [2, 'txt'],
        [2, 'csv'],
        [2, 'json'],
      ])}`;
      return slash(
        'addservers',
        { file: { filename, bytes }, ...(random.chance(0.5) && { game: anyText(random, 100) || 'a' }) },
        about(bytes),
      );
    };
    const paste = () => async () => {
      const opened = await answered('/addservers', () => person.slash('addservers'));
      if (opened?.kind !== 'modal') return;
      const [servers, game] = [anyText(random, 4_000) || 'a', anyText(random, 100)];
      const answer = await answered(`paste ${about(servers)}`, () =>
        person.submit(opened.modal, { servers, game }),
      );
      if (random.chance(0.4)) await goOn(person, random, answer);
    };
    const one = () => {
      const server = anyText(random, 6_000) || 'a';
      const game = random.chance(0.5) ? 'cs2' : anyText(random, 100) || 'a';
      return slash(
        'addserver',
        { server: random.chance(0.3) ? 's.example.com:27015' : server, game },
        about(server),
      );
    };
    const complete = () => async () => {
      const typed = anyText(random, 100);
      await answered(`completing ${about(typed)}`, () =>
        random.chance(0.5)
          ? person.complete('addserver', 'game', { game: typed })
          : person.complete('games', 'search', { search: typed.slice(0, 60) }),
      );
    };
    const forged = () => async () => {
      const customId = anyCustomId(random);
      const guild = scene.discord.guilds.findIndex(({ id }) => id === person.guildId);
      const message = await postButton(scene, guild, customId).catch(() => undefined);
      if (message) await answered(`forged ${JSON.stringify(customId)}`, () => person.press(message, 'Go'));
    };
    const onMessage = () => async () => {
      const text = anyText(random, 2_000) || 'a';
      const id = scene.discord.say(person, text);
      const answer = await answered(`message ${about(text)}`, () =>
        person.useOnMessage('Submit servers', id),
      );
      if (random.chance(0.4)) await goOn(person, random, answer);
    };
    const setKey = () => async () => {
      // The right one last, or nobody could submit anything any more.
      for (const key of random.chance(0.5) ? [forgedKey(random), KEY] : [KEY]) {
        const opened = await answered('/setkey', () => person.slash('setkey'));
        if (opened?.kind !== 'modal') return;
        const [field] = modalFields(opened.modal.data);
        if (field) await answered('modal of /setkey', () => person.submit(opened.modal, { [field.id]: key }));
      }
    };
    return random.pick<() => () => Promise<void>>([
      [25, file],
      [20, paste],
      [15, one],
      [12, complete],
      [6, () => slash('games', random.chance(0.7) ? { search: anyText(random, 60) || 'a' } : {})],
      [8, forged],
      [6, onMessage],
      [3, setKey],
      [2, () => slash('settings')],
      [2, () => slash('submissions')],
      [2, () => slash('keystatus')],
      [1, () => slash('help')],
      [1, () => slash('privacy')],
    ])();
  }

  return {
    acts,
    unanswered,
    previews: () => previews,
    async live(person, random, over) {
      while (!over.aborted) {
        await actOf(person, random)();
        await sleep(random.between(20, 200));
      }
    },
  };
}

/** How the id of a button begins that stands under every list that is shown before it is submitted. */
const PREVIEW = '"addservers:cancel:';

const messageIn = (answer: unknown) =>
  (answer as { readonly message?: SeenMessage } | undefined)?.message?.current;

export const KEY = 'fuzzed-key-0123456789';
const forgedKey = (random: Random): string => `forged-${'k3y'.repeat(4)}-${random.below(1_000_000)}`;

function buttonsOf(message: SeenMessage): readonly string[] {
  const rows = (message.current?.components ?? []) as unknown as {
    readonly components?: readonly {
      readonly type: number;
      readonly custom_id?: string;
      readonly disabled?: boolean;
    }[];
  }[];
  return rows.flatMap(({ components = [] }) =>
    components.flatMap((each) =>
      each.type === 2 && each.custom_id !== undefined && !each.disabled ? [each.custom_id] : [],
    ),
  );
}
