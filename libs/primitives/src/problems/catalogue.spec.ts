import { catalogue } from './catalogue';

/** The errors that the specification of the management API names, with the addresses and statuses we gave them. */
const named = [
  ['Invalid Credential Type', 'invalid-credential-type', 400],
  ['No Credential Configuration Found', 'no-credential-configuration-found', 404],
  ['Unsupported Credential Format', 'unsupported-credential-format', 500],
  ['Invalid Credential Payload', 'invalid-credential-payload', 400],
  ['Invalid Identifier Error', 'invalid-identifier', 400],
  ['Invalid Expiration Date', 'invalid-expiration-date', 400],
  ['Missing Credential Offer', 'missing-credential-offer', 404],
  ['Send Credential Offer Error', 'send-credential-offer-error', 502],
  ['Update Provisioned Credential Configuration Error', 'update-provisioned-credential-configuration', 400],
  ['Remove Provisioned Credential Configuration Error', 'remove-provisioned-credential-configuration', 400],
  ['Unsupported Credential Format Identifier Error', 'unsupported-credential-format-identifier', 400],
  ['Missing Template ID', 'missing-template-id', 400],
  ['Missing Template IDs', 'missing-template-ids', 400],
  ['Template Not Found', 'template-not-found', 404],
  ['Template Not Published', 'template-not-published', 409],
  ['Invalid Signed Credential Format', 'invalid-signed-credential-format', 400],
  ['Signed Credential Format Mismatch', 'signed-credential-format-mismatch', 422],
  ['Unsupported Credential Configuration Format', 'unsupported-credential-configuration-format', 500],
  ['Expiration Exceeds Template Limit', 'expiration-exceeds-template-limit', 422],
  ['Invalid Template Schema', 'invalid-template-schema', 400],
  ['Credential Schema Validation Failed', 'credential-schema-validation-failed', 422],
  ['Template Not Eligible For Public Offer', 'template-not-eligible-for-public-offer', 422],
] as const;

describe('the catalogue of errors', () => {
  it.each(named)('has %s as %s with %d', (title, slug, status) => {
    expect(catalogue[slug]).toMatchObject({ title, status });
  });

  it('gives every error a title of its own and a remedy', () => {
    const entries = Object.values(catalogue);
    expect(new Set(entries.map(({ title }) => title)).size).toBe(entries.length);
    for (const { remedy } of entries) expect(remedy).toMatch(/\w.*\.$/);
  });
});
