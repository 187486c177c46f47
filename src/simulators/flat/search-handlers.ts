import type { SimulatedAnswer, SimulatedRequest } from '../world.js';
import { done, FlatError } from './answers.js';
import type { FlatContext } from './context.js';
import { depotJson } from './location-writer.js';
import { quotesFor, requote } from './quotes.js';
import { formOf, priceQuestion, quotesQuestion, readQuestion, rentalOf } from './rental-reader.js';
import { carsJson } from './vehicle-writer.js';

const MOST_DEPOTS = 20;
const PAGE = 5;

/** GET /rest/depots?text=&cc=&page=: best first, five per page, pages from 1. */
export function answerDepots({ query, directive }: SimulatedRequest, { inventory }: FlatContext): SimulatedAnswer {
  const text = query.get('text');
  const page = Number(query.get('page') ?? '1');
  if (!text || !Number.isInteger(page) || page < 1) throw new FlatError('badRequest', 'text or page is missing');
  const found =
    directive.verb === 'empty' ? [] : inventory.findLocations(text, query.get('cc') ?? undefined, MOST_DEPOTS);
  const depots = found.slice((page - 1) * PAGE, page * PAGE).map(depotJson);
  return done({ page, pages: Math.max(1, Math.ceil(found.length / PAGE)), depots });
}

/** POST /rest/quotes: every available car. */
export function answerQuotes({ body, directive }: SimulatedRequest, context: FlatContext): SimulatedAnswer {
  const rental = rentalOf(readQuestion(formOf(body), quotesQuestion), context, directive);
  if (directive.verb === 'sold_out') throw new FlatError('soldOut', 'no car is available');
  const quotes = directive.verb === 'empty' ? [] : quotesFor(rental, context, directive);
  return done(carsJson(rental, quotes, context.inventory));
}

/** POST /rest/price: the current price of one car; no car = sold out. Creates nothing. */
export function answerPrice({ body, directive }: SimulatedRequest, context: FlatContext): SimulatedAnswer {
  const question = readQuestion(formOf(body), priceQuestion);
  const rental = rentalOf(question, context, directive);
  if (directive.verb === 'sold_out') throw new FlatError('soldOut', 'the car is sold out');
  const quote = directive.verb === 'empty' ? undefined : requote(rental, question, context, directive);
  return done(carsJson(rental, quote ? [quote] : [], context.inventory));
}
