import { BEHAVIORS } from '../../src/portal/applications/certification/behaviors.js';
import { describeWith } from '../support/binaries.js';
import { certifyClients, wrong } from '../support/certification/certified.js';

const ALL = BEHAVIORS.map(({ id }) => id);

describeWith('redis-server', 'initdb')('certification of clients that get one behavior wrong', () => {
  const certified = certifyClients(Object.fromEntries(ALL.map((flaw) => [flaw, wrong(flaw)])));

  test.each(ALL)('a client that gets only %s wrong fails only that, and its requests are named', (flaw) => {
    const { failed } = certified().resultOf(flaw);
    expect(failed).toEqual([{ id: flaw, shown: expect.any(Array) }]);
    expect(failed[0]?.shown.length).toBeGreaterThan(0);
  });
});
