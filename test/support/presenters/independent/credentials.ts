import { createHash, randomBytes } from 'node:crypto';
import { SDJwtInstance } from '@sd-jwt/core';
import { decodeJwt } from 'jose';
import type { IndependentHolder } from '../../wallets/independent/holder';

/** A credential as an issuer handed it out, with the holder it is bound to. */
export interface HeldCredential {
  readonly credential: string;
  readonly holder: IndependentHolder;
}

/** The verifier of a presentation. */
export interface PresentationAudience {
  readonly clientId: string;
  readonly nonce: string;
}

/** The response of the verifier. */
export interface PresenterOutcome {
  readonly status: number;
  readonly body: unknown;
}

export function isSdJwt({ credential }: HeldCredential): boolean {
  return credential.includes('~');
}

/** `vct`, or the most specific type of a W3C credential. */
export function typeOf({ credential }: HeldCredential): string {
  const { vct, vc } = decodeJwt(credential.split('~')[0] ?? '');
  return typeof vct === 'string' ? vct : String((vc as { type: string[] }).type.at(-1));
}

/** The DID a W3C credential is bound to, as a DID URL for did:jwk holders. */
export function holderUrl({ credential }: HeldCredential): string {
  return `${String(decodeJwt(credential).sub)}#0`;
}

/** Presents an SD-JWT by the public SD-JWT library: the named claims only, with key binding. */
export async function presentSdJwt(
  { credential, holder }: HeldCredential,
  claims: readonly (readonly string[])[],
  { clientId, nonce }: PresentationAudience,
): Promise<string> {
  const library = new SDJwtInstance({
    hashAlg: 'sha-256',
    hasher: (data) =>
      createHash('sha256')
        .update(Buffer.from(data as string))
        .digest(),
    saltGenerator: (length) => randomBytes(length).toString('base64url'),
    kbSignAlg: holder.alg,
    kbSigner: (input) => signatureOver(input, holder),
  });
  const payload = { iat: Math.floor(Date.now() / 1000), aud: clientId, nonce };
  return library.present(credential, frameOf(claims), { kb: { payload } });
}

/** Presents a W3C credential in a JWT VP signed by the DID it is bound to. */
export function presentJwtVc(held: HeldCredential, { clientId, nonce }: PresentationAudience): string {
  const kid = holderUrl(held);
  const did = kid.split('#')[0] ?? '';
  const now = Math.floor(Date.now() / 1000);
  const vp = {
    '@context': ['https://www.w3.org/2018/credentials/v1'],
    type: ['VerifiablePresentation'],
    verifiableCredential: [held.credential],
  };
  const payload = { iss: did, aud: clientId, nonce, nbf: now, iat: now, exp: now + 120, vp };
  return held.holder.sign({ typ: 'JWT', kid }, payload);
}

/** The library wants the signature alone of `<header>.<payload>`. */
function signatureOver(input: string, holder: IndependentHolder): string {
  const [header = '', payload = ''] = input.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return holder.sign(JSON.parse(header) as object, JSON.parse(payload) as object).split('.')[2] ?? '';
}

type Frame = { [name: string]: true | Frame };

function frameOf(claims: readonly (readonly string[])[]): Frame {
  const frame: Frame = {};
  for (const path of claims) {
    let at = frame;
    path.forEach((name, index) => {
      const known = at[name];
      const next = typeof known === 'object' ? known : {};
      at[name] = index === path.length - 1 ? true : next;
      at = next;
    });
  }
  return frame;
}
