import { anchorFor, type MdocChanges, mdocPresentation, root, signerOf, tdate } from '@app/credentials/fixtures/mdoc';
import { encodeCbor } from '@app/primitives/cbor';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../http/requests';
import type { DigitalRequest } from './digital-credential';
import type { Received } from './presenter';

/** Puts the authority of the documents that are presented into a directory of anchors. */
export function writeDocumentAnchor(directory: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'utopia.pem'), anchorFor(root).certificate.toString());
  writeFileSync(join(directory, 'utopia.yaml'), 'purposes: [document]\n');
}

const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000);
const day = (days: number) => tdate(inDays(days).toISOString());
const signer = signerOf({ notBefore: inDays(-30), notAfter: inDays(30) });

/** A document of now, signed by its holder for this request. */
export function presentMdoc(received: Received | DigitalRequest, changes: MdocChanges = {}): string {
  return mdocPresentation({
    signer,
    validity: { signed: day(-1), validFrom: day(-1), validUntil: day(7) },
    transcript: transcriptOf(received),
    ...changes,
  });
}

/** OpenID4VP 1.0 appendix B.2.6, written apart from the product. */
function transcriptOf(received: Received | DigitalRequest): Buffer {
  const { clientId, nonce, responseUri, parameters } = received;
  const { jwks } = parameters['client_metadata'] as { jwks?: { keys: Json[] } };
  const [jwk] = jwks?.keys ?? [];
  const members = jwk && JSON.stringify({ crv: jwk['crv'], kty: jwk['kty'], x: jwk['x'], y: jwk['y'] });
  const thumbprint = members === undefined ? null : createHash('sha256').update(members).digest();
  const [name, info] =
    'origin' in received
      ? ['OpenID4VPDCAPIHandover', [received.origin, nonce, thumbprint]]
      : ['OpenID4VPHandover', [clientId, nonce, thumbprint, responseUri]];
  const hash = createHash('sha256').update(encodeCbor(info)).digest();
  return encodeCbor([null, null, [name, hash]]);
}
