import { readFileSync } from 'node:fs';

/*
 * The bot's programs all load this file first. It is JavaScript and only imports modules that old versions of Node also
 * have, so a version that can't run TypeScript still prints a clear message.
 */

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number);

if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  process.stderr.write(
    `This is Node ${process.versions.node}, but ${needed} or newer is needed.\n` +
      'Use "npm ci --ignore-scripts=false" (without --omit=dev), which installs the right one for every "npm run …", ' +
      `or install Node ${neededMajor}.\n`,
  );
  process.exit(1);
}
