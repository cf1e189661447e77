import { identifiersOf } from './credential-identifiers';

describe('the identifiers of a configuration', () => {
  const detail = { type: 'openid_credential', credential_configuration_id: 'a', credential_identifiers: ['a1', 'a2'] };

  it.each([
    ['all that are named', [detail], ['a1', 'a2']],
    ['those of all details', [detail, { ...detail, credential_identifiers: ['a3'] }], ['a1', 'a2', 'a3']],
    ['none of another configuration', [{ ...detail, credential_configuration_id: 'b' }], []],
    ['none of another type', [{ ...detail, type: 'payment' }], []],
    ['none where there are none', [{ ...detail, credential_identifiers: undefined }], []],
    ['none that are no texts', [{ ...detail, credential_identifiers: [1, null, 'a1'] }], ['a1']],
    ['none without details', [], []],
  ])('are %s', (_what, given, expected) => {
    expect(identifiersOf('a', given)).toEqual(expected);
  });
});
