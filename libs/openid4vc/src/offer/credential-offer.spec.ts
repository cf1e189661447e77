import { Openid4vciClient } from '@openid4vc/openid4vci';
import {
  type CredentialOffer,
  credentialOfferLink,
  credentialOfferLinkByValue,
  renderCredentialOffer,
} from './credential-offer';
import recorded from '../recorded/credential-offers.json';

const offer: CredentialOffer = {
  issuer: 'https://credential-issuer.example.com',
  configurationIds: ['UniversityDegreeCredential', 'org.iso.18013.5.1.mDL'],
  grants: {
    preAuthorizedCode: {
      preAuthorizedCode: 'oaKazRN8I0IbtZ0C7JuMn5',
      transactionCode: {
        inputMode: 'numeric',
        length: 4,
        description: 'Please provide the one-time code that was sent via e-mail',
      },
    },
  },
};
const examples = recorded.offers.filter(({ source }) => source.includes('credential_offer_multiple'));

describe('a credential offer', () => {
  it.each(examples)('is the one of $source', ({ body }) => {
    expect(renderCredentialOffer(offer)).toEqual(body);
  });

  it('asks for no transaction code when none is required', () => {
    const plain = { ...offer, grants: { preAuthorizedCode: { preAuthorizedCode: 'oaKazRN8I0IbtZ0C7JuMn5' } } };
    expect(renderCredentialOffer(plain)).toMatchObject({
      grants: {
        'urn:ietf:params:oauth:grant-type:pre-authorized_code': { 'pre-authorized_code': 'oaKazRN8I0IbtZ0C7JuMn5' },
      },
    });
    expect(JSON.stringify(renderCredentialOffer(plain))).not.toContain('tx_code');
  });

  it('has an authorization code, alone or beside the pre-authorized one', () => {
    const authorizationCode = { issuerState: 'eyJhbGciOiJSU0Et' };
    expect(renderCredentialOffer({ ...offer, grants: { authorizationCode } })['grants']).toEqual({
      authorization_code: { issuer_state: 'eyJhbGciOiJSU0Et' },
    });
    const both = renderCredentialOffer({ ...offer, grants: { ...offer.grants, authorizationCode } });
    expect(Object.keys(both['grants'] as object)).toEqual([
      'authorization_code',
      'urn:ietf:params:oauth:grant-type:pre-authorized_code',
    ]);
  });

  it('names every configuration once', () => {
    const twice = { ...offer, configurationIds: ['a', 'b', 'a'] };
    expect(renderCredentialOffer(twice)['credential_configuration_ids']).toEqual(['a', 'b']);
  });

  it('reaches a wallet by reference and by value', async () => {
    const asked: string[] = [];
    const client = new Openid4vciClient({
      callbacks: {
        fetch: (url: unknown) => {
          asked.push(String(url));
          return Promise.resolve(Response.json(renderCredentialOffer(offer)));
        },
      } as never,
    });
    const uri = 'https://issuer.example.com/openid4vci/offers/a-b_c';
    await expect(client.resolveCredentialOffer(credentialOfferLink(uri))).resolves.toEqual(
      renderCredentialOffer(offer),
    );
    expect(asked).toEqual([uri]);
    expect(credentialOfferLink('https://a/b?c')).toBe(
      'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fa%2Fb%3Fc',
    );
    await expect(client.resolveCredentialOffer(credentialOfferLinkByValue(offer))).resolves.toEqual(
      renderCredentialOffer(offer),
    );
  });

  it('stays one parameter whatever its texts hold', () => {
    const odd = { ...offer, transactionCode: { inputMode: 'text' as const, description: 'a&b=c #d + é' } };
    const link = new URL(credentialOfferLinkByValue(odd));
    expect([...link.searchParams.keys()]).toEqual(['credential_offer']);
    expect(JSON.parse(link.searchParams.get('credential_offer') ?? '')).toEqual(renderCredentialOffer(odd));
  });
});
