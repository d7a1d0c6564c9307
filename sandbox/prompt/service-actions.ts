import type { Mode } from '../listing/modes.ts';
import type { SubmittedServer } from '../listing/service.ts';
import { SANDBOX_KEYS } from '../listing/stand-in.ts';
import { BadLine, suggestion } from './bad-line.ts';
import type { Action } from './session.ts';

/** Ways to behave that need nothing more said, and what each one is like for the bot. */
export const BEHAVIOURS = {
  ok: 'answers as it should',
  down: 'refuses connections',
  html: 'answers with a web page',
  reset: 'resets every connection after it has read the request',
  hang: 'reads requests and never answers',
  empty: 'answers with nothing',
  truncated: 'stops in the middle of its answers',
  wrongTypes: 'answers with JSON of the wrong shape',
  huge: 'answers with a gigabyte',
} as const satisfies Partial<Record<Mode['kind'], string>>;

const WORDS = [...Object.keys(BEHAVIOURS), 'slow', 'status', 'revoke', 'allow'];

/** What concerns the listing service. */
export const SERVICE_ACTIONS: readonly Action[] = [
  {
    name: 'service',
    usage: 'ok|down|slow MS|…',
    help: `how the listing service behaves: ${WORDS.slice(0, -4).join(', ')}, slow MS, status CODE; revoke or allow [KEY] (all of the sandbox's without one)`,
    words: () => WORDS,
    async run({ sandbox, print }, argument) {
      const [word = '', value, ...more] = argument.split(/\s+/);
      if (more.length > 0) throw new BadLine(`service ${word} takes one value at most.`);
      if (word === 'revoke' || word === 'allow') {
        for (const key of value === undefined ? SANDBOX_KEYS : [value]) sandbox.listing[word](key);
        const keys = value === undefined ? 'the keys of the sandbox' : 'that key';
        print(`The service ${word === 'revoke' ? 'no longer accepts' : 'accepts'} ${keys}.`);
        return;
      }
      const { mode, words } = behaviour(word, value);
      await sandbox.listing.behave(mode);
      print(`The listing service now ${words}.`);
    },
  },
  {
    name: 'submitted',
    usage: '',
    help: 'what the listing service holds',
    run({ sandbox, print }) {
      const { submitted } = sandbox.listing;
      const title = submitted.length === 1 ? '1 server' : `${submitted.length} servers`;
      print([`The listing service holds ${title}.`, ...submitted.map(oneLine)].join('\n'));
    },
  },
];

function behaviour(word: string, value: string | undefined): { mode: Mode; words: string } {
  if (word === 'slow') {
    if (!/^\d{1,6}$/.test(value ?? '')) throw new BadLine('slow takes milliseconds: service slow 5000');
    return { mode: { kind: 'slow', ms: Number(value) }, words: `answers after ${value} ms` };
  }
  if (word === 'status') {
    if (!/^[2-5]\d\d$/.test(value ?? ''))
      throw new BadLine('status takes an HTTP status: service status 503');
    return { mode: { kind: 'status', status: Number(value) }, words: `answers with status ${value}` };
  }
  if (!isBehaviour(word))
    throw new BadLine(`service takes one of ${WORDS.join(', ')}.${suggestion(word, WORDS)}`);
  if (value !== undefined) throw new BadLine(`service ${word} takes no value.`);
  return { mode: { kind: word }, words: BEHAVIOURS[word] };
}

function isBehaviour(word: string): word is keyof typeof BEHAVIOURS {
  return Object.hasOwn(BEHAVIOURS, word);
}

function oneLine({ server, port, query_port, game }: SubmittedServer): string {
  const host = server.includes(':') ? `[${server}]` : server;
  return `  ${game}  ${host}:${port}${query_port === undefined ? '' : `  query port ${query_port}`}`;
}
