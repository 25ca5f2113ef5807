import cronstrue from 'cronstrue/i18n.js';

const { default: descriptor } = cronstrue;
const FALLBACK = 'en';

type Words = (typeof descriptor.locales)[string];

/** A language that descriptions can be given in. */
export interface DescriptionLocale {
  /** BCP 47 tag, for Intl. */
  readonly tag: string;
  /** The phrases of cronstrue's translation. */
  readonly words: Words;
  /** Describes an expression of plain fields with cronstrue. */
  describe(expression: string): string;
}

/** The best translation for a BCP 47 tag; English where there is none, or where the tag is malformed. */
export function descriptionLocale(tag: string = FALLBACK): DescriptionLocale {
  const key = translationKey(tag);
  const words = key === undefined ? undefined : descriptor.locales[key];
  if (key === undefined || words === undefined) return descriptionLocale(FALLBACK);
  return {
    tag: key.replace('_', '-'),
    words,
    describe: (expression) => descriptor.toString(expression, { locale: key, use24HourTimeFormat: true }),
  };
}

/** cronstrue names translations by language, some with a region: `de`, `pt_BR`, `zh_CN`. */
function translationKey(tag: string): string | undefined {
  const { language, region } = parseTag(tag);
  const keys = Object.keys(descriptor.locales);
  return (
    keys.find((key) => key === `${language}_${region}`) ??
    keys.find((key) => key === language) ??
    keys.find((key) => key.startsWith(`${language}_`))
  );
}

function parseTag(tag: string): { readonly language: string; readonly region: string | undefined } {
  try {
    const { language, region } = new Intl.Locale(tag.replace('_', '-')).maximize();
    return { language, region };
  } catch {
    return { language: FALLBACK, region: undefined };
  }
}
