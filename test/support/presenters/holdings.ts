import { type Received } from './presenter';
import { membershipVct, presentJwtVc, presentSdJwt } from './credentials';
import { type Holder, newHolder } from '../wallets/key-proofs';
import type { Json } from '../http/requests';
import { prepareOffer, publishedTemplate } from '../portal/portal';
import { receive } from '../wallets/wallet';

/** Queries that the two credentials of `receiveHoldings` answer. */
export const idCard = { id: 'id_card', format: 'dc+sd-jwt', meta: { vct_values: [membershipVct] } };
export const degree = { id: 'degree', format: 'jwt_vc_json', meta: { type_values: [['VerifiableCredential']] } };

/** What a person holds: one credential of each format, issued by the service itself. */
export interface Holdings {
  readonly holder: Holder;
  readonly sdJwt: string;
  readonly jwtVc: string;
}

/** Lets the service issue both credentials with the same claims. @param issuerIdentifier of both, or the usual */
export async function receiveHoldings(url: string, claims: Json, issuerIdentifier?: string): Promise<Holdings> {
  const holder = newHolder('ES256', 'did:jwk');
  const template = await publishedTemplate(url, { vct: membershipVct, issuerIdentifier });
  const w3c = { format: 'jwt_vc_json', vct: undefined, issuerIdentifier };
  const received = [];
  for (const configuration of [template, await publishedTemplate(url, w3c)]) {
    const offer = await prepareOffer(url, [configuration], {}, { credential: { credentialSubject: claims } });
    received.push(...(await receive(offer.link, 'F', { holders: [holder] })));
  }
  const [sdJwt = '', jwtVc = ''] = received;
  return { holder, sdJwt, jwtVc };
}

/** Valid answers to the queries `idCard` and `degree` of a request. */
export function tokensFor(
  { holder, sdJwt, jwtVc }: Holdings,
  received: Received,
  ids: readonly string[],
): Record<string, string> {
  const present: Record<string, () => string> = {
    id_card: () => presentSdJwt(sdJwt, holder, received),
    degree: () => presentJwtVc([jwtVc], holder, received),
  };
  return Object.fromEntries(ids.map((id) => [id, present[id]?.() ?? '']));
}
