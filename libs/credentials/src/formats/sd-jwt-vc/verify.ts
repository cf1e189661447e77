import { type DecodedJws, thumbprint, verifyJws } from '@app/primitives/jose';
import type { JsonObject } from '@app/primitives/json';
import { checkValidNow, type JwtTimes, readTimes, validity } from '../../jwt-times';
import { decodeKeyBinding, readConfirmation, verifyKeyBinding } from './key-binding';
import { type CheckName, demand, Refusal, runChecks } from '../../presentation-check';
import {
  anchorOf,
  checkNonce,
  checkQuery,
  checkTrust,
  findTrustedKey,
  nameOfAudience,
  queryChecks,
  requiresHolderBinding,
} from '../../presentation/presentation-conditions';
import { findAcceptedType, readStatedType, type StatedType, TypeCandidates } from './accepted-type';
import { type ParsedSdJwt, parseSdJwt, processDisclosures } from './sd-jwt';
import { confirmedData, saysTransactionData } from './transaction-data';
import type { PresentationPolicy, PresentationResult, PresentedHolder } from '../../presentation/verified-credential';
import { nameOfLeaf } from '../../x509/x509-chain';
import type { ExpectedPresentation } from '../../presentation/expected-presentation';

const CHECKS: readonly CheckName[] = [
  'structure',
  'nonce',
  'audience',
  'issuer-trusted',
  'issuer-key',
  'issuer-signature',
  'disclosures',
  'times',
  'key-binding',
  'transaction-data',
  'status',
  ...queryChecks,
];

/**
 * Verifies a presented SD-JWT VC (`<JWT>~<disclosure>~...~<KB-JWT>`): RFC 9901 §7.3, SD-JWT VC §3, OpenID4VP 1.0
 * appendix B.3. Checks without network access come first: a presentation made for another verifier, or by an
 * untrusted issuer, causes no request.
 */
export function verifySdJwtVc(
  text: string,
  expected: ExpectedPresentation,
  policy: PresentationPolicy,
): Promise<PresentationResult> {
  const { now } = expected;
  return runChecks(CHECKS, async (run, remark) => {
    const { sdJwt, keyBinding, issuer, stated } = await run('structure', () => readPresentation(text));
    if (keyBinding !== undefined) {
      await run('nonce', () => {
        checkNonce(keyBinding.payload['nonce'], expected.nonce);
      });
      await run('audience', () => {
        checkAudience(keyBinding, expected);
      });
    } else if (requiresHolderBinding(expected)) {
      await run('key-binding', () => {
        throw new Refusal('the presentation has no key binding JWT');
      });
    }
    const candidates = new TypeCandidates(stated, expected.query);
    const { header } = sdJwt.jws;
    const named = { issuer, header, types: candidates.judged.map((type) => [type]) };
    const byName = await run('issuer-trusted', () => checkTrust(policy, named));
    const firstKey = await run('issuer-key', () => findTrustedKey(policy, named, byName, now));
    await run('issuer-signature', () => {
      verifyJws(sdJwt.jws, firstKey.jwk, policy.algorithms);
    });
    const { claims, withheld } = await run('disclosures', () => processDisclosures(sdJwt));
    const times = await run('times', () => checkTimes(claims, now));
    const holder =
      keyBinding && (await run('key-binding', () => checkKeyBinding({ keyBinding, sdJwt, claims }, expected, policy)));
    const confirmed =
      keyBinding &&
      saysTransactionData(keyBinding, expected) &&
      (await run('transaction-data', () => confirmedData(keyBinding, expected.transactionData)));
    const judge = async (type: string) => {
      const ofType = { ...named, types: [[type]] };
      const key = await findTrustedKey(policy, ofType, checkTrust(policy, ofType), now);
      verifyJws(sdJwt.jws, key.jwk, policy.algorithms);
      return key;
    };
    const { accepted, issuerKey } = candidates.only
      ? { accepted: candidates.only, issuerKey: firstKey }
      : await findAcceptedType(candidates.all(policy.inheritance, now), judge).catch((error: unknown) =>
          run('query', () => Promise.reject(error as Error)),
        );
    const { trust } = issuerKey;
    if (trust !== 'trusted') remark('issuer-trusted', 'accepted in development only');
    const isInherited = accepted.by !== 'own';
    if (isInherited) remark('query', `the type of the credential inherits from one that is asked for (${accepted.by})`);
    const claimed = { types: [accepted.type], status: claims['status'], anchor: issuerKey.anchor };
    const { status, remark: why } = await run('status', () => policy.statuses.check(claimed, issuer, now));
    if (why !== undefined) remark('status', why);
    const matchable = {
      format: 'dc+sd-jwt',
      types: [accepted.type],
      claims,
      withheld,
      ...issuerKey,
    } as const;
    await checkQuery(run, [matchable], expected);
    return {
      credential: {
        format: matchable.format,
        issuer,
        types: [stated.type],
        ...(isInherited && { acceptedAs: accepted }),
        claims,
        ...(holder && { holder }),
        ...(confirmed && { confirmed }),
        ...validity(times),
        status,
        trust,
        ...anchorOf(issuerKey),
      },
    };
  });
}

type Presented = {
  readonly sdJwt: ParsedSdJwt;
  readonly keyBinding?: DecodedJws;
  readonly issuer: string;
  readonly stated: StatedType;
};

function readPresentation(text: string): Presented {
  const sdJwt = parseSdJwt(text);
  const { header, payload } = sdJwt.jws;
  // Issuers write vc+sd-jwt according to drafts before SD-JWT VC 06.
  const hasType = header['typ'] === 'dc+sd-jwt' || header['typ'] === 'vc+sd-jwt';
  demand(hasType, 'the typ of the credential is neither dc+sd-jwt nor vc+sd-jwt');
  const stated = readStatedType(payload);
  const { iss } = payload;
  const issuer = iss ?? (header['x5c'] === undefined ? undefined : nameOfLeaf(header['x5c']));
  demand(typeof issuer === 'string', 'the credential does not name its issuer');
  if (sdJwt.keyBinding === undefined) return { sdJwt, issuer, stated };
  return { sdJwt, keyBinding: decodeKeyBinding(sdJwt.keyBinding), issuer, stated };
}

/** RFC 9901 §4.3: the audience is a single string, so a list is wrong even if the verifier is in it. */
function checkAudience({ payload }: DecodedJws, { presentedTo }: ExpectedPresentation): void {
  const { clientId } = presentedTo;
  demand(payload['aud'] === clientId, `the aud of the key binding JWT is not ${nameOfAudience(clientId)}`);
}

function checkTimes(claims: JsonObject, now: Date): JwtTimes {
  const times = readTimes(claims);
  checkValidNow(times, now, 'the credential');
  return times;
}

async function checkKeyBinding(
  { keyBinding, sdJwt, claims }: { keyBinding: DecodedJws; sdJwt: ParsedSdJwt; claims: JsonObject },
  { now }: ExpectedPresentation,
  { dids, algorithms }: PresentationPolicy,
): Promise<PresentedHolder> {
  const { jwk, did } = await readConfirmation(claims, (kid, use) => dids.resolveKey(kid, use));
  verifyKeyBinding(keyBinding, sdJwt, { holderKey: jwk, algorithms, now });
  return { thumbprint: thumbprint(jwk), ...(did !== undefined && { did }) };
}
