import { chmodSync, existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigError, type Environment, readDiscordConfig, readListingConfig } from '../config/config.ts';
import { createDiscordApi } from '../discord/api.ts';
import { inviteLink } from '../discord/portal.ts';
import { SILENT } from '../logger.ts';
import { checkPortal, type PortalFindings, withDeadline } from '../operations/discord-checks.ts';
import { type Finding, find, linesOf } from '../operations/finding.ts';
import { checkListing, listingUrlWithoutApi } from '../operations/listing-check.ts';
import { readDotEnv } from '../read-dot-env.js';
import { reason } from '../storage/store-error.ts';
import { createQuestions, type Questions } from './questions.ts';
import { runTool, usage } from './tool.ts';

const FILE = '.env';
const EXAMPLE = fileURLToPath(new URL('../../.env.example', import.meta.url));
const HOW = 'npm run setup: asks for the two settings that a bot needs, tests them, and writes them to .env';

await runTool('setup', async () => {
  usage(HOW, { arguments: 0 });
  const { values, complaints, isReadable } = readDotEnv(FILE);
  if (!isReadable) throw new ConfigError(complaints.join('\n'));
  const questions = createQuestions();
  try {
    await setUp(questions, { ...values, ...process.env });
  } finally {
    questions.close();
  }
});

async function setUp(questions: Questions, env: Environment): Promise<void> {
  const portal = await settle(questions, env, {
    name: 'DISCORD_TOKEN',
    asks: 'The bot token, from the "Bot" page of your application (it is not shown while you type)',
    isSecret: true,
    check: (given) => tryToken(given),
  });
  const listing = await settle(questions, env, {
    name: 'LISTING_API_URL',
    asks: 'The address of the listing service, such as https://list.example.com',
    isSecret: false,
    check: (given) => tryListing(given),
  });
  await write(questions, { DISCORD_TOKEN: portal.value, LISTING_API_URL: listing.value });
  printNextSteps([...portal.findings, ...listing.findings], portal.application?.id);
}

interface TestedValue {
  readonly findings: readonly Finding[];
  readonly better?: string;
  readonly application?: PortalFindings['application'];
}

interface Setting {
  readonly name: 'DISCORD_TOKEN' | 'LISTING_API_URL';
  readonly asks: string;
  readonly isSecret: boolean;
  /** @throws ConfigError if the value is invalid */
  readonly check: (env: Environment) => Promise<TestedValue>;
}

/**
 * Reads a setting from the environment or asks for it. Asks again until the value works or the user insists on it.
 * @throws ConfigError if the answers run out, or if another variable is invalid
 */
async function settle(
  questions: Questions,
  env: Environment,
  setting: Setting,
): Promise<TestedValue & { value: string }> {
  const { name, asks, isSecret } = setting;
  let last: (TestedValue & { value: string }) | undefined;
  for (let given = process.env[name]; ; given = undefined) {
    const known = last?.value ?? env[name];
    const enter = last === undefined ? 'Enter: the one in .env' : 'Enter: use this one anyway';
    const question = known ? `${asks}. ${enter}` : asks;
    given ??= await questions.ask(`${question}: `, isSecret);
    if (given === undefined)
      throw new ConfigError(`${name} is missing or does not work: nothing was written`);
    if (given.trim() === '' && last !== undefined) return last;
    const value = given.trim() || known || '';
    try {
      const tried = await setting.check({ ...env, [name]: value });
      print(linesOf(tried.findings));
      last = { ...tried, value: tried.better ?? value };
      if (tried.findings[0]?.state !== 'failed') return last;
    } catch (error) {
      // If a different variable is invalid, asking again wouldn't help.
      if (!(error instanceof ConfigError) || error.variables.some((other) => other !== name)) throw error;
      print(`${error.problems.join('\n')}\n`);
    }
  }
}

async function tryToken(env: Environment): Promise<TestedValue> {
  const config = readDiscordConfig(env);
  const { discordApiUrl: apiUrl, discordToken: token } = config;
  const api = createDiscordApi({ apiUrl, token, logger: SILENT });
  return checkPortal(withDeadline(api), config);
}

/** Checks whether the service at this URL responds as specified. Only the doctor checks whether it accepts a key. */
async function tryListing(env: Environment): Promise<TestedValue> {
  const { listingApiKey: _, ...config } = readListingConfig(env);
  const finding = await find('Listing service', () => checkListing(config));
  const better = finding.state === 'failed' ? await listingUrlWithoutApi(config) : undefined;
  if (better === undefined) return { findings: [finding] };
  const text = `responds at ${better}, which is used instead: the bot adds /api itself`;
  return { findings: [{ check: finding.check, state: 'ok', text }], better };
}

/**
 * Writes the settings to the `.env` file, and keeps its other lines. A new file starts as a copy of `.env.example`. Only
 * the file's owner can read it.
 */
async function write(questions: Questions, settings: Readonly<Record<string, string>>): Promise<void> {
  const isThere = existsSync(FILE);
  if (isThere) {
    const answer = await questions.ask(
      `${FILE} already exists. Write ${Object.keys(settings).join(' and ')} to it, and keep the rest? [y/N] `,
    );
    if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new ConfigError(`${FILE} was not changed`);
  }
  let text = readFileSync(isThere ? FILE : EXAMPLE, 'utf8').replace(/^\uFEFF/, '');
  for (const [name, value] of Object.entries(settings)) text = withSetting(text, name, value);
  // If the file is a symbolic link, writes to its target and keeps the link.
  const path = isThere ? realpathSync(FILE) : FILE;
  try {
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
    chmodSync(`${path}.new`, 0o600);
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw new ConfigError(`could not write ${FILE}: ${reason(error)}`);
  }
  print(`\nWrote ${FILE}, which only you can read.\n`);
}

function withSetting(text: string, name: string, value: string): string {
  const setting = `${name}=${value}`;
  const lines = text.split('\n');
  const isOfName = (line: string) =>
    /^[ \t]{0,8}(?:export[ \t]{1,8})?(\w+)[ \t]{0,8}=/u.exec(line)?.[1] === name;
  if (lines.some(isOfName)) return lines.map((line) => (isOfName(line) ? setting : line)).join('\n');
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${setting}\n`;
}

function printNextSteps(findings: readonly Finding[], applicationId: string | undefined): void {
  const isToBeFixed = findings.some(({ state }) => state === 'failed');
  const steps = [
    isToBeFixed && 'Fix the checks marked FAILED above, then check again with: npm run doctor',
    'Start the bot: npm start',
    applicationId !== undefined && 'Invite it to your Discord server with the link below.',
    'Run /setkey there, and paste the API key of your account at the listing service.',
  ].filter((step) => step !== false);
  print(`\nNext steps:\n${steps.map((step, index) => `  ${index + 1}. ${step}\n`).join('')}`);
  if (applicationId !== undefined) print(`\n${inviteLink(applicationId)}\n`);
}

function print(text: string): void {
  process.stdout.write(text);
}
