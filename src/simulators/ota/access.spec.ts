import { describe, expect, it } from '@jest/globals';
import { SupplierError } from '../../model/supplier.js';
import type { OtaAccess } from './access.js';
import { connect, NOW, type Setup } from './fixtures/connection.js';
import { search } from './fixtures/rental.js';

const CREDENTIALS = { user: 'forecourt', secret: 'pa$$ wörd & <co>', apiKey: 'key-1' };
const pair = { username: 'user', password: 'secret' };
const known = { username: CREDENTIALS.user, password: CREDENTIALS.secret };

/** What the supplier demands, and the options with which an adapter meets it. */
interface Demand {
  readonly access: OtaAccess;
  readonly envelope: 'bare' | 'soap11' | 'soap12';
  readonly options: Record<string, unknown>;
}

const DEMANDS: readonly (readonly [string, Demand])[] = [
  ['HTTP Basic', { access: { basic: known }, envelope: 'bare', options: { basicAuth: pair } }],
  [
    'a header of its own',
    {
      access: { headers: { 'x-api-key': 'Key key-1' } },
      envelope: 'bare',
      options: { headers: { 'X-Api-Key': 'Key {apiKey}' } },
    },
  ],
  ...(['soap11', 'soap12'] as const).flatMap((envelope) =>
    (['text', 'digest'] as const).map(
      (type) =>
        [
          `WS-Security with ${type} in ${envelope}`,
          { access: { token: { ...known, type } }, envelope, options: { wsSecurity: { ...pair, type } } },
        ] as const,
    ),
  ),
];

function connected({ access, envelope, options }: Demand, credentials: Record<string, string> = CREDENTIALS) {
  const setup: Setup = { dialect: { access, envelope }, options: { ...options, envelope }, credentials };
  return connect(setup);
}

async function outcome({ adapter, context }: ReturnType<typeof connect>): Promise<number | string> {
  try {
    return (await adapter.searchVehicles?.(search, context))?.items.length ?? 0;
  } catch (error) {
    if (error instanceof SupplierError) return error.fault;
    throw error;
  }
}

describe.each(DEMANDS)('a supplier that demands %s', (_name, demand) => {
  it('answers an adapter with the option', async () => {
    expect(await outcome(connected(demand))).toBeGreaterThan(0);
  });

  it('refuses wrong credentials, which is auth', async () => {
    const wrong = { ...CREDENTIALS, secret: 'other', apiKey: 'other' };
    expect(await outcome(connected(demand, wrong))).toBe('auth');
  });

  it('refuses an adapter without the option', async () => {
    expect(await outcome(connected({ ...demand, options: {} }))).toBe('auth');
  });
});

describe('a digest', () => {
  const [, demand] = DEMANDS.find(([name]) => name.includes('digest')) ?? [];
  if (!demand) throw new Error('there is a demand with a digest');
  const salted = (world: ReturnType<typeof connect>, salt: string) => ({
    ...world,
    context: { ...world.contextOf({ verb: 'ok' }), salt },
  });

  it('is new for each attempt, because a supplier accepts a nonce once', async () => {
    const world = connected(demand);
    const outcomes = [];
    for (const salt of ['one', 'two', 'one']) outcomes.push(await outcome(salted(world, salt)));
    expect(outcomes).toEqual([expect.any(Number), expect.any(Number), 'auth']);
    expect(world.calls[2]?.body).toBe(world.calls[0]?.body);
  });

  it('that is too old is refused, which is auth', async () => {
    const world = connected(demand);
    world.clock.now = NOW + 600_000;
    expect(await outcome(world)).toBe('auth');
  });

  it('does not contain the password', async () => {
    const world = connected(demand);
    await outcome(world);
    expect(world.calls[0]?.body).not.toMatch(/pa\$\$|w&#246;rd|wörd/);
  });
});
