import type { Operation } from '../model/supplier.js';
import { type Bench } from './bench.js';
import { must } from './breach.js';
import { type ContractCase } from './case.js';
import { instead } from './failure-plays.js';
import { type Exchange, type Play, pass } from './fault-server.js';
import type { Questions } from './operations.js';
import { PERSONAL_TEXTS, RENTER } from './renter.js';

/** Operations whose calls contain the renter's data. */
const PERSONAL: readonly Operation[] = ['searchVehicles', 'book', 'retrieve', 'modify', 'cancel'];

/** A renter's data must not leak. The project's tests search the adapters' fixtures for it. */
export const PRIVACY_CASES: readonly ContractCase[] = [
  {
    id: 'private_urls',
    guarantee: 'no URL contains personal data: name, email, phone, birth date, license, membership',
    operations: PERSONAL,
    run: async (bench, operation) => {
      const question = await personal(bench, operation);
      const urls = await bench.withCaller(async (caller) => {
        bench.server.play(pass);
        await caller.ask(operation, question);
        return bench.server.calls.map(({ url }) => url);
      });
      for (const url of urls) must(!holdsPersonal(decoded(url)), `the URL ${url.split('?')[0]} contains personal data`);
    },
  },
  {
    id: 'private_messages',
    guarantee: 'no error message contains personal data, even if the supplier quotes it',
    operations: PERSONAL.filter((operation) => operation !== 'searchVehicles'),
    simulated: true,
    run: async (bench, operation) => {
      const question = await bench.subject.question(operation);
      for (const play of [...QUOTES, quotedRefusal]) {
        const before = bench.logged.length;
        await bench.played(operation, play, question);
        const leaked = bench.logged.slice(before).find(({ message }) => holdsPersonal(message));
        must(leaked === undefined, `an error message of ${leaked?.message.length} characters contains personal data`);
      }
    },
  },
];

/** Answers that echo the call, like the worst of suppliers' error pages. */
const QUOTES: readonly Play[] = [200, 400, 404, 500].map((status) => (exchange: Exchange) => {
  instead(status, `${PERSONAL_TEXTS.join(' ')} ${exchange.call.body}`)(exchange);
});

/**
 * The supplier's own refusal with the renter's data in each text. A call that it cannot refuse this way is answered
 * without being carried out.
 */
async function quotedRefusal(exchange: Exchange): Promise<void> {
  const answer = await exchange.forward('throttled');
  if (!answer) return void exchange.socket.resetAndDestroy();
  const { 'content-length': _length, ...headers } = answer.headers;
  exchange.answer({ status: 400, headers, body: Buffer.from(quoting(answer.body.toString('utf8'))) });
}

/**
 * Adds the renter's data to every text with a blank: JSON values, XML attributes (both in quotes), and texts between
 * tags.
 */
function quoting(document: string): string {
  const renter = `${RENTER.firstName} ${PERSONAL_TEXTS.join(' ')}`;
  return document
    .replace(/"([^"<>]*\s[^"<>]*)"/g, `"${renter} $1"`)
    .replace(/>([^<>]*[^<>\s][^<>]*)</g, `>${renter} $1<`);
}

async function personal(bench: Bench, operation: Operation): Promise<Questions[Operation]> {
  if (operation === 'searchVehicles')
    return { ...bench.subject.vehicles(), dateOfBirth: RENTER.dateOfBirth, loyalty: RENTER.loyalty };
  return operation === 'cancel' ? (await bench.subject.book()).key : bench.subject.question(operation);
}

function holdsPersonal(text: string): boolean {
  const folded = text.toLowerCase();
  return PERSONAL_TEXTS.some((value) => folded.includes(value.toLowerCase()));
}

function decoded(url: string): string {
  return decodeURIComponent(url.replaceAll('+', ' '));
}
