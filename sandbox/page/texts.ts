/** A text of the page in both of its languages. */
export interface Texts {
  readonly en: string;
  readonly de: string;
}

/**
 * Returns the German text for `de`, and the English one for every other locale. @param locale Discord's code of a
 * language
 */
export const inLanguage = ({ en, de }: Texts, locale: string): string => (locale === 'de' ? de : en);
