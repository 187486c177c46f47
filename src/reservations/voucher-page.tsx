import { createHash } from 'node:crypto';
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Language } from '../config/languages.js';
import { decodeSipp } from '../model/acriss.js';
import { silhouetteOf, silhouetteSvg } from '../representations/silhouettes.js';
import { markOf, markSvg } from '../representations/supplier-mark.js';
import { wordsIn } from '../representations/words/words-in.js';
import type { VoucherView } from './voucher.js';
import { type VoucherLabels, voucherLabels } from './voucher-labels.js';

const STYLE = `@page{size:A4;margin:16mm}*{box-sizing:border-box}body{margin:0 auto;padding:24px;max-width:760px;font:14px/1.45 system-ui,sans-serif;color:#111827;background:#fff;overflow-wrap:anywhere}header{display:flex;gap:16px;align-items:center;border-bottom:2px solid #111827;padding-bottom:16px}header p,h1{margin:0}h1{font-size:22px}h2{font-size:12px;letter-spacing:.06em;text-transform:uppercase;color:#4b5563;margin:20px 0 4px}.number{margin-left:auto;text-align:right}.number strong{display:block;font-size:20px}.two{display:grid;grid-template-columns:1fr 1fr;gap:0 24px}p{margin:2px 0}.muted{color:#4b5563}.car{display:flex;gap:16px;align-items:center;color:#4b5563}.car div{color:#111827}.car svg{width:120px;height:auto;flex:none}table{border-collapse:collapse;width:100%}td{padding:3px 0;border-bottom:1px solid #e5e7eb}td:last-child{text-align:right;white-space:nowrap}.total td{font-weight:600}section,tr{break-inside:avoid}.terms{font-size:11px}@media print{body{padding:0;max-width:none}}@media(max-width:640px){.two{grid-template-columns:1fr}header{flex-wrap:wrap}.number{margin-left:0;text-align:left}}@media screen and (prefers-color-scheme:dark){body{color:#e5e7eb;background:#111827}header{border-color:#e5e7eb}h2,.muted,.car{color:#9ca3af}.car div{color:#e5e7eb}td{border-color:#374151}}`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of the page: no script, no other style, and nothing from outside may be loaded. */
export const VOUCHER_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** The printable voucher: one A4 page for usual rentals. The renderer escapes every text of the supplier and the renter. */
export function voucherPage(voucher: VoucherView, language: Language): string {
  const vnode: VNode = <Voucher voucher={voucher} labels={voucherLabels(language)} language={language} />;
  return `<!doctype html>${renderToString(vnode)}`;
}

interface Props {
  readonly voucher: VoucherView;
  readonly labels: VoucherLabels;
  readonly language: Language;
}

function Voucher({ voucher, labels, language }: Props) {
  const { supplier, confirmation_number: number, reservation_id: id, client_reference: reference } = voucher;
  return (
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${labels.title} ${number ?? id}`}</title>
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        <header>
          <Drawing svg={markSvg(markOf({ id: supplier.supplier, name: supplier.name }))} />
          <div>
            <h1>{labels.title}</h1>
            <p>{supplier.name === voucher.brand ? supplier.name : `${voucher.brand} · ${supplier.name}`}</p>
          </div>
          <p class="number">
            {labels.confirmation}
            <strong>{number ?? id}</strong>
          </p>
        </header>
        <main>
          <div class="two">
            <Drivers voucher={voucher} labels={labels} />
            <Part title={labels.reference}>
              {reference === undefined ? null : <p>{reference}</p>}
              <p class="muted">{id}</p>
            </Part>
            <Stay title={labels.pickup} stay={voucher.pickup} local={labels.local} />
            <Stay title={labels.dropoff} stay={voucher.dropoff} local={labels.local} />
          </div>
          <Car voucher={voucher} labels={labels} language={language} />
          <Differences voucher={voucher} labels={labels} language={language} />
          <Price voucher={voucher} labels={labels} language={language} />
          <Terms voucher={voucher} labels={labels} />
        </main>
      </body>
    </html>
  );
}

/** An own drawing, which has no text of anyone else. */
function Drawing({ svg }: { svg: string }) {
  return <span aria-hidden="true" dangerouslySetInnerHTML={{ __html: svg }} />;
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Drivers({ voucher: { driver, additional_drivers: more = [], arrival }, labels }: Omit<Props, 'language'>) {
  return (
    <Part title={labels.driver}>
      <p>{driver ? <strong>{`${driver.first_name} ${driver.last_name}`}</strong> : labels.erased}</p>
      {more.length === 0 ? null : (
        <p>{`${labels.more}: ${more.map((one) => `${one.first_name} ${one.last_name}`).join(', ')}`}</p>
      )}
      {arrival && <p>{`${labels.flight}: ${arrival.carrier_code} ${arrival.flight_number}`}</p>}
    </Part>
  );
}

function Stay({ title, stay, local }: { title: string; stay: VoucherView['pickup']; local: string }) {
  const { location, date } = stay;
  const { lines, city, region, postal_code: postalCode, country_code: countryCode } = location.address;
  const places = [...lines, [postalCode, city].filter(Boolean).join(' '), region, countryCode].filter(Boolean);
  return (
    <Part title={title}>
      <p>
        <strong>{textOf(date)}</strong> <span class="muted">{local}</span>
      </p>
      <p>{location.name}</p>
      <p>{places.join(', ')}</p>
      {location.phone === undefined ? null : <p>{location.phone}</p>}
    </Part>
  );
}

/** A local time, to the minute. */
function textOf(date: string): string {
  return date.slice(0, 16).replace('T', ' ');
}

function Car({ voucher, labels, language }: Props) {
  const { vehicle, fuel_policy: fuelPolicy, rental_days: days } = voucher;
  const words = wordsIn(language);
  const sipp = vehicle.sipp_code === undefined ? undefined : decodeSipp(vehicle.sipp_code);
  const named = [
    ...classWords(vehicle.sipp_code, language),
    vehicle.transmission && words.transmission[vehicle.transmission],
    vehicle.sipp_code,
  ].filter(Boolean);
  return (
    <Part title={labels.vehicle}>
      <div class="car">
        <Drawing svg={silhouetteSvg(silhouetteOf(sipp?.category ?? null, sipp?.type ?? null), 'currentColor')} />
        <div>
          <p>
            <strong>{vehicle.name}</strong> {vehicle.or_similar ? labels.similar : ''}
          </p>
          <p>{named.join(' · ')}</p>
          <p>{`${labels.days}: ${days} · ${labels.fuel}: ${words.fuel_policy[fuelPolicy]}`}</p>
        </div>
      </div>
    </Part>
  );
}

/** What the counter has otherwise than the rest of the voucher shows. */
function Differences({ voucher, labels, language }: Props) {
  const { booked_differently: booked, selected_extras: extras } = voucher;
  if (!booked) return null;
  const {
    sipp_code: sippCode,
    missing_extras: missing,
    unconfirmed_extras: unconfirmed,
    other_extras: others,
  } = booked;
  const names = (codes: readonly string[] | undefined) =>
    codes?.map((code) => extras.find((extra) => extra.extra_id === code)?.name ?? code).join(', ');
  const counted = others?.map(({ extra_id: code, name = code, quantity }) =>
    quantity === undefined ? name : `${quantity} × ${name}`,
  );
  const stay = (code = '', date = '') => [textOf(date), code].filter(Boolean).join(' · ');
  const named = [...classWords(sippCode, language), sippCode].filter(Boolean);
  const rows: LabeledTexts = [
    [labels.vehicle, sippCode && named.join(' · ')],
    [labels.pickup, stay(booked.pickup_code, booked.pickup_date)],
    [labels.dropoff, stay(booked.dropoff_code, booked.dropoff_date)],
    [labels.missing, names(missing)],
    [labels.unconfirmed, names(unconfirmed)],
    [labels.booked, counted?.join(', ')],
  ];
  return (
    <Part title={labels.differently}>
      <Rows rows={rows} />
    </Part>
  );
}

function classWords(sippCode: string | undefined, language: Language): readonly (string | null | undefined)[] {
  const { category, type } = wordsIn(language);
  const sipp = sippCode === undefined ? undefined : decodeSipp(sippCode);
  return [sipp?.category && category[sipp.category], sipp?.type && type[sipp.type]];
}

function Price({ voucher, labels, language }: Props) {
  const { total, due_now: now, due_at_counter: counter, deposit, payment, requirements, cancellation } = voucher;
  const words = wordsIn(language);
  const cards: Readonly<Record<string, string>> = words.card;
  const included = voucher.included_coverages.map(({ name }) => name);
  const chosen = [...voucher.selected_extras, ...voucher.selected_coverages].map((one) =>
    'quantity' in one && one.quantity > 1 ? `${one.quantity} × ${one.name}` : one.name,
  );
  const paid = `${words.payment[payment.type]}${payment.last_four === undefined ? '' : ` •••• ${payment.last_four}`}`;
  const rows: LabeledTexts = [
    [labels.included, included.join(', ') || undefined],
    [labels.chosen, chosen.join(', ') || undefined],
    // Payment at the counter says nothing that the amounts below don't.
    [labels.payment, payment.type === 'counter' ? undefined : paid],
    [labels.cards, requirements.accepted_cards?.map((card) => cards[card] ?? card).join(', ')],
    [labels.now, moneyText(now)],
    [labels.paid, moneyText(payment.paid)],
    [labels.counter, moneyText(counter)],
    ...(voucher.local_charges ?? []).map(
      ({ description, amount }) => [labels.besides, `${description}, ${moneyText(amount)}`] as const,
    ),
    [labels.deposit, moneyText(deposit?.amount)],
    [labels.free, cancellation.free_until?.slice(0, 16).replace('T', ' ')],
  ];
  return (
    <Part title={labels.total}>
      <table>
        <tbody>
          <tr class="total">
            <td>{labels.total}</td>
            <td>{moneyText(total)}</td>
          </tr>
        </tbody>
      </table>
      <Rows rows={rows} />
    </Part>
  );
}

type LabeledTexts = readonly (readonly [label: string, text: string | undefined])[];

function Rows({ rows }: { rows: LabeledTexts }) {
  return <>{rows.map(([label, text]) => (text === undefined ? null : <Row label={label} text={text} />))}</>;
}

function Row({ label, text }: { label: string; text: string }) {
  return (
    <p>
      <span class="muted">{`${label}: `}</span>
      {text}
    </p>
  );
}

function Terms({ voucher: { supplier, terms }, labels }: Omit<Props, 'language'>) {
  const texts = terms.flatMap(({ text, url }) => text ?? url ?? []).slice(0, 20);
  return (
    <>
      {supplier.support_phone === undefined ? null : (
        <Part title={labels.support}>
          <p>{`${supplier.name}: ${supplier.support_phone}`}</p>
        </Part>
      )}
      {texts.length === 0 ? null : (
        <Part title={labels.terms}>
          <div class="terms">
            {texts.map((text) => (
              <p>{text.slice(0, 1_000)}</p>
            ))}
          </div>
        </Part>
      )}
    </>
  );
}

function moneyText(money: { readonly amount: string; readonly currency: string } | undefined): string | undefined {
  return money && `${money.amount} ${money.currency}`;
}
