import { card } from './card';
import type { ReceivedCredential } from './wallet-file';

const credential: ReceivedCredential = {
  id: '1',
  format: 'dc+sd-jwt',
  credential: 'eyJ.secret.jwt~',
  configurationId: 'membership',
  credentialIssuer: 'https://issuer.example/oid',
  title: 'Membership',
  type: 'https://issuer.example/membership',
  issuer: 'https://issuer.example/oid',
  claims: { given_name: 'Ada', address: { city: 'Bergen' }, levels: ['gold'], age: 36 },
  validFrom: '2026-11-20T10:00:00.000Z',
  expiresAt: null,
  keyId: 'thumbprint',
  receivedAt: '2026-11-20T10:00:00.000Z',
};

describe('the card of a credential', () => {
  it('shows type, issuer, validity and every claim, nested ones by their path', () => {
    const text = card(credential);
    for (const part of ['Membership', 'https://issuer.example/oid', 'until forever', 'our key thumbprint']) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/given_name +Ada/);
    expect(text).toMatch(/address\.city +Bergen/);
    expect(text).toMatch(/levels +\["gold"\]/);
    expect(text).toMatch(/age +36/);
  });

  it('says when anyone may use it', () => {
    expect(card({ ...credential, keyId: null })).toContain('anyone');
  });

  it('lets no claim repaint the terminal', () => {
    const text = card({ ...credential, claims: { name: '\u001b[2Jgone\u202e' }, title: 'a\rb' });
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });
});
