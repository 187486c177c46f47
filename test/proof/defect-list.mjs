/**
 * Defenses of the built code by name, and what replaces them: `[text, text without the defense]`. The build drops
 * whitespace outside of texts. A test checks that each text still occurs.
 *
 * @type {Readonly<Record<string, readonly (readonly [sound: string, broken: string])[]>>}
 */
export const DEFECTS = {
  'times of the own clock': [
    ['Math.round(this.#databaseMs+performance.now()-this.#readAtMs)', 'Date.now()'],
    ['clock_timestamp() + ${interval(at-this.now())}', 'to_timestamp(${at / 1000}::float8)'],
    ['next_check_at <= now()', 'next_check_at <= to_timestamp(${Date.now() / 1000}::float8)'],
  ],
  'stored after the call': [
    [
      'return await this.repository.insert(reservation,request,quote)',
      'return setTimeout(() => this.repository.insert(reservation, request, quote).catch(() => {}), 1500), "stored"',
    ],
  ],
  'the first answer of a key': [['coalesce(answer, ${sealed})', '${sealed}']],
  'lost keys book again': [['await this.journal.refuseLost(request,quote)', 'undefined']],
  'no look for second bookings': [['const second=secondOf(', 'const second = (() => [])(']],
  'answers that are not stored': [
    ['throw notStored(reservation)', 'return answer({ ...reservation, ...move.patch, state: move.to })'],
  ],
};
