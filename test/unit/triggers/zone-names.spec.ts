import { cron, normalizeTrigger } from '../../../lib/triggers/index.js';

const LINKS =
  `Africa/Asmera Africa/Timbuktu America/Argentina/ComodRivadavia America/Atka America/Buenos_Aires
America/Coral_Harbour America/Ensenada America/Fort_Wayne America/Godthab America/Indianapolis America/Knox_IN
America/Kentucky/Louisville America/Porto_Acre America/Port-au-Prince America/Port_of_Spain America/Shiprock
America/North_Dakota/New_Salem Africa/Dar_es_Salaam Antarctica/DumontDUrville Antarctica/McMurdo
Antarctica/South_Pole Arctic/Longyearbyen Asia/Ashkhabad Asia/Calcutta Asia/Dacca Asia/Ho_Chi_Minh Asia/Istanbul
Asia/Kathmandu Asia/Katmandu Asia/Kolkata Asia/Rangoon Asia/Saigon Asia/Ujung_Pandang Asia/Ulan_Bator Asia/Ust-Nera
Atlantic/Faeroe Atlantic/Jan_Mayen Australia/ACT Australia/LHI Australia/NSW Australia/North Australia/Yancowinna
Brazil/Acre Brazil/DeNoronha CET CST6CDT Canada/Saskatchewan Chile/Continental Chile/EasterIsland Cuba EET EST
EST5EDT Egypt Eire Etc/GMT Etc/GMT+0 Etc/GMT+12 Etc/GMT-0 Etc/GMT-14 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC
Etc/Universal Etc/Zulu Europe/Belfast Europe/Isle_of_Man Europe/Kiev Europe/Kyiv Europe/Nicosia Europe/Tiraspol
GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Indian/Antananarivo Iran Israel Jamaica Japan
Kwajalein Libya MET MST MST7MDT Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT
Pacific/Ponape Pacific/Samoa Pacific/Yap Poland Portugal ROC ROK Singapore Turkey UCT US/Alaska US/East-Indiana
US/Indiana-Starke US/Pacific UTC Universal W-SU WET Zulu`.split(/\s+/);

function zoneOf(timezone: string): string | undefined {
  return cron('0 9 * * *', timezone).timezone;
}

it.each([...new Set([...Intl.supportedValuesOf('timeZone'), ...LINKS])])(
  'spells %s, whatever its case',
  (name) => {
    expect([name, name.toLowerCase(), name.toUpperCase()].map((text) => zoneOf(text))).toEqual([
      name,
      name,
      name,
    ]);
  },
);

it('takes an empty zone for UTC', () => {
  expect([zoneOf(''), zoneOf('  '), cron('0 9 * * *').timezone]).toEqual(['UTC', 'UTC', 'UTC']);
});

it.each([
  ['UTC+3', /"Etc\/GMT-3"/],
  ['+05:30', /no daylight saving rules/],
  ['-08:00', /"Etc\/GMT\+8"/],
  ['GMT+1', /"Etc\/GMT-1"/],
  ['Local', /nodes may disagree/],
  ['localtime', /nodes may disagree/],
  ['system', /nodes may disagree/],
  ['PST', /abbreviations/],
  ['IST', /abbreviations/],
  ['EST5EDT4', /POSIX/],
  ['EST5EDT,M3.2.0,M11.1.0', /POSIX/],
  ['<+03>-3', /no such IANA time zone/],
  ['SystemV/AST4', /no such IANA time zone/],
  ['Etc/Unknown', /no such IANA time zone/],
  ['Factory', /no such IANA time zone/],
  ['America/New_Yrok', /perhaps "America\/New_York" is meant/],
  ['Europe', /no such IANA time zone/],
  ['Europe/', /no such IANA time zone/],
  ['../../etc/passwd', /no such IANA time zone/],
  ['Eu\u{17f}ope/Berlin', /no such IANA time zone/],
  ['Z', /no such IANA time zone/],
  ['posix/Europe/Berlin', /no such IANA time zone/],
])('refuses %s', (timezone, message) => {
  expect(() => zoneOf(timezone)).toThrow(expect.objectContaining({ reason: 'timezone_invalid' }));
  expect(() => zoneOf(timezone)).toThrow(message);
});

it.each([null, 5, {}, ['UTC']])('refuses a zone of another type: %p', (timezone) => {
  expect(() => normalizeTrigger({ kind: 'cron', expr: '0 9 * * *', timezone })).toThrow(
    expect.objectContaining({ reason: 'timezone_invalid' }),
  );
});
