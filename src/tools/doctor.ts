import { createApp } from '../app.ts';
import { ConfigError, misspelt, readConfig } from '../config/config.ts';
import { SILENT, scrub } from '../logger.ts';
import { runChecks } from '../operations/checks.ts';
import { CheckWarningError, type Finding, find, table } from '../operations/finding.ts';
import { runTool, usage } from './tool.ts';

const HOW =
  'npm run doctor: checks everything that the bot needs, and tells you how to fix failures; it changes nothing';

await runTool('doctor', async () => {
  usage(HOW, { arguments: 0 });
  const findings: Finding[] = [{ check: 'Node', state: 'ok', text: process.versions.node }];
  try {
    const config = readConfig(process.env);
    findings.unshift(await find('Configuration', checkForMisspeltVariables));
    const { commands } = createApp({ config, logger: SILENT, onFatal: () => undefined });
    findings.push(...(await runChecks({ config, commands })));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    findings.unshift({
      check: 'Configuration',
      state: 'failed',
      text: error.message,
      fix: 'fix these in .env or the environment; docs/configuration.md explains each. The other checks need them',
    });
  }
  process.stdout.write(scrub(table(findings)));
  process.exit(findings.some(({ state }) => state === 'failed') ? 1 : 0);
});

function checkForMisspeltVariables(): string {
  const hints = misspelt(process.env);
  if (hints.length === 0) return 'all variables are valid';
  throw new CheckWarningError(
    ['the bot ignores unknown variables', ...hints].join('\n'),
    'correct the names in .env or the environment, or remove the variables',
  );
}
