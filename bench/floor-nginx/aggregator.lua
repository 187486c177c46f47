-- The availability search written by hand in Lua: token and limit in one EVALSHA, three concurrent supplier calls, the gateway's normalized response.
-- Uses SHA-1 and HMAC-SHA-1 where the gateway uses SHA-256, because plain nginx offers nothing else; that gives this floor an advantage.
local cjson = require 'cjson'

local M = {}
local BRANDS = { 'One', 'Two', 'Three' }
local TIMEOUT_MS = 800
local BURST = 1000000
local PER_MINUTE = 6000000
local HMAC_KEY = 'a-key-of-the-benchmark'
-- An empty list is written as {} (Debian's cjson has no empty list); compare.mjs treats it as [].

-- Zone offsets are tables here: summer and winter hours behind UTC, American rule (second Sunday of March to first of November).
local ZONES = {
  BOS = { 'America/New_York', 5 }, JFK = { 'America/New_York', 5 }, MIA = { 'America/New_York', 5 }, ATL = { 'America/New_York', 5 },
  ORD = { 'America/Chicago', 6 }, DEN = { 'America/Denver', 7 }, LAX = { 'America/Los_Angeles', 8 }, SEA = { 'America/Los_Angeles', 8 },
}
local CATEGORY = { M = 'mini', E = 'economy', C = 'compact', I = 'intermediate', S = 'standard', F = 'fullsize', P = 'premium' }
local TYPE = { C = 'door_2_4', F = 'suv', V = 'passenger_van' }
local FUEL = { R = 'unspecified', E = 'electric' }

local function sunday(year, month, nth)
  local first = os.date('!*t', os.time({ year = year, month = month, day = 1, hour = 12 })).wday
  return 1 + (8 - first) % 7 + 7 * (nth - 1)
end

local bounds = {}
local function summer(year, month, day)
  local b = bounds[year]
  if not b then
    b = { 300 + sunday(year, 3, 2), 1100 + sunday(year, 11, 1) }
    bounds[year] = b
  end
  local md = month * 100 + day
  return md >= b[1] and md < b[2]
end

local function epoch(text)
  local y, mo, d, h, mi, s = text:match('^(%d%d%d%d)%-(%d%d)%-(%d%d)T(%d%d):(%d%d):(%d%d)$')
  if not y then return nil end
  y, mo, d = tonumber(y), tonumber(mo), tonumber(d)
  if mo < 1 or mo > 12 or d < 1 or d > 31 then return nil end
  local a = math.floor((14 - mo) / 12)
  local yy, mm = y + 4800 - a, mo + 12 * a - 3
  local days = d + math.floor((153 * mm + 2) / 5) + 365 * yy + math.floor(yy / 4) - math.floor(yy / 100) + math.floor(yy / 400) - 2472633
  return days * 86400 + tonumber(h) * 3600 + tonumber(mi) * 60 + tonumber(s), y, mo, d
end

local function iso(seconds)
  return os.date('!%Y-%m-%dT%H:%M:%SZ', seconds)
end

local function to_utc(text, code)
  local at, y, mo, d = epoch(text)
  return iso(at + (ZONES[code][2] - (summer(y, mo, d) and 1 or 0)) * 3600)
end

local function base64url(bytes)
  return (ngx.encode_base64(bytes, true):gsub('[+/]', { ['+'] = '-', ['/'] = '_' }))
end

local function seal(prefix, text)
  return prefix .. base64url(text) .. base64url(ngx.hmac_sha1(HMAC_KEY, prefix .. text)):sub(1, 22)
end

local function admit(token)
  local sock = ngx.socket.tcp()
  sock:settimeout(500)
  local ok = sock:connect('127.0.0.1', bench.redis)
  if not ok then return nil, 503 end
  local digest = (ngx.sha1_bin(token):gsub('.', function(c) return string.format('%02x', c:byte()) end))
  local parts = { 'EVALSHA', bench.sha, '2', 'nginx:{demo}:token:' .. digest, 'nginx:{demo}:limit', tostring(PER_MINUTE), tostring(BURST) }
  local out = { '*', #parts, '\r\n' }
  for _, part in ipairs(parts) do out[#out + 1] = '$' .. #part .. '\r\n' .. part .. '\r\n' end
  sock:send(out)
  local line = sock:receive()
  if not line or line == '$-1' or line == '*-1' or line:sub(1, 1) ~= '*' then
    sock:setkeepalive(60000, 256)
    return nil, 401
  end
  local allowed = sock:receive()
  sock:receive()
  local application = sock:receive()
  sock:receive()
  local used = sock:receive()
  sock:setkeepalive(60000, 256)
  return { application = application, allowed = allowed == ':1', used = tonumber(used) }
end

local function dialable(text)
  local digits = text:gsub('[^%d]', '')
  return '+' .. digits
end

local function place_of(wire, supplier, brand)
  local location, address = wire.location, wire.address
  local code = location.code
  local latitude, longitude = tonumber(address.lat), tonumber(address.long)
  return {
    location_id = seal('loc_', cjson.encode({ supplier, brand, code, code, address.country_code, latitude, longitude })),
    supplier = supplier, brand = brand, code = code, code_context = 'supplier', iata_code = code, place_id = 'plc_' .. code:lower(),
    name = location.name, type = 'airport',
    address = { lines = { address.address_line_1 }, city = address.city, region = address.state_name, postal_code = address.postal_code, country_code = address.country_code },
    latitude = latitude, longitude = longitude, time_zone = ZONES[code][1], phone = dialable(location.telephone),
  }
end

local function amount(value, currency)
  return { amount = string.format('%.2f', value), currency = currency }
end

local function item(kind, description, value, currency, payable, outside)
  return { kind = kind, description = description, amount = amount(value, currency), unit = 'rental', quantity = 1, mandatory = true, included_in_total = not outside, payable = payable }
end

local function fee_kind(fee)
  return fee.name:lower():find('airport', 1, true) and 'airport' or 'fee'
end

local function cents(value)
  return math.floor(value * 100 + 0.5)
end

-- The rate's taxes and fees if they add up to the totals of this payment, else the totals.
local function items_of(pay, rate, currency, payable)
  local items = { item('rental', 'Vehicle rental', pay.vehicle_total, currency, payable) }
  local taxes, fees, sum = rate.taxes_fees.taxes, rate.taxes_fees.fees, 0
  for _, tax in ipairs(taxes) do if tax.included_in_total then sum = sum + cents(tax.amount) end end
  for _, fee in ipairs(fees) do if fee.included_in_total then sum = sum + cents(fee.amount) end end
  if sum == cents(pay.taxes_fees_total) then
    for _, tax in ipairs(taxes) do if tax.included_in_total then items[#items + 1] = item('tax', tax.type, tax.amount, currency, payable) end end
    for _, fee in ipairs(fees) do if fee.included_in_total then items[#items + 1] = item(fee_kind(fee), fee.name, fee.amount, currency, payable) end end
  else
    items[#items + 1] = item('tax', 'Taxes', pay.taxes_total, currency, payable)
    items[#items + 1] = item('fee', 'Fees', pay.fees_total, currency, payable)
  end
  for _, tax in ipairs(taxes) do if not tax.included_in_total then items[#items + 1] = item('tax', tax.type, tax.amount, currency, 'counter', true) end end
  for _, fee in ipairs(fees) do if not fee.included_in_total then items[#items + 1] = item(fee_kind(fee), fee.name, fee.amount, currency, 'counter', true) end end
  return items
end

local sipps = {}
local function sipp_of(code)
  local view = sipps[code]
  if not view then
    local kind = code:sub(2, 2)
    view = { category = CATEGORY[code:sub(1, 1)], type = TYPE[kind], transmission = 'automatic', drive = 'unspecified', fuel = FUEL[code:sub(4, 4)], air_conditioning = true }
    sipps[code] = view
  end
  return view
end

local function vehicle_of(row, name, label)
  local category, capacity = row.category, row.capacity
  local luggage = capacity.luggage_capacity or {}
  return {
    sipp_code = category.sipp_code, sipp = sipp_of(category.sipp_code), name = name, make = category.make, model = category.model,
    or_similar = label:find('or similar', 1, true) ~= nil, class_code = category.vehicle_class_code, class_name = category.vehicle_class_name,
    seats = tonumber(capacity.seats), doors = tonumber(capacity.doors), bags_large = tonumber(luggage.large_suitcase),
    bags_small = tonumber(luggage.small_suitcase), image_url = category.image_url, transmission = category.vehicle_transmission:lower(),
    air_conditioning = row.features.air_conditioned, fuel = capacity.fuel_type:lower(),
  }
end

-- Adds an offer per way to pay: { offer, total, position }.
local function add_offers(found, row, supplier, brand, stays, query, shared, expires)
  local category, totals = row.category, row.rate_totals
  local rate = totals.rate
  local currency = rate.currency
  local label = category.name:gsub('^Group %w+ %- ', '')
  local name = label:gsub(' or similar$', '')
  local vehicle = vehicle_of(row, name, label)
  for _, payment in ipairs({ 'pay_later', 'pay_now' }) do
    local pay = totals[payment]
    if pay then
      local now = payment == 'pay_now'
      local total, none = amount(pay.reservation_total, currency), amount(0, currency)
      local ref = cjson.encode({
        brand = brand, pickupCode = query.pickup, dropoffCode = query.dropoff, countryCode = query.country, payment = payment,
        rateCode = pay.rate_code, sippCode = category.sipp_code, classCode = category.vehicle_class_code, quoteId = rate.quote_id, vehicleName = name,
      })
      local key = '["app_demo","' .. supplier .. '","' .. brand .. '",' .. shared .. ',' .. ref .. ',"' .. payment .. ' ' .. category.sipp_code .. '","' .. total.amount .. '","' .. currency .. '",' .. expires .. ']'
      local offer = {
        key = key,
        supplier = supplier, brand = brand, status = category.vehicle_status == 'OnRequest' and 'on_request' or 'available', expires_at = iso(expires),
        vehicle = vehicle, pickup = stays.pickup, dropoff = stays.dropoff,
        rate = { code = pay.rate_code, type = rate.rate_type:lower(), payment = payment, inclusive = false, discounts_applied = {} },
        price = {
          total = total, base = amount(pay.vehicle_total, currency), taxes = amount(pay.taxes_total, currency), fees = amount(pay.fees_total, currency),
          due_now = now and total or none, due_at_counter = now and none or total, items = items_of(pay, rate, currency, now and 'now' or 'counter'),
        },
        rental_days = math.max(1, rate.days), distance_policy = { { unlimited = row.distance.unlimited_distance } }, fuel_policy = stays.fuel_policy,
        coverages = {}, extras = {}, cancellation = { source = 'unknown', rules = {} }, requirements = {}, terms = stays.terms,
        dedupe_group = query.pickup .. ':' .. category.sipp_code .. ':' .. payment .. ':',
      }
      found[#found + 1] = { offer, pay.reservation_total, #found }
    end
  end
end

local function call(port, brand, query, request_id)
  local sock = ngx.socket.tcp()
  sock:settimeout(TIMEOUT_MS)
  local ok = sock:connect('127.0.0.1', port)
  if not ok then return nil, 'unavailable' end
  sock:send({
    'GET /cars/catalog/v2/vehicles?brand=', brand, '&pickup_date=', query.from, '&pickup_location=', query.pickup, '&dropoff_date=', query.to, '&dropoff_location=', query.dropoff,
    '&country_code=', query.country, '&age=', query.age, '&transaction_id=', request_id, ' HTTP/1.1\r\nhost: supplier\r\naccept: application/json\r\nauthorization: Bearer bench\r\nclient_id: bench\r\n\r\n',
  })
  local status, why = sock:receive()
  if not status then
    sock:close()
    return nil, why == 'timeout' and 'timeout' or 'unavailable'
  end
  local length
  repeat
    local line = sock:receive()
    if not line then return nil, 'unavailable' end
    length = length or line:lower():match('^content%-length: *(%d+)')
  until line == ''
  local body = sock:receive(tonumber(length))
  if not body then return nil, 'unavailable' end
  sock:setkeepalive(30000, 256)
  if status:sub(10, 12) ~= '200' then return nil, 'unavailable' end
  local read, answer = pcall(cjson.decode, body)
  if not read then return nil, 'bad_payload' end
  return answer
end

local function ask(index, query, request_id)
  local started = ngx.now()
  local answer, cause = call(bench.ports[index], BRANDS[index], query, request_id)
  ngx.update_time()
  return answer, cause, math.floor((ngx.now() - started) * 10000 + 0.5) / 10
end

local function problem(status, message, reason, details)
  ngx.status = status
  ngx.header['content-type'] = 'application/json; charset=utf-8'
  ngx.print(cjson.encode({ status = { request_time = iso(ngx.time()), request_errors = 1, errors = { { code = tostring(status), message = message, reason = reason, details = details } } } }))
end

local KNOWN = { pickup_location = true, dropoff_location = true, pickup_date = true, dropoff_date = true, country_code = true, age = true, max_results = true }

local function read_query(args)
  for name, value in pairs(args) do
    if not KNOWN[name] then return nil, name .. ' is not a known field' end
    if type(value) ~= 'string' then return nil, name .. ' must be given once' end
  end
  local query = { pickup = (args.pickup_location or ''):upper(), from = args.pickup_date or '', to = args.dropoff_date or '', country = args.country_code or 'US', age = args.age or '35', max = tonumber(args.max_results or '200') }
  query.dropoff = args.dropoff_location and args.dropoff_location:upper() or query.pickup
  if not ZONES[query.pickup] then return nil, 'pickup_location is not a location' end
  if not ZONES[query.dropoff] then return nil, 'dropoff_location is not a location' end
  local from, to = epoch(query.from), epoch(query.to)
  if not from or from < ngx.time() then return nil, 'pickup_date is in the past' end
  if not to or to - from < 3600 or to - from > 330 * 86400 then return nil, 'a rental lasts 1 hour to 330 days' end
  if not query.country:match('^%u%u$') then return nil, 'country_code is no country' end
  if not query.age:match('^%d%d$') or tonumber(query.age) < 16 then return nil, 'age must be between 16 and 99' end
  return query
end

function M.search()
  local request_id = ngx.var.http_x_request_id or ('req_' .. ngx.var.request_id)
  ngx.header['x-request-id'] = request_id
  local token = (ngx.var.http_authorization or ''):match('^Bearer (fc_s_[%w_-]+)$')
  local admission, failed = nil, 401
  if token then admission, failed = admit(token) end
  if failed == 503 then return problem(503, 'Service Unavailable', 'maintenance', 'The store is away.') end
  if not admission then return problem(401, 'Unauthorized', 'authentication_failure', 'The access token is invalid.') end
  ngx.header['ratelimit-policy'] = '"application";q=' .. BURST .. ';w=10'
  ngx.header['ratelimit'] = '"application";r=' .. math.floor(BURST - admission.used / 10) .. ';t=' .. math.ceil(admission.used / 1000000)
  if not admission.allowed then return problem(429, 'Not Found', 'throttled', 'The rate limit is exceeded.') end
  local query, fault = read_query(ngx.req.get_uri_args())
  if not query then return problem(400, 'Bad Request', 'invalid_format', fault) end

  local threads, answered, errors, rows, found = {}, 0, {}, {}, {}
  for index = 1, 3 do threads[index] = ngx.thread.spawn(ask, index, query, request_id) end
  local expires = ngx.time() + 900
  local shared = '["' .. query.pickup .. '","' .. query.dropoff .. '","' .. query.from .. '","' .. query.to .. '","' .. query.country .. '",' .. query.age .. ']'
  for index = 1, 3 do
    local _, answer, cause, ms = ngx.thread.wait(threads[index])
    local brand = BRANDS[index]
    local supplier = brand:lower()
    if answer then
      answered = answered + 1
      local reservation = answer.reservation
      local terms, fuel = {}, 'unknown'
      for _, term in ipairs(reservation.terms) do terms[#terms + 1] = { kind = term.type, url = term.endpoint } end
      for _, words in ipairs(reservation.disclaimers) do
        terms[#terms + 1] = { kind = words.type:lower():gsub(' ', '_'), text = words.description }
        if words.description:find('FULL TO FULL', 1, true) then fuel = 'full_to_full' end
      end
      local stays = {
        pickup = { location = place_of(reservation.pickup_location, supplier, brand), date = query.from, date_utc = to_utc(query.from, query.pickup) },
        dropoff = { location = place_of(reservation.dropoff_location, supplier, brand), date = query.to, date_utc = to_utc(query.to, query.dropoff) },
        terms = terms, fuel_policy = fuel,
      }
      local before = #found
      for _, row in ipairs(answer.vehicles) do add_offers(found, row, supplier, brand, stays, query, shared, expires) end
      rows[index] = { supplier = supplier, outcome = 'answered', offers = #found - before, duration_ms = ms }
    else
      errors[#errors + 1] = { code = '500', message = 'Internal Server Error', reason = 'supplier_failure', details = 'Supplier ' .. brand .. ' failed to fulfill the request.', supplier = supplier, cause = cause }
      rows[index] = { supplier = supplier, outcome = 'failed', cause = cause, offers = 0, duration_ms = ms }
    end
  end
  if answered == 0 then return problem(500, 'Internal Server Error', 'supplier_failure', 'All suppliers failed.') end
  table.sort(found, function(a, b)
    if a[2] ~= b[2] then return a[2] < b[2] end
    return a[3] < b[3]
  end)
  local vehicles = {}
  for i = 1, math.min(query.max, #found) do
    local offer = found[i][1]
    offer.offer_id, offer.key = seal('off_', offer.key), nil
    vehicles[i] = offer
  end
  local code = #errors > 0 and 206 or 200
  local status = { request_time = iso(ngx.time()), success = { { code = tostring(code), message = 'OK', details = 'The resource was successfully retrieved.' } } }
  if #errors > 0 then
    status.request_errors = #errors
    status.errors = errors
  end
  local body = cjson.encode({
    status = status, search_id = 'sea_' .. request_id,
    request = { pickup_location = query.pickup, dropoff_location = query.dropoff, pickup_date = query.from, dropoff_date = query.to, country_code = query.country, age = tonumber(query.age), sort_by = 'price_total', max_results = query.max },
    vehicles = vehicles, vehicles_found = #found, suppliers = rows,
  })
  ngx.status = code
  ngx.header['content-type'] = 'application/json; charset=utf-8'
  ngx.header['cache-control'] = 'no-store'
  ngx.header['content-length'] = #body
  ngx.print(body)
end

-- One histogram observation per request, shared by workers.
function M.observe()
  local ms = tonumber(ngx.var.request_time) * 1000
  for _, bound in ipairs({ 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2000, 4000, 8000 }) do
    if ms <= bound then
      ngx.shared.histogram:incr(bound, 1, 0)
      return
    end
  end
end

return M
