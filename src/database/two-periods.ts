/** A period and the one before it: from `from` until before `to`, and from `before` until before `from`. Epoch milliseconds. */
export interface TwoPeriods {
  readonly before: number;
  readonly from: number;
  readonly to: number;
}
