import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { HttpClient } from './http-client';

/** HTTP requests of one flow. */
export const requestsPerFlow = 8;

// More wallets than the service keeps imported keys for: in life every wallet comes with a key of its own.
const wallets = 2_000;
const claims = {
  given_name: 'Ada',
  family_name: 'Lovelace',
  birthdate: '1815-12-10',
  nationality: 'GB',
  degree: { type: 'Bachelor', name: 'Mathematics', year: 1835 },
  matriculation: '0042-1815',
};

interface Holder {
  readonly key: KeyObject;
  /** The protected header of its proofs, encoded. */
  readonly header: string;
}

/** The issuing of one credential, from the portal handing in the data to the wallet holding the credential. */
export class IssuingFlow {
  private readonly holders = Array.from({ length: wallets }, newHolder);
  private started = 0;

  /** @param issuer the credential issuer identifier: the audience of key proofs */
  private constructor(
    private readonly issuer: string,
    private readonly templateId: string,
  ) {}

  /** Publishes the template whose credentials are issued. */
  static async prepare(client: HttpClient, url: string): Promise<IssuingFlow> {
    const created = await client.send({ method: 'POST', path: '/v0/templates', ...json(template) });
    const { templateId } = JSON.parse(created) as { templateId: string };
    return new IssuingFlow(`${url}/openid4vci`, templateId);
  }

  async run(client: HttpClient): Promise<void> {
    const count = this.started++;
    const offerId = `enrolment-${process.pid}-${count}`;
    const { templateId } = this;
    const data = { offerId, templateId, credential: { credentialSubject: claims } };
    await client.send({ method: 'POST', path: '/v0/credentials', ...json(data) });
    const opened = await client.send({ method: 'POST', path: '/v0/offers', ...json({ offerId }) });
    const { credentialOfferUri } = JSON.parse(opened) as { credentialOfferUri: string };

    const offer = await client.send({ method: 'GET', path: new URL(credentialOfferUri).pathname });
    await client.send({ method: 'GET', path: '/.well-known/openid-credential-issuer/openid4vci' });
    await client.send({ method: 'GET', path: '/.well-known/oauth-authorization-server/openid4vci' });

    const form = new URLSearchParams({ grant_type: preAuthorized, 'pre-authorized_code': codeOf(offer) });
    const granted = await client.send({
      method: 'POST',
      path: '/openid4vci/token',
      type: 'application/x-www-form-urlencoded',
      body: form.toString(),
    });
    const { access_token: bearer } = JSON.parse(granted) as { access_token: string };
    const fresh = await client.send({ method: 'POST', path: '/openid4vci/nonce' });
    const { c_nonce: nonce } = JSON.parse(fresh) as { c_nonce: string };
    const proof = this.proofOf(this.holders[count % wallets], nonce);
    const issued = await client.send({
      method: 'POST',
      path: '/openid4vci/credential',
      bearer,
      ...json({ credential_configuration_id: templateId, proofs: { jwt: [proof] } }),
    });
    if (!issued.startsWith('{"credentials":[{"credential":"ey')) throw new Error(`No credential came: ${issued}`);
  }

  private proofOf(holder: Holder | undefined, nonce: string): string {
    if (!holder) throw new Error('There is no such wallet.');
    const payload = { aud: this.issuer, iat: Math.floor(Date.now() / 1000), nonce };
    const input = `${holder.header}.${encode(payload)}`;
    const signature = sign('sha256', Buffer.from(input), { key: holder.key, dsaEncoding: 'ieee-p1363' });
    return `${input}.${signature.toString('base64url')}`;
  }
}

const preAuthorized = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const text = { type: 'string', maxLength: 200 };
const template = {
  title: 'Student card',
  format: 'dc+sd-jwt',
  vct: 'https://credentials.example/student',
  status: 'Published',
  schema: {
    type: 'object',
    required: ['given_name', 'family_name', 'birthdate'],
    properties: {
      given_name: text,
      family_name: text,
      birthdate: { type: 'string', format: 'date' },
      nationality: text,
      degree: { type: 'object', properties: { type: text, name: text, year: { type: 'integer' } } },
      matriculation: text,
    },
  },
};

function codeOf(offer: string): string {
  const { grants } = JSON.parse(offer) as { grants: Record<string, { 'pre-authorized_code': string } | undefined> };
  return grants[preAuthorized]?.['pre-authorized_code'] ?? '';
}

function newHolder(): Holder {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const header = { typ: 'openid4vci-proof+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) };
  return { key: privateKey, header: encode(header) };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function json(body: object) {
  return { type: 'application/json', body: JSON.stringify(body) } as const;
}
