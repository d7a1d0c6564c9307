import { spawn } from 'node:child_process';

/** What opens an address, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the browser of whoever runs this. Where there is none nothing happens: it was printed too. */
export function openInBrowser(address: string): void {
  const [program, ...line] = OPENERS[process.platform] ?? ['xdg-open'];
  const opener = spawn(program, [...line, address], { stdio: 'ignore', detached: true });
  opener.on('error', () => {});
  opener.unref();
}
