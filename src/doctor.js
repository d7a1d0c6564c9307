import { readFileSync } from 'node:fs';

/**
 * What `npm run doctor` runs. It is JavaScript, so that a Node that cannot run TypeScript reads it too, and it is the one
 * check that all others need.
 */
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number);

if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  process.stdout.write(
    `FAILED   Node  this is ${process.versions.node}, and ${needed} or newer is needed\n` +
      `               → run it as "npm run doctor" after "npm ci", which brings the right one, or install Node ${neededMajor}\n`,
  );
  process.exitCode = 1;
} else {
  await import('./doctor.ts');
}
