import { describe, expect, it } from '@jest/globals';
import { refuseAnother } from './names-another.js';

const [OWN, OTHER] = ['res_Ab1_Ab1_Ab1_Ab1_Ab1_', 'res_zzzzzzzzzzzzzzzzzzzz'];
const check = (...bodies: readonly (string | undefined)[]) =>
  refuseAnother(
    bodies.map((body) => ({
      call: { method: 'POST', path: '/' },
      answer: body === undefined ? undefined : { status: 200, headers: {}, body: Buffer.from(body) },
    })),
    OWN,
  );

describe('an answer', () => {
  it.each([
    ['names the reservation', `<ConfID Type="16" ID="${OWN}"/>`],
    ['names it among others', `{"reference":"${OWN}","replaces":"${OTHER}"}`],
    ['names none', '{"number":"CN1","resolution":"res_short"}'],
    ['is empty', ''],
  ])('is accepted if it %s', (_case, body) => {
    expect(() => check(body)).not.toThrow();
  });

  it('is refused if it names only another reservation, in any dialect', () => {
    for (const body of [
      `<ConfID Type="16" ID="${OTHER}"/>`,
      `{"reference":"${OTHER}"}`,
      `{"remark":"ref ${OTHER}, paid"}`,
    ])
      expect(() => check(body)).toThrow(expect.objectContaining({ fault: 'bad_payload' }));
  });

  it('counts if it is the last one; without one, nothing is refused', () => {
    expect(() => check(`{"reference":"${OTHER}"}`, `{"reference":"${OWN}"}`)).not.toThrow();
    expect(() => check(`{"reference":"${OWN}"}`, `{"reference":"${OTHER}"}`)).toThrow();
    expect(() => check(undefined)).not.toThrow();
    expect(() => check()).not.toThrow();
  });
});
