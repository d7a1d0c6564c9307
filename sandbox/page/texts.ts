/** Text for the page in both of its languages. */
export interface Texts {
  readonly en: string;
  readonly de: string;
}

/** Returns the German text for `de`, and the English text for all other locales. @param locale Discord's language code */
export const inLanguage = ({ en, de }: Texts, locale: string): string => (locale === 'de' ? de : en);
