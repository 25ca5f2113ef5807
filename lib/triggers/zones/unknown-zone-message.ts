import { editDistance } from '../../edit-distance.js';
import { quote } from '../../quote.js';
import { canonicalZoneName } from './zone-name.js';

/** Why a text is no time zone, and what to write instead. */
export function unknownZoneMessage(name: string): string {
  return `The timezone is ${quote(name)}: ${adviceFor(name)}.`;
}

function adviceFor(name: string): string {
  if (name === '') return 'a zone prefix needs a name, such as "CRON_TZ=Europe/Berlin", or remove it for UTC';
  if (/^(local|localtime|system|default)$/i.test(name)) {
    return 'nodes may disagree on their local zone, name the zone that is meant, such as "Europe/Berlin"';
  }
  const offset = /^(?:utc|gmt|z)?([+-])(\d{1,2})(?::?([0-5]\d))?$/i.exec(name);
  if (offset !== null) return adviceForOffset(offset);
  if (/^[A-Za-z]{2,5}$/.test(name)) {
    return 'abbreviations mean different zones in different countries, write an IANA name such as "America/New_York"';
  }
  if (/^[A-Za-z]+[+-]?\d/.test(name)) {
    return 'POSIX rules are not supported, write an IANA name such as "America/New_York"';
  }
  const similar = similarZone(name);
  const meant = similar === undefined ? '' : `, perhaps ${quote(similar)} is meant`;
  return `there is no such IANA time zone${meant}; write a name such as "Europe/Berlin", or leave it out for UTC`;
}

function adviceForOffset([, sign, hours, minutes = '00']: RegExpExecArray): string {
  const reason = 'an offset has no daylight saving rules, write an IANA name such as "Europe/Berlin"';
  // The signs of the Etc zones are those of POSIX: positive is west of Greenwich.
  const fixed = canonicalZoneName(`Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`);
  if (minutes !== '00' || fixed === undefined) return reason;
  return `${reason}, or ${quote(fixed)} for this very offset all year (the sign of these names is reversed)`;
}

/** A zone whose name is at most two edits away. */
function similarZone(name: string): string | undefined {
  const wanted = name.slice(0, 64).toLowerCase();
  const [best] = Intl.supportedValuesOf('timeZone')
    .map((zone) => ({ zone, distance: editDistance(wanted, zone.toLowerCase()) }))
    .filter(({ distance }) => distance <= 2)
    .sort((one, other) => one.distance - other.distance);
  return best?.zone;
}
