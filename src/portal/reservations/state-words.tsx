/** What a state of a reservation means to the developer. */
const MEANINGS: Readonly<Record<string, string>> = {
  pending: 'The booking is being made.',
  unknown: 'The supplier gave no clear answer: it may be booked. The gateway looks it up. Don’t book again.',
  manual_review: 'The gateway couldn’t find out whether it is booked. An operator asks the supplier.',
  on_request: 'The supplier decides manually. It becomes confirmed, rejected or expired.',
  confirmed: 'Booked.',
  modify_pending: 'Booked. A change is being made.',
  cancel_pending: 'It is being cancelled.',
  cancel_unknown: 'The supplier gave no clear answer to the cancellation. The gateway looks it up.',
  cancelled: 'Cancelled at the supplier.',
  rejected: 'The supplier rejected the request: nothing is booked.',
  failed: 'Nothing is booked.',
  expired: 'The supplier didn’t decide in time: nothing is booked.',
  completed: 'The car was returned.',
  no_show: 'The renter didn’t pick up the car.',
};

const TONES: Readonly<Record<string, string>> = {
  confirmed: 'good',
  completed: 'good',
  failed: 'bad',
  rejected: 'bad',
  expired: 'bad',
  manual_review: 'bad',
  unknown: 'partial',
  cancel_unknown: 'partial',
  on_request: 'partial',
};

/** The meaning of a state in a sentence or two; empty for an unknown state. */
export function stateMeaning(state: string): string {
  return MEANINGS[state] ?? '';
}

/** A state as a badge, in words. */
export function StateBadge({ state }: { state: string }) {
  return <span class={`badge ${TONES[state] ?? ''}`}>{state.replaceAll('_', ' ')}</span>;
}
