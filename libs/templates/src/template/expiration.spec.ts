import { type Expiration, expirationLimit, expirationText, parseExpiration } from './expiration';

describe('the expiration of a template', () => {
  it.each<[string, Expiration]>([
    ['never', 'never'],
    ['P90D', { after: 'P90D' }],
    ['P1Y6M', { after: 'P1Y6M' }],
    ['P1000Y', { after: 'P1000Y' }],
    ['2030-02-28T12:00:00Z', { at: '2030-02-28T12:00:00.000Z' }],
    ['2028-02-29T23:30:00-05:00', { at: '2028-03-01T04:30:00.000Z' }],
    ['9999-12-31T23:59:59Z', { at: '9999-12-31T23:59:59.000Z' }],
  ])('%s is read, and written as it is kept', (text, expiration) => {
    expect(parseExpiration(text)).toEqual(expiration);
    const written = typeof expiration === 'object' && 'at' in expiration ? expiration.at : text;
    expect(expirationText(expiration)).toBe(written);
  });

  it.each([
    'Never',
    '',
    'P0D',
    '-P1D',
    'P1M-29D',
    'P1000Y1D',
    'P9999999Y',
    '90 days',
    '2030-02-29T12:00:00Z',
    '2030-02-28T24:00:00Z',
    '2030-02-28',
    '9999-12-31T23:59:59-00:01',
    '0000-01-01T00:00:00Z',
    90,
    null,
    undefined,
  ])('%p is none', (text) => {
    expect(parseExpiration(text)).toBeUndefined();
  });

  it.each([
    ['P1Y', '2028-02-29T12:00:00Z', '2029-02-28T12:00:00.000Z'],
    ['P1M', '2027-01-31T12:00:00Z', '2027-02-28T12:00:00.000Z'],
    ['PT1S', '2027-12-31T23:59:59.500Z', '2028-01-01T00:00:00.500Z'],
    ['2030-01-01T00:00:00+02:00', '2027-01-01T00:00:00Z', '2029-12-31T22:00:00.000Z'],
  ])('%s from %s on is %s', (text, from, limit) => {
    expect(expirationLimit(parseExpiration(text) ?? 'never', new Date(from))?.toISOString()).toBe(limit);
  });

  it('without end has no limit', () => {
    expect(expirationLimit('never', new Date())).toBeUndefined();
  });
});
