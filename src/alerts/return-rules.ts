import { type Ballot, type Ballots, FURTHER } from '../metrics/account-votes.js';

/** When votes count against a supplier. */
export interface VoteBounds {
  /** The share of bad votes must be above it, 0 to 1. */
  readonly share: number;
  /** Fewest bad votes. */
  readonly bad: number;
  /** Fewest votes. */
  readonly votes: number;
}

/** The votes that count against a supplier. */
export interface Verdict {
  readonly bad: number;
  readonly votes: number;
  readonly accounts: number;
}

/** Adds ballots by account. */
export function addBallots(sums: Map<string, Ballot>, ballots: Ballots): void {
  for (const [account, { good, bad }] of ballots) {
    const sum = sums.get(account) ?? { good: 0, bad: 0 };
    sums.set(account, { good: sum.good + good, bad: sum.bad + bad });
  }
}

/**
 * The votes if they are above the bounds even without those of any one account, as breakers judge (decision 0026); undefined
 * otherwise. So it takes at least two accounts. Votes of no account don't count.
 */
export function against(ballots: Ballots, bounds: VoteBounds): Verdict | undefined {
  const own = [...ballots].flatMap(([account, ballot]) => (account === FURTHER ? [] : [ballot]));
  const bad = own.reduce((sum, ballot) => sum + ballot.bad, 0);
  const votes = own.reduce((sum, ballot) => sum + ballot.bad + ballot.good, 0);
  const isAbove = (without: Readonly<Ballot>): boolean => {
    const [restBad, rest] = [bad - without.bad, votes - without.bad - without.good];
    return restBad >= bounds.bad && rest >= bounds.votes && restBad > rest * bounds.share;
  };
  const accounts = own.filter((ballot) => ballot.bad > 0).length;
  return own.length > 1 && own.every(isAbove) ? { bad, votes, accounts } : undefined;
}
