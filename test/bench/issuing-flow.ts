import { type Holder, keyProof, newHolder } from '../support/wallets/key-proofs';
import { type Flow, form, json } from './flow';
import type { Sender } from './http-client';

// More wallets than the service keeps imported keys for: in life every wallet comes with a key of its own.
const wallets = 1_200;
export const claims = {
  given_name: 'Ada',
  family_name: 'Lovelace',
  birthdate: '1815-12-10',
  nationality: 'GB',
  degree: { type: 'Bachelor', name: 'Mathematics', year: 1835 },
  matriculation: '0042-1815',
};
export const studentCardType = 'https://credentials.example/student';

/** The issuing of one credential, from the portal submitting the data to the wallet holding the credential. */
export class IssuingFlow implements Flow {
  readonly name = 'Issuing flow';
  readonly requests = 8;
  readonly holders: readonly Holder[] = Array.from({ length: wallets }, () => newHolder());
  /** Over all flows of this process, so that no offer has the name of another one. */
  private static started = 0;

  /** @param issuer the credential issuer identifier: the audience of key proofs */
  private constructor(
    private readonly issuer: string,
    private readonly templateId: string,
  ) {}

  /** Publishes the template whose credentials are issued. */
  static async prepare(client: Sender, url: string): Promise<IssuingFlow> {
    const created = await client.send({ method: 'POST', path: '/v0/templates', ...json(studentCard) });
    const { templateId } = JSON.parse(created) as { templateId: string };
    return new IssuingFlow(`${url}/openid4vci`, templateId);
  }

  async run(client: Sender): Promise<void> {
    const holder = this.holders[IssuingFlow.started % wallets];
    if (!holder) throw new Error('There is no such wallet.');
    await this.issue(client, holder);
  }

  /** @returns an SD-JWT VC bound to the key of the holder */
  async issue(client: Sender, holder: Holder): Promise<string> {
    const offerId = `enrolment-${process.pid}-${IssuingFlow.started++}`;
    const { templateId } = this;
    const data = { offerId, templateId, credential: { credentialSubject: claims } };
    await client.send({ method: 'POST', path: '/v0/credentials', ...json(data) });
    const opened = await client.send({ method: 'POST', path: '/v0/offers', ...json({ offerId }) });
    const { credentialOfferUri } = JSON.parse(opened) as { credentialOfferUri: string };

    const offer = await client.send({ method: 'GET', path: new URL(credentialOfferUri).pathname });
    await client.send({ method: 'GET', path: '/.well-known/openid-credential-issuer/openid4vci' });
    await client.send({ method: 'GET', path: '/.well-known/oauth-authorization-server/openid4vci' });

    const grant = form({ grant_type: preAuthorized, 'pre-authorized_code': codeOf(offer) });
    const granted = await client.send({ method: 'POST', path: '/openid4vci/token', ...grant });
    const { access_token: bearer } = JSON.parse(granted) as { access_token: string };
    const fresh = await client.send({ method: 'POST', path: '/openid4vci/nonce' });
    const { c_nonce: nonce } = JSON.parse(fresh) as { c_nonce: string };
    const proofs = { jwt: [keyProof(holder, this.issuer, nonce)] };
    const issued = await client.send({
      method: 'POST',
      path: '/openid4vci/credential',
      bearer,
      ...json({ credential_configuration_id: templateId, proofs }),
    });
    if (!issued.startsWith('{"credentials":[{"credential":"ey')) throw new Error(`No credential came: ${issued}`);
    const { credentials } = JSON.parse(issued) as { credentials: [{ credential: string }] };
    return credentials[0].credential;
  }
}

const preAuthorized = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const text = { type: 'string', maxLength: 200 };
export const studentCard = {
  title: 'Student card',
  format: 'dc+sd-jwt',
  vct: studentCardType,
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
