/** A text of the page itself, in its two languages. */
export interface Texts {
  readonly en: string;
  readonly de: string;
}

/** @param locale Discord's name of a language; all but German get English */
export const inLanguage = ({ en, de }: Texts, locale: string): string => (locale === 'de' ? de : en);
