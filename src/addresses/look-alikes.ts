/**
 * The letters that look like each letter from a to z. Source: the characters of the Basic Multilingual Plane in UTS #39,
 * `confusables.txt` (Unicode 17), that a host name can contain, and their lower case. The small capitals are added by name
 * (UCD, LATIN LETTER SMALL CAPITAL …), and the letters that complete the alphabets on websites for styled text: ǫ, ᗩ, ᑕ, ᑎ,
 * ᑫ, ᔕ, ᗯ and ᘔ.
 */
const LETTERS: Readonly<Record<string, string>> = {
  a: 'ɑαаᎪᗅᗩᴀꓮ',
  b: 'ƅʙβвьᏏᏴᑲᖯᗷⲃꓐꞵ',
  c: 'сᏟᑕᴄⲥꓚ',
  d: 'ԁᎠᏧᑯᗞᗪᴅꓒꓓ',
  e: '℮εеҽᎬᴇꓰꬲ',
  f: 'ƒϝքᖴẝꓝꜰꞙꬵ',
  g: 'ƍɡɢԍցᏀᏳᶃꓖ',
  h: 'ʜηнһհᎻᏂᕼⲏꓧ',
  i: 'ıɩɪιіւᎥⲓꙇ',
  j: 'ʝϳјᎫᒍᴊꓙ',
  k: 'κкᏦᴋⲕꓗ',
  l: 'ǀʟӏᏞᒪⳑꓡꓲ',
  m: 'μϻмᎷᗰᴍⲙꓟ',
  n: 'ɴոռᑎⲛꓠ',
  o: 'οσϭоօᴏᴑⲟꓳꬽ',
  p: 'þƿρϸрᏢᑭᴘⲣⳏꓑ',
  q: 'ǫԛգզᑫꞯ',
  r: 'ʀгᎡᎱᏒᖇᴦⲅꓣꭇꭈ',
  s: 'ƽѕտᏕᏚᔕꓢꜱ',
  t: 'τтᎢᴛⲧꓔ',
  u: 'ʋυսᑌᴜꓴꞟꭎꭒ',
  v: 'νѵᏙᐯᴠꓦ',
  w: 'ɯшѡԝաᎳᏔᗯᴡⲽꓪ',
  x: 'χхᕁᕽⲭꓫꭓ',
  y: 'ɣʏγуүᎩᎽᶌỿⲩꓬꭚ',
  z: 'ζᏃᘔᴢꓜ',
};

/** The symbols for a in alphabets of 26 consecutive symbols: in black circles, in black squares, and for flags. */
const ALPHABETS = ['🅐', '🅰', '🇦'];

const BY_LOOK_ALIKE: ReadonlyMap<string, string> = new Map([
  ...Object.entries(LETTERS).flatMap(([letter, others]) =>
    [...others].map((other) => [other, letter] as const),
  ),
  ...ALPHABETS.flatMap((first) =>
    Object.keys(LETTERS).map(
      (letter, index) => [String.fromCodePoint((first.codePointAt(0) ?? 0) + index), letter] as const,
    ),
  ),
]);

/** Returns the letter from a to z that a lower-case character looks like, if any. */
export const lookAlikeOf = (character: string): string | undefined => BY_LOOK_ALIKE.get(character);
