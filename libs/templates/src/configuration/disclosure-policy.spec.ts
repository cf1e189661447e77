import { faultsOfPolicy } from './disclosure-policy';

const parties = { policy_type: 'authorized_rp_only', authorized_parties: [{ identifier: 'VATDE-1' }] };
const roots = { policy_type: 'specific_root_of_trust', trusted_roots: [{ issuer_dn: 'CN=CA', serial_number: '1' }] };

describe('a disclosure policy', () => {
  it.each([
    ['none', undefined],
    ['of nobody', { policy_type: 'no_policy', description: 'Everybody may ask.' }],
    ['of named parties', { ...parties, policy_info_url: 'https://issuer.example/policy' }],
    ['of roots', roots],
    ['by a name that wallets know, with data', { policy_uri: 'urn:eu:policy:1', policy_data: { anything: [1] } }],
    ['of named parties in its data', { policy_uri: 'https://policy.example/1', policy_data: parties }],
  ])('is accepted: %s', (_, disclosurePolicy) => {
    expect(faultsOfPolicy(disclosurePolicy, ['urn:a'])).toEqual([]);
  });

  it.each<[string, unknown, string, string]>([
    ['no object', ['urn:a'], '', 'JSON object'],
    ['too long', { policy_uri: 'urn:a', more: 'é'.repeat(4096) }, '', 'at most 8192 bytes'],
    ['without a name', { authorized_parties: [{ identifier: 'a' }] }, '', 'policy_uri, or by policy_type'],
    ['with a name that is no URI', { policy_uri: 'policy' }, '/policy_uri', 'absolute URI'],
    ['of another kind', { policy_type: 'some' }, '/policy_type', 'no_policy, authorized_rp_only'],
    ['of parties without any', { policy_type: 'authorized_rp_only' }, '', 'must have authorized_parties'],
    ['of no parties', { ...parties, authorized_parties: [] }, '/authorized_parties', 'one or more'],
    ['of a party without identifier', { ...parties, authorized_parties: [{}] }, '/authorized_parties/0', 'identifier'],
    ['of a root by half', { ...roots, trusted_roots: [{ issuer_dn: 'CN=CA' }] }, '/trusted_roots/0', 'serial_number'],
    ['with a text that is none', { ...parties, description: 1 }, '/description', 'a text'],
    [
      'that is wrong in its data',
      { policy_uri: 'urn:a', policy_data: { trusted_roots: 1 } },
      '/policy_data/trusted_roots',
      'list',
    ],
  ])('is refused %s', (_, disclosurePolicy, pointer, words) => {
    const faults = faultsOfPolicy(disclosurePolicy);
    expect(faults).toEqual([
      { pointer: `/disclosurePolicy${pointer}`, message: expect.stringContaining(words) as string },
    ]);
  });

  it.each(['urn:eudi:pid:1', 'urn:eudi:pid:de:1', 'eu.europa.ec.eudi.pid.1'])('is refused for a PID: %s', (type) => {
    expect(faultsOfPolicy(parties, [type])).toEqual([
      { pointer: '/disclosurePolicy', message: 'is not for a PID, which has none' },
    ]);
  });
});
