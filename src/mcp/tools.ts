import { z } from 'zod';
import { INPUTS, type ToolName } from './tool-inputs.js';

interface Wording {
  readonly title: string;
  readonly description: string;
  /** Whether it changes nothing. */
  readonly isReading?: true;
}

const WORDS: Readonly<Record<ToolName, Wording>> = {
  find_place: {
    title: 'Find a place',
    description: 'Finds cities, airports, stations, and postal codes. A place_id is a location for search.',
    isReading: true,
  },
  search: {
    title: 'Search rental cars',
    description:
      'Returns offers of all suppliers, at most 20 at a time; send `more` for the next ones. If `incomplete` is true, the user must know which suppliers are missing.',
    isReading: true,
  },
  price: {
    title: 'Check a price',
    description:
      'Asks the supplier for the current price of an offer and returns a quote. Show its total to the user before you book.',
    isReading: true,
  },
  book: {
    title: 'Book a quote',
    description:
      'Books a quote whose total the user has confirmed, paid at the counter (offers with payment pay_later). Call it again with the same arguments if you are not sure whether it worked: one quote is booked once. If an error names a reservation, read that one before you book again.',
  },
  read_reservation: {
    title: 'Read a reservation',
    description: 'Returns a reservation with its state.',
    isReading: true,
  },
  change_reservation: {
    title: 'Change a reservation',
    description: 'Changes contact details, arrival, extras, or coverages; or, with a quote, the whole rental.',
  },
  cancel_reservation: {
    title: 'Cancel a reservation',
    description: 'Cancels a reservation. There may be a fee: read the reservation and ask the user first.',
  },
  why_missing: {
    title: 'Why a supplier is missing',
    description: 'Says of each supplier of an earlier search whether it answered, and why it has no offers.',
    isReading: true,
  },
};

/** The tools as tools/list returns them. */
export const TOOLS = (Object.keys(INPUTS) as ToolName[]).map((name) => {
  const { title, description, isReading = false } = WORDS[name];
  const { $schema: _draft, ...schema } = z.toJSONSchema(INPUTS[name], { io: 'input' });
  return {
    name,
    title,
    description,
    inputSchema: { ...schema, type: 'object' as const },
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: name === 'cancel_reservation' || name === 'change_reservation',
      idempotentHint: true,
      openWorldHint: true,
    },
  };
});
