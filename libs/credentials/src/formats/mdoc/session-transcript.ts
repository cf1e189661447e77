import { type CborValue, encodeCbor } from '@app/primitives/cbor';
import { thumbprint } from '@app/primitives/jose';
import { createHash } from 'node:crypto';
import type { PresentedTo } from '../../presentation/expected-presentation';
import { Refusal } from '../../presentation-check';

/** What the holder signs over, beside the document: this session (OpenID4VP 1.0 appendix B.2.6), encoded. Throws `Refusal`. */
export function sessionTranscript(
  { clientId, origin, responseUri, encryptionKey }: PresentedTo,
  nonce: string,
): Buffer {
  // The raw hash, not its text.
  const key = encryptionKey && Buffer.from(thumbprint(encryptionKey), 'base64url');
  if (origin !== undefined) return transcript('OpenID4VPDCAPIHandover', [origin, nonce, key]);
  if (responseUri === undefined) throw new Refusal('the answer did not come as a presentation of OpenID4VP 1.0');
  return transcript('OpenID4VPHandover', [clientId, nonce, key, responseUri]);
}

function transcript(name: string, info: readonly CborValue[]): Buffer {
  const hash = createHash('sha256').update(encodeCbor(info)).digest();
  return encodeCbor([null, null, [name, hash]]);
}
