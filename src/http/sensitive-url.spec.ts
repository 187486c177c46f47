import { describe, expect, it } from '@jest/globals';
import { sensitiveParameters } from './sensitive-url.js';

describe('sensitiveParameters', () => {
  it.each([
    'access_token=abc',
    'client_id=abc',
    'client-secret=abc',
    'Client_Secret=abc',
    'last_name=Doe',
    'surname=Doe',
    'date_of_birth=1990-01-01',
    'email=a@b.example',
    'driver_licence=1&licence=1',
    'membership_code=1',
    'loyalty_number=1',
    'credit_card_number=1',
    'cvv=1',
    'keyword=4111111111111111',
    'keyword=4111-1111-1111-1111',
    'keyword=4111%201111%201111%201111',
    'keyword=x4111111111111111x',
    '4111111111111111=1',
    'keyword=ada.doe@mail.example',
    'keyword=hotel+of+Doe+Doe%40mail.example+please',
    'keyword=Doe%2540mail.example',
    'keyword=Doe\uff20mail.example',
    'keyword=%3CDoe@b\u00fccher.example%3E',
    'Doe@mail.example=1',
    'Doe@mail.example',
  ])('rejects %s without repeating the value', (query) => {
    const problems = sensitiveParameters(query);
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) {
      expect(problem.reason).toBe('invalid_request');
      expect(JSON.stringify(problem)).not.toMatch(/4111|Doe|a@b|mail\./);
    }
  });

  it.each([
    'keyword=boston',
    'keyword=Hertz+@+BOS.+Terminal',
    'keyword=@home.example',
    'keyword=me@home',
    'keyword=4111111111111112',
    'latitude=42.123456789012',
    'latitude=36.227206271667',
    'brand=Avis&age=35',
    'pickup_date=2027-05-01T10:00:00',
    '',
  ])('accepts %s', (query) => {
    expect(sensitiveParameters(query)).toEqual([]);
  });
});
