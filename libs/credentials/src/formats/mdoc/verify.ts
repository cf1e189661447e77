import { coseAlgorithmsOf, isCoseSignedBy } from '@app/primitives/cbor';
import { thumbprint } from '@app/primitives/jose';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import type { PresentedDocumentSigner } from '../../issuers/issuer-keys';
import { type CheckName, demand, Refusal, runChecks } from '../../presentation-check';
import type { ExpectedPresentation } from '../../presentation/expected-presentation';
import { anchorOf, checkQuery, otherType, queryChecks } from '../../presentation/presentation-conditions';
import type { PresentationPolicy, PresentationResult } from '../../presentation/verified-credential';
import { disclosedElements, jsonOf } from './data-elements';
import { deviceAuthentication, readDeviceResponse } from './device-response';
import type { SecurityObject } from './security-object';
import { faultOfPlace } from './issuing-place';
import { sessionTranscript } from './session-transcript';

const CHECKS: readonly CheckName[] = [
  'structure',
  'issuer-trusted',
  'issuer-key',
  'issuer-signature',
  'times',
  'key-binding',
  'disclosures',
  ...queryChecks,
  'status',
];

/**
 * Verifies a DeviceResponse with one document: ISO/IEC 18013-5, 9.1 and 9.3, OpenID4VP 1.0 appendix B.2. Nonce and audience
 * are part of what the holder signs. Nothing is encoded again that was received; the status comes last, as it alone needs the
 * network.
 */
export function verifyMdoc(
  text: string,
  expected: ExpectedPresentation,
  policy: PresentationPolicy,
): Promise<PresentationResult> {
  const { now, query } = expected;
  const { issuerKeys, statuses } = policy;
  const algorithms = policy.algorithms.flatMap((algorithm) => coseAlgorithmsOf(algorithm));
  return runChecks(CHECKS, async (run, remark) => {
    const document = await run('structure', () => readDeviceResponse(text));
    const { doctype, issuerAuth, device } = document;
    const { object, sign1, payload, x5chain } = issuerAuth;
    if (query.format !== 'mso_mdoc' || query.meta.doctype_value !== doctype) {
      await run('query', () => {
        throw new Refusal(otherType);
      });
    }
    await run('issuer-trusted', () => {
      const isTrusted = issuerKeys.mayTrustDocuments(doctype);
      demand(isTrusted, 'no trust anchor vouches for issuers of this type of document');
    });
    const signer = await run('issuer-key', () => issuerKeys.findDocumentSigner(x5chain, doctype, now));
    await run('issuer-signature', () => {
      demand(isCoseSignedBy(sign1, signer.jwk, payload, algorithms), 'the signature of the issuer is not valid');
    });
    await run('times', () => {
      checkTimes(object, signer, now);
    });
    await run('key-binding', () => {
      const signed = deviceAuthentication(document, sessionTranscript(expected.presentedTo, expected.nonce));
      const isSigned = isCoseSignedBy(device.signature, object.deviceKey, signed, algorithms);
      demand(isSigned, 'the holder did not sign this session: another nonce, verifier or key');
    });
    const claims = await run('disclosures', () => {
      const shown = disclosedElements(document);
      const fault = faultOfPlace(doctype, shown, signer);
      demand(fault === undefined, `${fault?.pointer ?? ''} ${fault?.message ?? ''}`);
      return shown;
    });
    const types = [doctype];
    const { anchor, issuer } = signer;
    await checkQuery(run, [{ format: 'mso_mdoc', types, claims, ...signer } as const], expected);
    const status = await run('status', () => {
      const stated = object.status === undefined ? undefined : jsonOf(object.status);
      return statuses.check({ types, status: stated, anchor, documentKey: signer.jwk }, issuer, now);
    });
    if (status.remark !== undefined) remark('status', status.remark);
    return {
      credential: {
        format: 'mso_mdoc',
        issuer,
        types,
        claims,
        holder: { thumbprint: thumbprint(object.deviceKey) },
        issuedAt: new Date(object.signed * 1000),
        expiresAt: new Date(object.validUntil * 1000),
        status: status.status,
        trust: 'trusted',
        ...anchorOf(signer),
      },
    };
  });
}

/** ISO/IEC 18013-5, 9.3.1. Throws `Refusal`. */
function checkTimes(
  { signed, validFrom, validUntil }: SecurityObject,
  signer: PresentedDocumentSigner,
  now: Date,
): void {
  const seconds = now.getTime() / 1000;
  demand(validFrom <= validUntil, 'the document ends before it begins to be valid');
  demand(validUntil > seconds - CLOCK_SKEW_SECONDS, 'the document has expired');
  demand(validFrom <= seconds + CLOCK_SKEW_SECONDS, 'the document is not valid yet');
  demand(signed <= seconds + CLOCK_SKEW_SECONDS, 'the document was signed in the future');
  const [from, to] = [signer.validFrom, signer.validTo].map((date) => date.getTime() / 1000);
  demand(
    from !== undefined && to !== undefined && from - CLOCK_SKEW_SECONDS <= signed && signed <= to + CLOCK_SKEW_SECONDS,
    'the document was signed before or after its signer was certified',
  );
}
