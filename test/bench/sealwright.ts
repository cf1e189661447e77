import { type Card, sdJwtCard } from './cards';
import { json } from './flow';
import type { Exchange, Sender } from './http-client';
import type { Issuer } from './issuing-flow';
import type { Verifier } from './verifying-flow';

/** The service's own requests of a portal and of a relying party; the bare floor answers the same ones. */
export interface Sealwright {
  readonly issuer: AuthorizingIssuer;
  readonly verifier: Verifier;
  /** A request with the portal's key. */
  manage(client: Sender, exchange: Exchange): Promise<string>;
}

/** An issuer whose offers can also be accepted by authorization code. */
export interface AuthorizingIssuer extends Issuer {
  /** Of the credential, for authorization requests. */
  readonly scope: string;
  /** As `offer`, for a person whom the portal knows and who agrees on a page. */
  offerByCode(client: Sender, claims: object): Promise<string>;
}

/** As the settings of the measured services say. Nothing listens there: the generator sends to the listener itself. */
export const publicUrl = 'https://issuer.example';

let offers = 0;

/**
 * Publishes the template whose credentials are issued.
 * @param apiKey of the portal
 * @param terms further members of the template
 * @param base path of the issuer: `/t/{id}` of a tenant
 */
export async function openSealwright(
  client: Sender,
  apiKey: string,
  terms: object = {},
  card: Card = sdJwtCard,
  base = '',
): Promise<Sealwright> {
  const manage = (by: Sender, exchange: Exchange) =>
    by.send({ ...exchange, path: base + exchange.path, bearer: apiKey });
  const created = await manage(client, {
    method: 'POST',
    path: '/v0/templates',
    ...json({ title: 'Student card', status: 'Published', ...card.terms, ...terms }),
  });
  const { templateId } = JSON.parse(created) as { templateId: string };
  const issuer: AuthorizingIssuer = {
    scope: templateId,
    card,
    async offerByCode(by, credentialSubject) {
      const offerId = `admission-${process.pid}-${offers++}`;
      const terms = { offerId, templateIds: [templateId], grants: ['authorization_code'], identification: 'portal' };
      await manage(by, { method: 'POST', path: '/v0/offers', ...json(terms) });
      const data = { offerId, templateId, credential: { credentialSubject } };
      const submitted = await manage(by, { method: 'POST', path: '/v0/credentials', ...json(data) });
      return (JSON.parse(submitted) as { credentialOffer: string }).credentialOffer;
    },
    identifier: `${publicUrl}${base}/openid4vci`,
    metadata: [
      `/.well-known/openid-credential-issuer${base}/openid4vci`,
      `/.well-known/oauth-authorization-server${base}/openid4vci`,
    ],
    async offer(by, credentialSubject) {
      const offerId = `enrolment-${process.pid}-${offers++}`;
      const data = { offerId, templateId, credential: { credentialSubject } };
      const submitted = await manage(by, { method: 'POST', path: '/v0/credentials', ...json(data) });
      const { credentialOffer } = JSON.parse(submitted) as { credentialOffer?: string };
      if (credentialOffer !== undefined) return credentialOffer;
      // Builds that are compared may be of a time when the link took a request of its own.
      const opened = await manage(by, { method: 'POST', path: '/v0/offers', ...json({ offerId }) });
      return (JSON.parse(opened) as { credentialOffer: string }).credentialOffer;
    },
    credentialRequest: (proof) => ({ credential_configuration_id: templateId, proofs: { jwt: [proof] } }),
  };
  const requests = '/v0/authorization_requests';
  const verifier: Verifier = {
    present: card.present,
    async ask(by) {
      const body = json({ dcql_query: { credentials: [card.query] } });
      const asked = await manage(by, { method: 'POST', path: requests, ...body });
      const { state, authorizationRequest } = JSON.parse(asked) as { state: string; authorizationRequest: string };
      return { id: state, link: authorizationRequest };
    },
    async isVerified(by, id) {
      const result = await manage(by, { method: 'GET', path: `${requests}/${id}` });
      return (JSON.parse(result) as { status: string }).status === 'verified' && result.includes('Ada');
    },
  };
  return { issuer, verifier, manage };
}
