const KEPT = 64;

/** The best score of each place. Lower scores are dropped as their number grows, because a short text begins thousands of names. */
export class Scores {
  readonly all = new Map<number, number>();
  #least = Number.NEGATIVE_INFINITY;

  /** Keeps the higher of two scores of a place. */
  raise(place: number, score: number): void {
    if (score < this.#least || score <= (this.all.get(place) ?? Number.NEGATIVE_INFINITY)) return;
    this.all.set(place, score);
    if (this.all.size < 4 * KEPT) return;
    this.#least = [...this.all.values()].sort((a, b) => b - a)[KEPT] ?? this.#least;
    for (const [other, own] of this.all) if (own < this.#least) this.all.delete(other);
  }
}
