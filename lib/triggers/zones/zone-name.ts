import { BoundedCache } from '../bounded-cache.js';

const REGIONS = wordsByLowerCase(
  'Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe Indian Mexico Pacific US',
);

/** Names without a region. The set is closed: the time zone database has added none since 1996. */
const NAMES_WITHOUT_REGION = wordsByLowerCase(
  `CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran
  Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore
  Turkey UCT UTC Universal W-SU WET Zulu`,
);

/** Parts of names that are not spelled as every word a capital. */
const IRREGULAR_PARTS = wordsByLowerCase(
  `ACT BajaNorte BajaSur ComodRivadavia DeNoronha DumontDUrville EasterIsland Knox_IN LHI McMurdo NSW UCT UTC Port-au-Prince
  Port_of_Spain Isle_of_Man Dar_es_Salaam`,
);

const canonicalNames = new BoundedCache<string, { readonly name: string | undefined }>(1000);

/**
 * The IANA spelling of a time zone's name given in any case, or undefined when there is no such zone. A link keeps its
 * name (`asia/calcutta` is `Asia/Calcutta`, not `Asia/Kolkata`). Offsets, abbreviations that are not IANA names
 * (`PST`, though Intl knows them), POSIX rules and `Local` are no zones.
 *
 * Intl decides whether a zone exists; it does not tell how a link is spelled, hence the spelling rules here.
 */
export function canonicalZoneName(name: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9+\-_/]{1,63}$/.test(name)) return undefined;
  return canonicalNames.getOrCreate(name.toLowerCase(), (lowerCase) => {
    const spelled = NAMES_WITHOUT_REGION.get(lowerCase) ?? nameInRegion(lowerCase);
    return { name: spelled !== undefined && isKnownToIntl(spelled) ? spelled : undefined };
  }).name;
}

function nameInRegion(lowerCase: string): string | undefined {
  const [region = '', ...places] = lowerCase.split('/');
  const spelledRegion = REGIONS.get(region);
  if (spelledRegion === undefined || places.length === 0) return undefined;
  return [spelledRegion, ...places.map(spellPlace)].join('/');
}

function spellPlace(lowerCase: string): string {
  if (/^gmt(?:$|[+\-0])/.test(lowerCase)) return lowerCase.toUpperCase();
  return (
    IRREGULAR_PARTS.get(lowerCase) ?? lowerCase.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase())
  );
}

function isKnownToIntl(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== 'Etc/Unknown';
  } catch {
    return false;
  }
}

function wordsByLowerCase(words: string): ReadonlyMap<string, string> {
  return new Map(words.split(/\s+/).map((word) => [word.toLowerCase(), word]));
}
