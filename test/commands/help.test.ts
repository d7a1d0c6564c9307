import { describe, expect, it } from 'vitest';
import { helpCommand } from '../../commands/help.ts';
import { createCommands } from '../../commands/index.ts';
import { LIMITS } from '../../src/discord/limits.ts';
import { languages } from '../../src/words/languages.ts';
import { createWords } from '../../src/words/words.ts';
import { anyContext, onlyDeps } from './context.ts';

const { commands } = createCommands(onlyDeps({}));
const name = 'x'.repeat(32);
const { wordsFor, pages } = createWords({ name, page: `https://example.com/${'x'.repeat(400)}` });

describe.each(languages)('/help in $tag', ({ locales: [locale = ''] }) => {
  it.each(['key-missing', undefined])('fits in a single message (key problem: %s)', async (code) => {
    const deps = onlyDeps({
      settings: { rememberedOrThrow: async () => ({}) },
      keys: { problem: async () => code && { code } },
      approvals: { countWaiting: async () => 100 },
      commandPermissions: { isKnownToDeny: () => false },
      links: {},
    });
    const context = anyContext({
      t: wordsFor(locale),
      pages,
      locale,
      mention: (command) => `</${command}:18446744073709551615>`,
    });
    const reply = await helpCommand(deps, () => commands).run?.(context);
    const { content = '' } = reply && 'content' in reply ? reply : {};
    expect(content).toContain('</submissions:');
    // Integrations alone doesn't let a member use the admins' commands.
    if (locale === 'en-US') expect(content).toContain(wordsFor(locale)('permission.ManageGuild'));
    expect(content.length).toBeLessThanOrEqual(LIMITS.content);
  });
});
