import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createBotProcess } from '../../sandbox/bot-process.ts';
import { createFrontEnd } from '../../sandbox/prompt/front-end.ts';
import { openSandbox } from '../../sandbox/sandbox.ts';
import { createBotInProcess } from '../support/bot-in-process.ts';

/** The pages, from the root. What is typed in them stands behind `> `; all else in their fences is what came of it. */
export const TRANSCRIPTS = ['README.md', 'docs/transcript.md', 'docs/transcript.de.md'] as const;

/** What a key looks like on a page, and which one it stands for. */
const HIDDEN = { shown: '********', typed: 'sandbox-key-1234' };
const FENCE = /^```text\n([\s\S]*?)^```$/gm;

/**
 * The page with what its lines print today. Each section (`##`) has a sandbox of its own, so that one can be read, and
 * changed, without those before it. What is typed in a comment of the section is carried out first, and not shown.
 * @throws Error when a line of it is not understood or the bot breaks a rule of Discord
 */
export async function madeAnew(page: string): Promise<string> {
  const sections: string[] = [];
  for (const section of page.split(/^(?=## )/m)) sections.push(await sectionMadeAnew(section));
  return sections.join('');
}

async function sectionMadeAnew(section: string): Promise<string> {
  const fences = [...section.matchAll(FENCE)].map(([, fence = '']) => fence);
  if (fences.length === 0) return section;
  // One run for all fences of a section: a comment, which prints its own line only, parts them.
  const before = /^<!--\n([\s\S]*?)^-->$/m.exec(section)?.[1] ?? '';
  const lines = [before, ...fences].flatMap((typed) => [...typedIn(typed), PART]);
  const [, ...made] = (await run(lines)).split(`> ${PART}\n`);
  return section.replace(FENCE, () => `\`\`\`text\n${made.shift() ?? ''}\`\`\``);
}

const PART = '# the end of a fence';

const typedIn = (fence: string): readonly string[] =>
  [...fence.matchAll(/^>(?: (.*))?$/gm)].map(([, line = '']) =>
    line === HIDDEN.shown ? HIDDEN.typed : line,
  );

async function run(lines: readonly string[]): Promise<string> {
  const isKilled = lines.some((line) => line.startsWith('kill'));
  const sandbox = await openSandbox({
    surroundings: process.env,
    createBot: isKilled ? createBotProcess : createBotInProcess,
    discord: { reactionMs: 0 },
    env: { LISTING_NAME: 'Game List', LISTING_URL: 'https://list.example.com/' },
  });
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(output), text(errors)]);
  const prompt = createFrontEnd({ sandbox, input, output, errors, steady: true, onInterrupt: () => {} });
  try {
    input.end(lines.map((line) => `${line}\n`).join(''));
    const status = await prompt.run();
    prompt.leave();
    await sandbox.close();
    output.end();
    errors.end();
    const [stdout, stderr] = await printed;
    if (status !== 0) throw new Error(`The transcript ended with status ${status}:\n${stdout}\n${stderr}`);
    return stable(stdout);
  } finally {
    await sandbox.close();
  }
}

/** Without what is another each time: ids, times in files, ports of the sandbox. */
const stable = (printed: string): string =>
  printed
    .replace(/\b\d{17,20}\b/g, '‹id›')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '‹time›')
    .replace(/127\.0\.0\.1:\d{4,5}/g, '127.0.0.1');
