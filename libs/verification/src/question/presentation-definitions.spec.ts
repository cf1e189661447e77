import { parseDcqlQuery } from '@app/openid4vc';
import { PresentationDefinitions } from './presentation-definitions';
import type { RequestSecrets } from '../request/request-secrets';

const secrets = {
  wireStateOf: ({ handleSalt }: { readonly handleSalt: string }, variant: string) => `${handleSalt}-${variant}`,
} as RequestSecrets;
const definitions = new PresentationDefinitions(secrets);
const credential = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:pid'] } };
const request = { handleSalt: 'salt', query: parseDcqlQuery({ credentials: [credential] }) };

describe('the presentation definition of a request', () => {
  it('has the state of its variant as id, and is derived once', () => {
    const first = definitions.of(request, 'draft-20');
    expect(first.definition.id).toBe('salt-draft-20');
    expect(definitions.of(request, 'draft-20')).toBe(first);
    expect(definitions.of({ ...request, handleSalt: 'other' }, 'draft-20').definition.id).toBe('other-draft-20');
  });

  it('is missing with the reason where a query cannot be asked', () => {
    const unasked = {
      ...request,
      query: parseDcqlQuery({ credentials: [{ ...credential, claims: [{ path: ['a', null] }] }] }),
    };
    expect(definitions.whyUnavailable(unasked, 'draft-20')).toContain('every element of an array');
    expect(() => definitions.of(unasked, 'draft-20')).toThrow('unavailable');
    expect(definitions.whyUnavailable(request, 'draft-20')).toBeUndefined();
  });
});
