/** Loaded into the bot first. When the bot exits, prints which of the packages in LOADED were loaded. */
import { Module } from 'node:module';

process.on('exit', () => {
  const files = Object.keys(Object(Module)._cache);
  for (const name of (process.env.LOADED ?? '').split(',')) {
    process.stdout.write(`${name}: ${files.some((file) => file.includes(`/node_modules/${name}/`))}\n`);
  }
});
