import { faultsOfVerifierInfo } from './verifier-info';

describe('verifier_info', () => {
  it('is taken as JWT or as an object, for all credentials or for some', () => {
    const entries = [
      { format: 'registration_cert', data: 'eyJ.e30.c2ln' },
      { format: 'jwt', data: { any: [1] }, credential_ids: ['pid'] },
    ];
    expect(faultsOfVerifierInfo(entries)).toEqual([]);
  });

  it.each([
    ['no array', {}, ''],
    ['nothing', [], ''],
    ['too many entries', Array.from({ length: 21 }, () => ({ format: 'jwt', data: 'x' })), ''],
    ['too long', [{ format: 'jwt', data: 'x'.repeat(70_000) }], ''],
    ['an entry that is no object', ['x'], '/0'],
    ['no format', [{ data: 'x' }], '/0/format'],
    ['no data', [{ format: 'jwt' }], '/0/data'],
    ['data that is a list', [{ format: 'jwt', data: ['x'] }], '/0/data'],
    ['credential_ids that are empty', [{ format: 'jwt', data: 'x', credential_ids: [] }], '/0/credential_ids'],
    ['a member with another name', [{ format: 'jwt', data: 'x', credentialIds: ['pid'] }], '/0/credentialIds'],
  ])('is refused with %s', (_, value, pointer) => {
    expect(faultsOfVerifierInfo(value)).toEqual([expect.objectContaining({ pointer })]);
  });
});
