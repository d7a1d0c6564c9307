import { readFileSync } from 'node:fs';

/*
 * Prints the section of a version in CHANGELOG.md, for the release page. Without a version, prints the first section.
 * Example: npm run -s release-notes -- 0.3.0
 */
const [wanted] = process.argv.slice(2);
const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
const sections = changelog.split(/^(?=## )/m).slice(1);
const nameOf = (section: string) => /^## \[?([^\]\s]+)/.exec(section)?.[1];
const section =
  wanted === undefined ? sections[0] : sections.find((each) => nameOf(each) === wanted.replace(/^v/, ''));

if (section === undefined) {
  process.stderr.write(
    `CHANGELOG.md doesn't have a section for ${wanted}, only for ${sections.map(nameOf).join(', ')}\n`,
  );
  process.exitCode = 1;
} else {
  process.stdout.write(`${section.slice(section.indexOf('\n') + 1).trim()}\n`);
}
