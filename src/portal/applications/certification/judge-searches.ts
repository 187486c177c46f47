import {
  after,
  bySame,
  type Evidence,
  type Finding,
  few,
  firstAfter,
  idsOf,
  MINUTE_MS,
  SECOND_MS,
  sameMark,
} from './evidence.js';

/** What uses the offers of a search. */
const ONWARD = ['priceOffer', 'createReservation', 'readSearch'];
const AGAIN_MS = 5 * SECOND_MS;

/** Whether the suppliers that answered are used, or the search is repeated as if it had failed. */
export function partialUsed({ requests }: Evidence): Finding {
  const failed: string[] = [];
  const passed: string[] = [];
  const same = bySame(requests);
  const onward = requests.filter(({ operation, status }) => ONWARD.includes(operation) && status < 300);
  for (const one of requests) {
    if (!one.operation.startsWith('searchVehicles') || !one.isPartial || one.status >= 300) continue;
    const again = after(same.get(sameMark(one)) ?? [], one, AGAIN_MS);
    if (again.length > 1) failed.push(one.id, ...few(again));
    else if (firstAfter(onward, one, 10 * MINUTE_MS)) passed.push(one.id);
  }
  return { failed: [...new Set(failed)], passed };
}

const PAGED = ['readSearch', 'listReservations'];

/** Whether pages are read by the links of responses, or by cursors that no response contained. */
export function pagesFollowed({ requests }: Evidence): Finding {
  const pages = requests.filter(({ operation, isPaged }) => PAGED.includes(operation) && isPaged);
  return {
    failed: idsOf(pages, ({ status, field }) => status === 400 && field === 'cursor'),
    passed: idsOf(pages, ({ status }) => status < 300),
  };
}

const IDS = ['offer_id', 'quote_id'];

/** Whether ids are sent as they were returned. An expired one has a cause. */
export function idsOpaque({ requests }: Evidence): Finding {
  const used = requests.filter(({ operation }) => operation === 'priceOffer' || operation === 'createReservation');
  return {
    failed: idsOf(
      used,
      ({ status, cause, field }) => status === 404 && cause === null && field !== null && IDS.includes(field),
    ),
    passed: idsOf(used, ({ status }) => status < 300),
  };
}
