import { isDue } from '../../src/guilds/panels.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import { select } from '../../src/interactions/controls.ts';
import { type Language, languageOf, languages } from '../../src/words/languages.ts';
import { withSign } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { panelItem, showDuePanels } from '../panel-message.ts';
import { changeId, FINE, type Setting } from './setting.ts';

const DISCORD_LANGUAGE_OPTION = 'discord';

const publicLanguage = ({ language, locale }: Settings): Language => languageOf(language ?? locale);

/** Applies to all messages that the whole guild can see. */
export const languageSetting = (deps: CommandDeps): Setting => ({
  id: 'language',
  name: (t) => t('settings.language.name'),
  line(t, { now }) {
    const key = now.language === undefined ? 'none' : 'set';
    return `${FINE} ${t(`settings.language.${key}`, { language: t.nameOf(publicLanguage(now)) })}`;
  },
  about: ({ t }) => t('settings.language.about'),
  controls({ t }, { now, panels }) {
    // No option is preselected, so admins can choose the current language again to update outdated panels.
    const isToChooseAgain = panels.some(isDue);
    const control = select({
      id: changeId('language', 'choose'),
      placeholder: t('settings.language.choose'),
      options: [
        {
          label: t('settings.language.asDiscord', { language: t.nameOf(languageOf(now.locale)) }),
          value: DISCORD_LANGUAGE_OPTION,
          default: now.language === undefined && !isToChooseAgain,
        },
        ...languages.map(({ locales: [locale = ''], sentences }) => ({
          label: sentences.languageName,
          value: locale,
          default: now.language === locale && !isToChooseAgain,
        })),
      ],
    });
    return { selects: [control] };
  },
  handlers: {
    choose({ guildId, values: [chosen = ''] }) {
      const isKnown = languages.some(({ locales }) => locales.includes(chosen));
      return {
        async make(before) {
          const { language: _former, ...others } = before;
          const now = isKnown ? { ...others, language: chosen } : others;
          // Marks the messages in the same transaction, so they're updated even after a crash.
          if (publicLanguage(before) !== publicLanguage(now)) {
            await deps.panels.makeDue(guildId);
            await deps.approvals.markWaitingAsOutdated(guildId);
          }
          return now;
        },
      };
    },
  },
  /**
   * Updates all panels that don't show the new language yet, including any that Discord rejected earlier. Updates messages
   * about waiting submissions in the background.
   */
  async changed(context) {
    const { t, guildId, guildWords, progress } = context;
    void deps.approvalMessages.showDue();
    const number = (await deps.panels.of(guildId)).filter(isDue).length;
    if (number === 0) return {};
    progress?.({ content: t('settings.language.changing', { number }) });
    await showDuePanels(deps, guildId, guildWords);
    const panels = await deps.panels.of(guildId);
    const unchanged = panels.flatMap((panel, index) =>
      isDue(panel) ? [panelItem(guildId, panel, index + 1)] : [],
    );
    if (unchanged.length === 0) return { panels };
    return {
      panels,
      textAbove: withSign('not-sent', t('settings.language.unchanged', { panels: t.and(unchanged) })),
    };
  },
});
