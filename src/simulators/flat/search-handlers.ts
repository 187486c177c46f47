import type { SimulatedAnswer, SimulatedRequest } from '../world.js';
import { done, FlatError } from './answers.js';
import type { FlatHandlers } from './handlers.js';
import { depotJson } from './location-writer.js';
import { quotesFor, requote } from './quotes.js';
import { formOf, priceQuestion, quotesQuestion, readQuestion, rentalOf } from './rental-reader.js';
import { carsJson } from './vehicle-writer.js';

const MOST_DEPOTS = 20;
const PAGE = 5;

/** GET /rest/depots?text=&cc=&page=: best first, five a page, pages from 1. */
export function answerDepots({ query, directive }: SimulatedRequest, { inventory }: FlatHandlers): SimulatedAnswer {
  const text = query.get('text');
  const page = Number(query.get('page') ?? '1');
  if (!text || !Number.isInteger(page) || page < 1) throw new FlatError('badRequest', 'text or page is missing');
  const found =
    directive.verb === 'empty' ? [] : inventory.findCounters(text, query.get('cc') ?? undefined, MOST_DEPOTS);
  const depots = found.slice((page - 1) * PAGE, page * PAGE).map(depotJson);
  return done({ page, pages: Math.max(1, Math.ceil(found.length / PAGE)), depots });
}

/** POST /rest/quotes: everything that can be had. */
export function answerQuotes({ body, directive }: SimulatedRequest, desk: FlatHandlers): SimulatedAnswer {
  const rental = rentalOf(readQuestion(formOf(body), quotesQuestion), desk, directive);
  if (directive.verb === 'sold_out') throw new FlatError('soldOut', 'no car is left');
  const quotes = directive.verb === 'empty' ? [] : quotesFor(rental, desk, directive);
  return done(carsJson(rental, quotes, desk.inventory));
}

/** POST /rest/price: one car priced anew; no car = it is gone. Creates nothing. */
export function answerPrice({ body, directive }: SimulatedRequest, desk: FlatHandlers): SimulatedAnswer {
  const question = readQuestion(formOf(body), priceQuestion);
  const rental = rentalOf(question, desk, directive);
  if (directive.verb === 'sold_out') throw new FlatError('soldOut', 'the car is sold out');
  const quote = directive.verb === 'empty' ? undefined : requote(rental, question, desk, directive);
  return done(carsJson(rental, quote ? [quote] : [], desk.inventory));
}
