import { readFileSync } from 'node:fs';

/*
 * Prints a version's section of CHANGELOG.md for its release page: npm run -s release-notes -- 0.3.0 Without a version,
 * prints the first section.
 */
const [wanted] = process.argv.slice(2);
const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
const sections = changelog.split(/^(?=## )/m).slice(1);
const nameOf = (section: string) => /^## \[?([^\]\s]+)/.exec(section)?.[1];
const section =
  wanted === undefined ? sections[0] : sections.find((each) => nameOf(each) === wanted.replace(/^v/, ''));

if (section === undefined) {
  process.stderr.write(`CHANGELOG.md has no ${wanted}: it has ${sections.map(nameOf).join(', ')}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`${section.slice(section.indexOf('\n') + 1).trim()}\n`);
}
