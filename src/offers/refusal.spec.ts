import { describe, expect, it } from '@jest/globals';
import { type Fault, type Refusal, SupplierError } from '../model/supplier.js';
import { faultProblem, refusalProblem } from './refusal.js';

const supplier = { id: 'uno', name: 'Uno Cars' };

describe('a refusal (ruling 24)', () => {
  it.each<[Refusal, string]>([
    ['price_changed', 'invalid_range'],
    ['sold_out', 'no_results'],
    ['rate_expired', 'resource_failure'],
    ['not_found', 'resource_failure'],
    ['card_declined', 'invalid_request'],
    ['not_changeable', 'invalid_request'],
    ['unsupported_by_supplier', 'invalid_request'],
    ['location_closed', 'invalid_request'],
    ['invalid_location', 'invalid_request'],
    ['invalid_rate', 'invalid_request'],
    ['invalid_discount', 'invalid_request'],
    ['not_eligible', 'invalid_request'],
    ['extra_not_available', 'invalid_request'],
  ])('%s → %s with cause and supplier', (refusal, reason) => {
    expect(refusalProblem(refusal, supplier, 'extras')).toEqual({
      reason,
      supplier: 'uno',
      cause: refusal,
      field: 'extras',
      details: expect.stringMatching(/^Uno Cars .+\.$/),
    });
  });

  it('has no field if none caused it', () => {
    expect(refusalProblem('sold_out', supplier)).not.toHaveProperty('field');
  });
});

describe('faultProblem', () => {
  it('a clear refusal is reported as such', () => {
    const error = new SupplierError('rejected', 'NO CAR', true, { refusal: 'sold_out' });
    expect(faultProblem(error, supplier)).toMatchObject({ reason: 'no_results', cause: 'sold_out' });
  });

  it.each<[Fault, string]>([
    ['timeout', 'timeout'],
    ['unavailable', 'unavailable'],
    ['throttled', 'throttled'],
    ['rejected', 'rejected'],
    ['bad_payload', 'bad_payload'],
    ['auth', 'rejected'],
    ['cancelled', 'unavailable'],
  ])('%s without a reason → supplier_failure with cause %s; the supplier’s own text is not exposed', (fault, cause) => {
    const problem = faultProblem(new SupplierError(fault, 'ORA-0001 at 10.0.0.1'), supplier, 'extras');
    expect(problem).toMatchObject({ reason: 'supplier_failure', supplier: 'uno', cause });
    expect(JSON.stringify(problem)).not.toContain('ORA-');
  });
});
