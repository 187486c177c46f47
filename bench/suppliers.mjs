/**
 * Eight suppliers in one process, speaking just enough of the Rental Cars API v2 dialect: GET /oauth/token/v2, GET
 * /cars/locations/v2/keyword with ten locations, and GET /cars/catalog/v2/vehicles, ten vehicles per response, with
 * different prices and dates for every request. The rows vary
 * as those of real suppliers do: a name outside Latin-1, missing optional fields, one or two taxes, fees outside the
 * total, and one or two ways to pay. Written on bare sockets, so that a supplier uses almost no resources compared with
 * the server under test. A control port sets delays (log-normal), hangs and the number of vehicles, and returns the
 * actual delays.
 *
 * Prints one JSON line {ports: {one, two, …}, control} once it is listening.
 */
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { BRANDS } from './brands.mjs';

/** Locations by IATA code; the gateway knows the same airports. */
const COUNTERS = {
  BOS: ['Boston Logan Intl Airport', 'Boston', 'MA', '02128', 'US', 42.3656, -71.0096, '(1) 617-555-0100'],
  JFK: ['New York Kennedy Airport', 'Jamaica', 'NY', '11430', 'US', 40.6413, -73.7781, '(1) 718-555-0101'],
  LAX: ['Los Angeles Intl Airport', 'Los Angeles', 'CA', '90045', 'US', 33.9416, -118.4085, '(1) 310-555-0102'],
  ORD: ['Chicago OHare Airport', 'Chicago', 'IL', '60666', 'US', 41.9742, -87.9073, '(1) 773-555-0103'],
  MIA: ['Miami Intl Airport', 'Miami', 'FL', '33142', 'US', 25.7959, -80.287, '(1) 305-555-0104'],
  SEA: ['Seattle Tacoma Airport', 'Seattle', 'WA', '98188', 'US', 47.4502, -122.3088, '(1) 206-555-0105'],
  DEN: ['Denver Intl Airport', 'Denver', 'CO', '80249', 'US', 39.8561, -104.6737, '(1) 303-555-0106'],
  ATL: ['Atlanta Hartsfield Airport', 'Atlanta', 'GA', '30320', 'US', 33.6407, -84.4277, '(1) 404-555-0107'],
};

const CARS = [
  ['A', 'Mini', 'Chevrolet', 'Spark', 'MCAR', 4, 2, 4, 1, 1, 'Automatic', 'Petrol'],
  ['B', 'Economy', 'Kia', 'Rio', 'ECAR', 5, 4, 5, 1, 2, 'Automatic', 'Petrol'],
  ['C', 'Compact', 'Nissan', 'Versa', 'CCAR', 5, 4, 5, 2, 1, 'Automatic', 'Petrol'],
  ['D', 'Intermediate', 'Toyota', 'Corolla', 'ICAR', 5, 4, 5, 2, 2, 'Automatic', 'Petrol'],
  ['E', 'Standard', 'Škoda', 'Octavia', 'SCAR', 5, 4, 5, 3, 1, 'Automatic', 'Petrol'],
  ['F', 'Fullsize', 'Ford', 'Fusion', 'FCAR', 5, 4, 5, 3, 2, 'Automatic', 'Hybrid'],
  ['G', 'Premium', 'Nissan', 'Maxima', 'PCAR', 5, 4, 5, 3, 2, 'Automatic', 'Petrol'],
  ['K', 'Intermediate SUV', 'Jeep', 'Compass', 'IFAR', 5, 4, 5, 2, 2, 'Automatic', 'Petrol'],
  ['L', 'Electric', 'Tesla', 'Model 3', 'FCAE', 5, 4, 5, 2, 1, 'Automatic', 'Electric'],
  ['V', 'Minivan', 'Chrysler', 'Pacifica', 'MVAR', 7, 4, 7, 4, 2, 'Automatic', 'Petrol'],
];

/**
 * Settings of the control port. `median` 0 = responds immediately; `hang` = brands that never respond; `vehicles` = rows
 * of a response.
 */
const play = { median: 0, sigma: 0.4, max: 700, hang: new Set(), vehicles: 10 };
/** Dates of a search → the longest delay of a supplier for it, in milliseconds, while `record` is on. */
let delays = new Map();
let record = false;

const places = new Map(Object.entries(COUNTERS).map(([code, row]) => [code, JSON.stringify(placeOf(code, row))]));

function placeOf(code, [name, city, region, postal, country, lat, long, telephone]) {
  return {
    location: { code, name, telephone, hours: 'Sun-Sat 6:00 AM - 11:30 PM', airport_location: true },
    address: {
      address_line_1: '1 Rental Car Way',
      city,
      state_name: region,
      postal_code: postal,
      country_code: country,
      lat: String(lat),
      long: String(long),
    },
  };
}

const MOST_VEHICLES = 50;

/** The part of a vehicle row before its prices, by brand and position; beyond the tenth, cars repeat under other classes. */
const rowHeads = new Map(
  BRANDS.map((brand) => [brand, Array.from({ length: MOST_VEHICLES }, (_, index) => rowHead(brand, index))]),
);

function rowHead(brand, index) {
  const [letter, className, make, model, sipp, seats, doors, , large, small, transmission, fuel] =
    CARS[index % CARS.length];
  const group = index < CARS.length ? letter : `${letter}${Math.floor(index / CARS.length)}`;
  const isSparse = index % 5 === 4;
  const row = {
    category: {
      name: `Group ${group} - ${make} ${model} or similar`,
      make,
      model,
      sipp_code: sipp,
      vehicle_status: 'Available',
      vehicle_class_code: group,
      vehicle_class_name: className,
      vehicle_transmission: transmission,
      image_url: isSparse ? undefined : `https://images.example.com/${brand.toLowerCase()}/${group.toLowerCase()}.jpg`,
    },
    features: { air_conditioned: true, smoke_free: true },
    capacity: {
      doors: String(doors),
      seats: String(seats),
      luggage_capacity: isSparse ? undefined : { large_suitcase: String(large), small_suitcase: String(small) },
      fuel_type: fuel,
    },
    distance: { unlimited_distance: true, distance_unit: 'Miles' },
  };
  return JSON.stringify(row).slice(0, -1);
}

function decimal(cents) {
  const text = String(cents).padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** FNV-1a over a text, so that prices differ between searches and suppliers. */
function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** One way to pay: `pay_later` or `pay_now`, in cents. */
function payment(name, code, base, tax, fee) {
  return (
    `"${name}":{"rate_code":"${code}","vehicle_total":${decimal(base)},"taxes_total":${decimal(tax)},` +
    `"fees_total":${decimal(fee)},"taxes_fees_total":${decimal(tax + fee)},"reservation_total":${decimal(base + tax + fee)}}`
  );
}

function vehiclesBody(brand, pickup, dropoff, key, days) {
  const variety = hash(brand + key);
  const heads = rowHeads.get(brand);
  let rows = '';
  for (let i = 0; i < play.vehicles; i += 1) {
    const daily = 2_500 + i * 700 + ((variety >>> (i % 32)) % 900);
    const base = daily * days;
    const tax = Math.round(base * 0.0825);
    const city = i % 3 === 1 ? 120 * days : 0;
    const fee = 450 * days;
    const cityTax = city === 0 ? '' : `,{"type":"City Tax","amount":${decimal(city)},"included_in_total":true}`;
    const outside = i % 4 === 0 ? `,{"name":"Tire Fee","amount":${decimal(35 * days)},"included_in_total":false}` : '';
    // Its taxes differ from those of the rate, so its items are its totals.
    const prepaid = Math.round(base * 0.9);
    const now = i % 3 === 0 ? `,${payment('pay_now', `P${i}`, prepaid, Math.round(prepaid * 0.0825), fee)}` : '';
    rows +=
      `${i === 0 ? '' : ','}${heads[i]},"rate_totals":{"rate":{"currency":"USD","rate_code":"L${i}","rate_type":"LEISURE","days":${days},"hours":0,"amount":${decimal(daily)},` +
      `"coupon_applied":false,"under_age_fee_applied":false,"quote_id":"q${(variety ^ i).toString(36)}","taxes_fees":{"taxes":[{"type":"Sales Tax","amount":${decimal(tax)},"included_in_total":true}${cityTax}],` +
      `"fees":[{"name":"Airport Concession Fee","amount":${decimal(fee)},"included_in_total":true}${outside}]}},${payment('pay_later', `L${i}`, base, tax + city, fee)}${now}}}`;
  }
  return Buffer.from(
    `{"status":{"request_time":"2026-01-01T00:00:00Z","success":[{"code":"200","message":"Success","details":"Retrieved."}]},"product":{"brand":"${brand}"},"vehicles":[${rows}],` +
      `"reservation":{"pickup_location":${places.get(pickup) ?? '{}'},"dropoff_location":${places.get(dropoff) ?? '{}'},` +
      `"terms":[{"type":"rental","method":"GET","endpoint":"https://terms.example.com/rental"}],"disclaimers":[{"type":"Fuel Policy","description":"FUEL POLICY IS FULL TO FULL"}]}}`,
  );
}

const MOST_LOCATIONS = 10;
const HOURS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].map((day) => ({
  day,
  first_slot_open_time: day === 'Sun' ? '800' : '600',
  first_slot_close_time: '2330',
  second_slot_open_time: '0',
  second_slot_close_time: '0',
}));
const HOLIDAYS = [
  { description: 'NEW YEARS DAY', first_slot_open_time: '0', first_slot_close_time: '0' },
  {
    description: 'THANKSGIVING DAY',
    start_date: '2031-11-27',
    end_date: '2031-11-28',
    first_slot_open_time: '800',
    first_slot_close_time: '1600',
  },
];

/** Locations by brand; `@` is the keyword, of which the first one has the code. */
const locationRows = new Map(
  BRANDS.map((brand) => [brand, Array.from({ length: MOST_LOCATIONS }, (_, index) => locationRow(brand, index))]),
);

function locationRow(brand, index) {
  const [, , region, postal, country, lat, long, telephone] = Object.values(COUNTERS)[index % 8];
  const isAirport = index === 0;
  return JSON.stringify({
    brand,
    code: isAirport ? '@' : `@${index}`,
    name: isAirport ? '@ Intl Airport' : `@ Downtown ${index}`,
    telephone,
    airport_location: isAirport,
    address: {
      address_line_1: `${index + 1} Rental Car Way`,
      city: '@',
      state_name: region,
      postal_code: postal,
      country_code: country,
      lat: String(lat + index / 1_000),
      long: String(long),
    },
    skip_the_queue: isAirport,
    afterhours_return: index % 2 === 0,
    hours_of_operation: HOURS,
    holiday_hours: index % 2 === 0 ? HOLIDAYS : undefined,
  });
}

function locationsBody(brand, keyword) {
  const rows = locationRows.get(brand).join(',').replaceAll('@', keyword);
  return Buffer.from(
    `{"status":{"request_time":"2026-01-01T00:00:00Z","success":[{"code":"200","message":"Success","details":"Found."}]},"locations":[${rows}]}`,
  );
}

function logNormalMs() {
  const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  return Math.min(play.max, play.median * Math.exp(play.sigma * normal));
}

const TOKEN = Buffer.from('{"access_token":"bench-supplier-token","token_type":"Bearer","expires_in":7140}');

function answer(socket, body) {
  if (socket.destroyed) return;
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json;charset=UTF-8\r\ncontent-length: ${body.length}\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from(head), body]));
}

function serve(brand, socket, target) {
  if (!target.startsWith('/cars/')) {
    answer(socket, TOKEN);
    return;
  }
  if (play.hang.has(brand)) return;
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1));
  if (target.startsWith('/cars/locations/')) {
    answer(socket, locationsBody(brand, query.get('keyword') ?? ''));
    return;
  }
  const from = query.get('pickup_date') ?? '';
  const to = query.get('dropoff_date') ?? '';
  const days = Math.max(1, Math.ceil((Date.parse(`${to}Z`) - Date.parse(`${from}Z`)) / 86_400_000));
  const body = vehiclesBody(brand, query.get('pickup_location'), query.get('dropoff_location'), from + to, days);
  if (play.median === 0) {
    answer(socket, body);
    return;
  }
  const startedAt = performance.now();
  setTimeout(() => {
    answer(socket, body);
    if (record) delays.set(from + to, Math.max(delays.get(from + to) ?? 0, performance.now() - startedAt));
  }, logNormalMs());
}

function listen(brand) {
  return new Promise((resolve) => {
    const server = createServer({ noDelay: true }, (socket) => {
      let pending = '';
      socket.setEncoding('latin1');
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk) => {
        pending += chunk;
        for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
          const target = pending.slice(pending.indexOf(' ') + 1, pending.indexOf(' HTTP/'));
          pending = pending.slice(end + 4);
          serve(brand, socket, target);
        }
      });
    });
    server.listen(0, '127.0.0.1', 4_096, () => resolve(server.address().port));
  });
}

const control = createHttpServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://control');
  if (pathname === '/delays') {
    response.end(JSON.stringify([...delays]));
    return;
  }
  play.median = Number(searchParams.get('median') ?? 0);
  play.sigma = Number(searchParams.get('sigma') ?? 0.4);
  play.hang = new Set((searchParams.get('hang') ?? '').split(',').filter((name) => name !== ''));
  play.vehicles = Math.min(MOST_VEHICLES, Number(searchParams.get('vehicles') ?? 10));
  record = searchParams.has('record');
  delays = new Map();
  response.end('{}');
});

const ports = await Promise.all(BRANDS.map(async (brand) => [brand.toLowerCase(), await listen(brand)]));
control.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ ports: Object.fromEntries(ports), control: control.address().port })),
);
