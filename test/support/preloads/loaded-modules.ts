/** Loaded into the bot before anything else. When the bot exits, this prints whether each package in LOADED was loaded. */
import { Module } from 'node:module';

process.on('exit', () => {
  const files = Object.keys(Object(Module)._cache);
  for (const name of (process.env.LOADED ?? '').split(',')) {
    process.stdout.write(`${name}: ${files.some((file) => file.includes(`/node_modules/${name}/`))}\n`);
  }
});
