/** Real answers for the API description: by operation id, the body by status, and `request` with the body that was sent. */
export type OpenApiExamples = Record<string, Record<string, unknown>>;

/** A gateway of the sandbox and the credentials of two of its demo applications. */
export interface ExampleSource {
  readonly baseUrl: string;
  readonly demo: Credentials;
  readonly unsubscribed: Credentials;
}

interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

interface Call {
  readonly method?: string;
  readonly body?: object;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const DAY_MS = 86_400_000;
/** What isn't published, not even of a sandbox, by member. */
const HIDDEN: Readonly<Record<string, string>> = {
  access_token: 'fc_s_demo_demo_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ_example',
  client_id: 'client_0123456789abcdef0123',
  secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
};

/**
 * Calls every operation that has an answer worth showing, as a new developer would, and returns what the gateway answered.
 * Throws if a status isn't the expected one. Leaves a cancelled reservation behind.
 */
export async function takeExamples({ baseUrl, demo, unsubscribed }: ExampleSource): Promise<OpenApiExamples> {
  const examples: OpenApiExamples = {};
  let token = '';
  const take = async (id: string, status: number, path: string, call: Call = {}): Promise<Answer> => {
    const { method = 'GET', body, form, headers } = call;
    const sent = body ? JSON.stringify(body) : form && new URLSearchParams(form);
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      ...(sent === undefined ? {} : { body: sent }),
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
    });
    const text = await response.text();
    if (response.status !== status) throw new Error(`${id}: ${response.status} instead of ${status}: ${text}`);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const answer: unknown = isJson ? JSON.parse(text) : text;
    const request = body && status < 300 ? { request: published(body) } : {};
    const kind = response.headers.get('content-type')?.includes('ndjson') ? 'lines' : status;
    examples[id] = { ...examples[id], ...(text === '' ? {} : { [kind]: published(answer) }), ...request };
    return answer as Answer;
  };
  const credentials = { ...demo };

  await take('getAccessToken', 401, '/oauth/token/v1');
  await take('issueToken', 200, '/oauth/token/v1', {
    method: 'POST',
    form: { grant_type: 'client_credentials', ...credentials },
  });
  const issued = await take('getAccessToken', 200, '/oauth/token/v1', { headers: credentials });
  await take('introspectToken', 200, '/oauth/introspect/v1', {
    method: 'POST',
    form: { token: issued.access_token, ...credentials },
  });
  await take('oauthMetadata', 200, '/.well-known/oauth-authorization-server');
  await take('live', 200, '/health/live');
  await take('ready', 200, '/health/ready');
  await take('searchVehicles', 401, '/cars/catalog/v1/vehicles');
  const other = await take('getAccessToken', 200, '/oauth/token/v1', { headers: { ...unsubscribed } });
  token = other.access_token;
  await take('searchLocations', 403, '/cars/locations/v1/?keyword=boston&country_code=US');
  token = issued.access_token;

  const boston = '/cars/locations/v1/?keyword=boston&country_code=US';
  const failing = { 'x-sandbox-scenario': 'bravo=error(503)' };
  const { locations } = await take('searchLocations', 200, boston);
  await take('searchLocations', 206, boston, { headers: failing });
  await take('searchLocations', 404, '/cars/locations/v1/?keyword=nowhere-at-all');
  await take('readLocation', 200, `/cars/locations/v1/${locations[0]?.location_id}`);
  await take('searchPlaces', 200, '/cars/places/v1/?keyword=münchen');

  const at = (days: number) => `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T10:00:00`;
  const rentalIn = (days: number) => {
    const rental = { pickup_location: 'BOS', pickup_date: at(days), dropoff_date: at(days + 4), max_results: 1 };
    return {
      rental,
      query: new URLSearchParams(Object.entries(rental).map(([name, value]) => [name, String(value)])),
    };
  };
  const vehicles = '/cars/catalog/v1/vehicles';
  const cheapest = async (query: URLSearchParams) => {
    const answer = await fetch(`${baseUrl}${vehicles}?${query}`, { headers: { authorization: `Bearer ${token}` } });
    return ((await answer.json()) as { vehicles?: { supplier: string }[] }).vehicles?.[0]?.supplier;
  };
  // Prices differ from day to day. Another supplier's offer has other members and can't be changed in the same way.
  let days = 30;
  while (days < 90 && (await cheapest(rentalIn(days).query)) !== 'abg') days += 1;
  const { rental, query } = rentalIn(days);
  const found = await take('searchVehicles', 200, `${vehicles}?${query}`);
  await take('searchVehicles', 206, `${vehicles}?${query}`, { headers: failing });
  await take('searchVehicles', 200, `${vehicles}?${query}&brand=Alpine`, {
    headers: { accept: 'application/x-ndjson' },
  });
  await take('searchVehicles', 400, `${vehicles}?pickup_location=BOS&pickup_date=tomorrow`);
  await take(
    'searchVehicles',
    500,
    `${vehicles}?${new URLSearchParams([...query, ['pickup_location', 'ZZT500S']].slice(1))}`,
  );
  const body = { ...rental, page_size: 10 };
  const paged = await take('searchVehiclesByBody', 200, vehicles, { method: 'POST', body });

  await take('readSearch', 200, `/cars/catalog/v1/searches/${paged.search_id}`);
  await take('listSuppliers', 200, '/cars/suppliers/v1/');
  await take('readSupplier', 200, '/cars/suppliers/v1/alpine');
  await take('listNames', 200, '/cars/vehicles/v1/');
  await take('readVehicleContent', 200, '/cars/vehicles/v1/ECMR');
  await take('vehiclePicture', 200, '/images/vehicles/sedan-medium.svg');
  await take('supplierMark', 200, '/images/suppliers/AR-180.svg');

  const offer_id = found.vehicles[0]?.offer_id ?? '';
  await take('priceOffer', 200, `${vehicles}/rates`, { method: 'POST', body: { offer_id } });
  const key = (name: string) => ({ 'idempotency-key': `${name}-${Date.now()}` });
  const driver = { first_name: 'Ada', last_name: 'Sample', email: 'ada@example.com' };
  const book = (name: string) =>
    take('createReservation', 201, '/cars/reservation/v1/', {
      method: 'POST',
      body: { offer_id, driver },
      headers: key(name),
    });
  // More than the list has on its first page.
  for (const name of ['first', 'second', 'third']) await book(name);
  const booked = await book('fourth');
  const one = `/cars/reservation/v1/${booked.reservation.reservation_id}`;
  await take('listReservations', 200, '/cars/reservation/v1/reservations?limit=3');
  await take('readReservation', 200, one);
  await take('readVoucher', 200, `${one}/voucher`, { headers: { accept: 'application/json' } });
  const representation = { prefer: 'return=representation' };
  await take('changeReservation', 200, one, {
    method: 'PATCH',
    body: { remark: 'Second key please' },
    headers: representation,
  });
  const { brand } = booked.reservation;
  const again = await fetch(`${baseUrl}${vehicles}?${query}&brand=${encodeURIComponent(brand)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const replacement = ((await again.json()) as Answer).vehicles[0]?.offer_id;
  await take('replaceReservation', 200, one, {
    method: 'PUT',
    body: { offer_id: replacement },
    headers: representation,
  });
  await take('cancelReservation', 200, one, { method: 'DELETE', headers: representation });

  const clock = '/sandbox/clock/v1';
  await take('moveTestClock', 200, clock, {
    method: 'PUT',
    body: { now: new Date(Date.now() + DAY_MS).toISOString() },
  });
  await take('readTestClock', 200, clock);
  await take('moveTestClock', 400, clock, { method: 'PUT', body: { now: '2026-01-01T00:00:00Z' } });
  await take('resetTestClock', 204, clock, { method: 'DELETE' });

  const endpoints = '/cars/webhooks/v1/endpoints';
  const url = `https://hooks.example.com/${Date.now()}`;
  const { endpoint } = await take('createWebhookEndpoint', 201, endpoints, { method: 'POST', body: { url } });
  const hook = `${endpoints}/${endpoint.endpoint_id}`;
  try {
    await take('listWebhookEndpoints', 200, endpoints);
    await take('readWebhookEndpoint', 200, hook);
    await take('changeWebhookEndpoint', 200, hook, { method: 'PATCH', body: { description: 'Bookings' } });
    await take('testWebhookEndpoint', 202, `${hook}/test`, { method: 'POST', body: {} });
    await take('listWebhookDeliveries', 200, `${hook}/deliveries`);
    await take('replayWebhookEvents', 202, `${hook}/replay`, { method: 'POST', body: { since: at(-1).concat('Z') } });
    await take('rotateWebhookSecret', 200, `${hook}/secret`, { method: 'POST', body: { overlap_hours: 24 } });
  } finally {
    await fetch(`${baseUrl}${hook}`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
  }
  return examples;
}

/** The members of answers that further calls use. */
interface Answer {
  readonly access_token: string;
  readonly locations: readonly { readonly location_id: string }[];
  readonly vehicles: readonly { readonly offer_id: string }[];
  readonly search_id: string;
  readonly reservation: { readonly reservation_id: string; readonly brand: string };
  readonly endpoint: { readonly endpoint_id: string };
}

/** Without secrets and the address of this gateway. */
function published(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => published(one));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, published(member, key)]));
  if (typeof value !== 'string') return value;
  return HIDDEN[name] ?? value.replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g, 'https://cars.example.com');
}
