// Facts for build-places.mjs that no package has.

/** Languages of the names of countries. */
export const LANGUAGES =
  'en de fr es it pt nl da sv nb fi is pl cs sk hu ro hr sl sr bg el tr ru uk et lv lt ar he fa hi th vi id ms ja ko zh zh-Hant'.split(
    ' ',
  );

/** Other names of countries. */
export const ALIASES = {
  USA: 'US',
  America: 'US',
  'United States of America': 'US',
  UK: 'GB',
  'Great Britain': 'GB',
  Britain: 'GB',
  Holland: 'NL',
  UAE: 'AE',
  'Czech Republic': 'CZ',
  Emirates: 'AE',
  Burma: 'MM',
  Korea: 'KR',
  'Ivory Coast': 'CI',
};

/** Airports by passengers of recent years, the busiest first; from common knowledge, the order is approximate. */
export const BUSIEST = (
  'ATL DXB DFW LHR HND DEN IST ORD LAX DEL JFK CAN CDG PVG AMS FRA MAD SIN ICN BKK HKG MIA LAS CLT MCO SEA EWR SFO PHX CGK ' +
  'IAH BCN BOM SZX PEK PKX KUL DOH MEX FCO MUC LGW FLL MSP BOS NRT MNL SAW JED SYD GRU DTW PHL LGA KIX YYZ BOG BWI CTU SLC ' +
  'RUH TPE MEL SAN IAD ORY DCA DUB LIS ZRH PMI MAN VIE CPH ATH OSL ARN STN BRU TPA MDW MXP DUS BER HEL WAW AYT CUN LIM SCL ' +
  'GVA AGP NCE YVR HAM AUS BNE AKL CPT JNB EZE BNA HNL PDX EDI LTN YUL OPO CAI ALC TLV PRG BUD OTP'
).split(' ');

/** Cities of metropolitan codes that the data names for no city or for a suburb. */
export const METRO_CITIES = {
  LON: 'GB:London',
  NYC: 'US:New York City',
  PAR: 'FR:Paris',
  ROM: 'IT:Rome',
  MIL: 'IT:Milan',
  TYO: 'JP:Tokyo',
  OSA: 'JP:Osaka',
  CHI: 'US:Chicago',
  WAS: 'US:Washington',
  YTO: 'CA:Toronto',
  YMQ: 'CA:Montréal',
  BUE: 'AR:Buenos Aires',
  RIO: 'BR:Rio de Janeiro',
  SAO: 'BR:São Paulo',
  MOW: 'RU:Moscow',
  STO: 'SE:Stockholm',
  SEL: 'KR:Seoul',
  BJS: 'CN:Beijing',
  REK: 'IS:Reykjavík',
  TCI: 'ES:Santa Cruz de Tenerife',
  JKT: 'ID:Jakarta',
  BHZ: 'BR:Belo Horizonte',
  HOU: 'US:Houston',
};

const numbered = (from, text) =>
  Object.fromEntries(text.split(' ').map((code, index) => [String(from + index).padStart(2, '0'), code]));
const itself = (text) => Object.fromEntries(text.split(' ').map((code) => [code, code]));

/** ISO 3166-2 regions by GeoNames' first administrative division, for countries whose regions travelers add to a city. */
export const REGION_OF_ADMIN = {
  US: itself(
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY',
  ),
  CA: {
    ...numbered(1, 'AB BC MB NB NL'),
    '07': 'NS',
    '08': 'ON',
    '09': 'PE',
    10: 'QC',
    11: 'SK',
    12: 'YT',
    13: 'NT',
    14: 'NU',
    Alberta: 'AB',
    'British Columbia': 'BC',
    Manitoba: 'MB',
    'New Brunswick': 'NB',
    'Newfoundland and Labrador': 'NL',
    Newfoundland: 'NL',
    'Nova Scotia': 'NS',
    Ontario: 'ON',
    'Prince Edward Island': 'PE',
    Quebec: 'QC',
    Saskatchewan: 'SK',
    Yukon: 'YT',
    'Northwest Territories': 'NT',
    Nunavut: 'NU',
  },
  AU: { '01': 'ACT', '02': 'NSW', '03': 'NT', '04': 'QLD', '05': 'SA', '06': 'TAS', '07': 'VIC', '08': 'WA' },
  GB: itself('ENG SCT WLS NIR'),
};

/** How many stations are in the index, the most used first. */
export const STATION_LIMIT = 1_200;
