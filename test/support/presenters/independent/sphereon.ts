import { createHash } from 'node:crypto';
import { OP, PresentationExchange, SupportedVersion, VPTokenLocation } from '@sphereon/did-auth-siop';
import { CompactEncrypt, compactVerify, importJWK, type JWK } from 'jose';
import {
  holderUrl,
  isSdJwt,
  type HeldCredential,
  type PresentationAudience,
  type PresenterOutcome,
} from './credentials';
import type { IndependentHolder } from '../../wallets/independent/holder';

const hasher = (data: string | ArrayBuffer): Uint8Array =>
  new Uint8Array(
    createHash('sha256')
      .update(typeof data === 'string' ? data : Buffer.from(data))
      .digest(),
  );

/**
 * Answers a draft 18 to 20 request link as Sphereon's SIOPv2 and OpenID4VP library does: its own Presentation Exchange
 * selects, discloses and writes the submission; an ID token goes along when the request wants one. The verifier signs
 * with a did:jwk (development) key, the holder has a did:jwk.
 */
export async function presentWithSphereon(
  link: string,
  credentials: readonly HeldCredential[],
  holder: IndependentHolder,
): Promise<PresenterOutcome> {
  const op = OP.builder()
    .withSupportedVersions([SupportedVersion.SIOPv2_D12_OID4VP_D18, SupportedVersion.SIOPv2_D12_OID4VP_D20])
    .withHasher(hasher)
    .withCreateJwtCallback((_issuer, { header, payload }) => Promise.resolve(holder.sign(header, payload)))
    .withVerifyJwtCallback(async (verifier, { raw }) => {
      if (verifier.method !== 'did') throw new Error(`The request is signed by ${verifier.method}.`);
      await compactVerify(raw, await importJWK(didJwkOf(verifier.didUrl), verifier.alg));
      return true;
    })
    .build();
  const request = await op.verifyAuthorizationRequest(link);
  const audience = {
    clientId: String(request.authorizationRequest.getMergedProperty('client_id')),
    nonce: String(request.authorizationRequest.getMergedProperty('nonce')),
  };
  const definition = request.presentationDefinitions?.[0]?.definition;
  const exchange = definition && (await presentationOf(definition, credentials, audience));
  const response = await op.createAuthorizationResponse(request, {
    issuer: holder.kid?.split('#')[0] ?? '',
    jwtIssuer: { method: 'did', didUrl: holder.kid ?? '', alg: holder.alg },
    ...(exchange ? { presentationExchange: exchange } : {}),
  });
  const answer = await op.submitAuthorizationResponse(
    response,
    async ({ authorizationResponsePayload, clientMetadata }) => {
      const key = clientMetadata.jwks?.keys.find(({ use }) => use === 'enc');
      const jwe = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(authorizationResponsePayload)))
        .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key?.kid ?? '' })
        .encrypt(await importJWK(key as JWK, 'ECDH-ES'));
      return { response: jwe };
    },
  );
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

type Definition = Parameters<PresentationExchange['createVerifiablePresentation']>[0];

/** The library puts all selected credentials of one format into one presentation. */
async function presentationOf(
  definition: Definition,
  credentials: readonly HeldCredential[],
  audience: PresentationAudience,
) {
  const exchange = new PresentationExchange({
    allVerifiableCredentials: credentials.map(({ credential }) => credential),
    hasher,
  });
  const { verifiableCredential: selected = [], errors = [] } =
    await exchange.selectVerifiableCredentialsForSubmission(definition);
  if (selected.length === 0) throw new Error(`Nothing selected: ${JSON.stringify(errors)}`);
  const { verifiablePresentation, presentationSubmission } = await exchange.createVerifiablePresentation(
    definition,
    selected,
    async ({ presentation, selectedCredentials: [first] }) => {
      const held = credentials.find(
        ({ credential }) => typeof first === 'string' && credential.split('~')[0] === first.split('~')[0],
      );
      if (!held) throw new Error('The library selected a credential that is not held.');
      return sign(presentation, held, audience);
    },
    { proofOptions: { nonce: audience.nonce, domain: audience.clientId } },
  );
  return {
    verifiablePresentations: [verifiablePresentation],
    vpTokenLocation: VPTokenLocation.AUTHORIZATION_RESPONSE,
    presentationSubmission,
  };
}

type Unsigned = { compactSdJwtVc: string } | object;

async function sign(
  presentation: Unsigned,
  held: HeldCredential,
  { clientId, nonce }: PresentationAudience,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  if ('compactSdJwtVc' in presentation) {
    const { compactSdJwtVc: sdJwt } = presentation;
    // The library prepares the hash under the name it had in early drafts.
    const sdHash = Buffer.from(hasher(sdJwt)).toString('base64url');
    const payload = { iat: now, aud: clientId, nonce, sd_hash: sdHash };
    return `${sdJwt}${held.holder.sign({ typ: 'kb+jwt' }, payload)}`;
  }
  if (isSdJwt(held)) throw new Error('The library did not recognise an SD-JWT.');
  const kid = holderUrl(held);
  const payload = { iss: kid.split('#')[0], aud: clientId, nonce, iat: now, exp: now + 120, vp: presentation };
  return Promise.resolve(held.holder.sign({ typ: 'JWT', kid }, payload));
}

function didJwkOf(didUrl: string): JWK {
  const encoded = /^did:jwk:([\w-]+)#0$/.exec(didUrl)?.[1];
  if (encoded === undefined) throw new Error(`This presenter resolves did:jwk only, not ${didUrl}.`);
  return JSON.parse(Buffer.from(encoded, 'base64url').toString()) as JWK;
}
