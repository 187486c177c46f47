import type { Socket } from 'node:net';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { answerOk, callOnce, type FakeGateways, fakeGateways, NOBODY_KNOWS } from '../support/fake-gateways.js';
import { type RunningProxy, startHaproxy, startNginx } from '../support/proxies.js';

const PATH = '/cars/reservation/v1/res_1';
const WRITES = ['PUT', 'DELETE', 'POST', 'PATCH'] as const;
const METHODS = ['GET', ...WRITES] as const;
/** nginx waits so long for a gateway that hangs, instead of 12 and 30 s. */
const IMPATIENT = {
  'proxy_read_timeout 12s': 'proxy_read_timeout 400ms',
  'proxy_read_timeout 30s': 'proxy_read_timeout 900ms',
};

describeWith('nginx', 'haproxy')('one of two gateways behind a shipped proxy', () => {
  let gateways: FakeGateways;
  let proxy: RunningProxy;
  /** Methods of the requests that each gateway received. */
  let received: [string[], string[]];

  const behave = (index: 0 | 1, then: (socket: Socket) => void): void =>
    gateways.play(index, (socket, request) => {
      received[index].push(request.split(' ', 1)[0] ?? '');
      then(socket);
    });
  const start = async (startProxy: (ports: FakeGateways['ports']) => Promise<RunningProxy>): Promise<void> => {
    received = [[], []];
    gateways = await fakeGateways(answerOk);
    behave(0, answerOk);
    behave(1, answerOk);
    proxy = await startProxy(gateways.ports);
  };
  afterEach(async () => {
    await proxy.stop();
    await gateways.close();
  });
  /** Outcomes of calls, one after the other. */
  const callEach = async (methods: readonly string[]): Promise<string[]> => {
    const outcomes: string[] = [];
    for (const method of methods) outcomes.push(await callOnce(proxy.port, method, PATH));
    return outcomes;
  };
  const hang = (): void => undefined;
  const crash = (socket: Socket): void => void socket.destroy();

  describe.each([
    ['nginx', startNginx],
    ['HAProxy', startHaproxy],
  ])('%s', (_name, startProxy: (ports: FakeGateways['ports']) => Promise<RunningProxy>) => {
    test.each(METHODS)('sends each %s to the other gateway while one refuses connections, and once', async (method) => {
      await start(startProxy);
      await gateways.closeSecond();
      // Together, so that another call may be the one that takes the next turn.
      const outcomes = await Promise.all(Array.from({ length: 12 }, () => callOnce(proxy.port, method, PATH)));
      expect(outcomes).toEqual(Array(12).fill('200'));
      expect(received).toEqual([Array(12).fill(method), []]);
    });

    test.each(WRITES)('never repeats a %s that crashed the other gateway after one had refused it', async (method) => {
      await start(startProxy);
      await gateways.closeSecond();
      behave(0, crash);
      const outcomes = await callEach(Array(6).fill(method));
      expect(outcomes.filter((outcome) => !NOBODY_KNOWS.test(outcome))).toEqual([]);
      expect(received[0]).toHaveLength(6);
    });

    test('answers 503 to every method while no gateway accepts a connection', async () => {
      await start(startProxy);
      await gateways.close();
      expect(await callEach(METHODS)).toEqual(METHODS.map(() => '503 maintenance'));
      const { status, headers } = await fetch(`http://127.0.0.1:${proxy.port}${PATH}`);
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    });
  });

  describe('nginx', () => {
    test('reads from the other gateway what one that hangs was asked, and then leaves that one alone', async () => {
      await start((ports) => startNginx(ports, undefined, IMPATIENT));
      behave(1, hang);
      expect(await callEach(Array(8).fill('GET'))).toEqual(Array(8).fill('200'));
      expect(received[1]).toEqual(['GET']);
      // Those that follow don't wait for it.
      expect(await callEach([...WRITES, ...WRITES])).toEqual(Array(8).fill('200'));
      expect(received[1]).toEqual(['GET']);
    });

    test.each(WRITES)('never repeats a %s that one gateway received and did not answer', async (method) => {
      await start((ports) => startNginx(ports, undefined, IMPATIENT));
      behave(1, hang);
      const outcomes = await callEach(Array(6).fill(method));
      expect(outcomes.filter((outcome) => outcome !== '200')).toEqual(['500 unexpected_condition']);
      expect(received.map(({ length }) => length)).toEqual([5, 1]);
    });

    test('gives a gateway calls again after it was put aside', async () => {
      await start((ports) => startNginx(ports, undefined, { 'fail_timeout=10s': 'fail_timeout=1s' }));
      behave(1, crash);
      await callEach(['POST', 'POST']);
      behave(1, answerOk);
      const before = received[1].length;
      const outcomes = new Set<string>();
      await eventually(
        async () => {
          outcomes.add(await callOnce(proxy.port, 'PUT', PATH));
          return received[1].length;
        },
        (count) => count > before + 1,
      );
      expect([...outcomes]).toEqual(['200']);
    });

    test('uses both gateways again when both have failed', async () => {
      await start(startNginx);
      behave(0, crash);
      behave(1, crash);
      await callEach(['POST', 'POST']);
      behave(0, answerOk);
      behave(1, answerOk);
      received = [[], []];
      expect(await callEach([...METHODS, 'GET'])).toEqual(Array(6).fill('200'));
      expect(received.map(({ length }) => length)).toEqual([3, 3]);
    });

    test('sends a PUT to the gateway that just failed when the other one is gone', async () => {
      await start(startNginx);
      behave(0, crash);
      await callEach(['POST', 'POST']);
      behave(0, answerOk);
      await gateways.closeSecond();
      received = [[], []];
      expect(await callEach(['PUT', 'DELETE', 'POST', 'GET', 'PUT'])).toEqual(Array(5).fill('200'));
      expect(received[0]).toHaveLength(5);
    });
  });
});
