import { closestOf, meant } from './closest-name';

describe('the name that was meant', () => {
  it.each<[string, readonly string[], string | undefined]>([
    ['credentialSets', ['credentials', 'credential_sets'], 'credential_sets'],
    ['claim', ['claims', 'claim_sets'], 'claims'],
    [
      'require_holder_binding',
      ['multiple', 'require_cryptographic_holder_binding'],
      'require_cryptographic_holder_binding',
    ],
    ['holderBinding', ['multiple', 'require_cryptographic_holder_binding'], 'require_cryptographic_holder_binding'],
    ['colour', ['claims', 'claim_sets'], undefined],
    ['x'.repeat(65), ['x'.repeat(65)], undefined],
  ])('%s', (name, known, expected) => {
    expect(closestOf(name, known)).toBe(expected);
  });

  it.each<[string, readonly string[], string | undefined]>([
    ['unsuspend', ['suspend', 'reinstate', 'revoke'], 'reinstate'],
    ['unrevoke', ['suspend', 'reinstate', 'revoke'], 'reinstate'],
    ['unpublish', ['publish', 'archive', 'duplicate'], 'archive'],
    ['unarchive', ['publish', 'archive', 'duplicate'], 'publish'],
    ['irrevocable', ['revocable'], undefined],
    ['public', ['nonpublic'], undefined],
    ['constructor', ['suspend'], undefined],
  ])('is never the opposite: %s', (name, known, expected) => {
    expect(closestOf(name, known)).toBe(expected);
  });

  it('is a question behind a message, or nothing', () => {
    expect([
      meant('credential.isued', ['credential.issued']),
      meant('x', ['credential.issued']),
      meant(5, ['5']),
    ]).toEqual(['. Did you mean credential.issued?', '', '']);
  });
});
