import { existsSync, readFileSync } from 'node:fs';
import { isDotEnvUnread } from '../config/config.ts';
import { isOpenToOthers } from '../storage/encryption-key.ts';
import { CheckWarningError } from './finding.ts';

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'];

export async function checkSurroundings(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const warnings = [];
  const fixes = [];
  if (isDotEnvUnread()) {
    warnings.push('there is a .env file, but neither this command nor "node src/start.js" reads it');
    fixes.push('use "npm run doctor" and "npm start"');
  }
  if (existsSync('.env') && (await isOpenToOthers('.env'))) {
    warnings.push('other users can read .env');
    fixes.push('chmod 600 .env');
  }
  const misread = existsSync('.env') ? misreadByDocker(readFileSync('.env', 'utf8')) : [];
  if (misread.length > 0) {
    warnings.push(`in .env, Docker takes quotes and comments as part of the value: ${misread.join(', ')}`);
    fixes.push('remove the quotes around values, and move comments to lines of their own');
  }
  const proxies = PROXIES.flatMap((name) => [name, name.toLowerCase()]).filter((name) => env[name]);
  if (proxies.length > 0) {
    warnings.push(`${proxies.join(', ')}: the bot does not use a proxy`);
    fixes.push('allow direct outgoing https to discord.com and the listing service');
  }
  if (warnings.length > 0) throw new CheckWarningError(warnings.join('\n'), fixes.join('; '));
  return 'no problems found';
}

/** Returns the names of variables that have quotes around their value or a comment after it, which only Docker keeps. */
function misreadByDocker(text: string): readonly string[] {
  return text.split(/\r\n?|\n/).flatMap((line) => {
    const [, name, value = ''] = /^(?:export )?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line.trim()) ?? [];
    return name !== undefined && /^["'`]|#/.test(value.trim()) ? [name] : [];
  });
}
