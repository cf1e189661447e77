import {
  type DecodedJws,
  decodeJws,
  equalJwks,
  parsePublicJwk,
  type PublicJwk,
  thumbprint,
  verifyJws,
} from '@app/primitives/jose';
import { isJsonObject, type JsonValue } from '@app/primitives/json';
import { didJwk } from '../../issuers/did';
import { checkSignedJustNow, checkValidNow, readTimes, validity } from '../../jwt-times';
import { type JwtVc, readJwtVc } from './jwt-vc';
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
import type { PresentationPolicy, PresentationResult } from '../../presentation/verified-credential';
import type { ExpectedPresentation } from '../../presentation/expected-presentation';

const CHECKS: readonly CheckName[] = [
  'structure',
  'nonce',
  'audience',
  'key-binding',
  'issuer-trusted',
  'issuer-key',
  'issuer-signature',
  'times',
  'holder-binding',
  'status',
  ...queryChecks,
];

const MAX_LENGTH = 256 * 1024;
const MAX_CREDENTIALS = 16;

/**
 * Verifies a jwt_vp with `jwt_vc_json` credentials inside, or one such credential alone when the query does not ask
 * for holder binding: VCDM 1.1 §6.3.1, OpenID4VP 1.0 appendix B.1. Every credential of a presentation must verify,
 * also those that were not asked for. What needs no network comes first.
 */
export function verifyJwtPresentation(
  text: string,
  expected: ExpectedPresentation,
  policy: PresentationPolicy,
): Promise<PresentationResult> {
  const { algorithms, statuses } = policy;
  const { now } = expected;
  return runChecks(CHECKS, async (run, remark) => {
    const { presentation, credentials } = await run('structure', () => readPresentation(text));
    let holder: JwtHolder | undefined;
    if (presentation !== undefined) {
      await run('nonce', () => {
        checkNonce(presentation.payload['nonce'], expected.nonce);
      });
      await run('audience', () => {
        checkAudience(presentation.payload['aud'], expected);
      });
      holder = await run('key-binding', () => verifyHolderSignature(presentation, expected, policy));
    } else if (requiresHolderBinding(expected)) {
      await run('key-binding', () => {
        throw new Refusal('the credential stands alone, without a presentation signed by its holder');
      });
    }
    const trusted = await run('issuer-trusted', () =>
      credentials.map((vc) => {
        const named = { issuer: vc.issuer, types: [vc.types], header: vc.jws.header };
        return { ...vc, named, byName: checkTrust(policy, named) };
      }),
    );
    const signed = await run('issuer-key', () =>
      Promise.all(trusted.map(async (vc) => ({ ...vc, ...(await findTrustedKey(policy, vc.named, vc.byName, now)) }))),
    );
    if (signed.some(({ trust }) => trust !== 'trusted')) remark('issuer-trusted', 'accepted in development only');
    await run('issuer-signature', () => {
      for (const { jws, jwk } of signed) verifyJws(jws, jwk, algorithms);
    });
    await run('times', () => {
      for (const { times } of signed) checkValidNow(times, now, 'the credential');
    });
    if (holder !== undefined) {
      await run('holder-binding', () => {
        for (const vc of signed) checkHolder(vc, holder);
      });
    }
    const checked = await run('status', async () => {
      const results = [];
      for (const vc of signed) {
        results.push({ ...vc, checkedStatus: await statuses.check(vc, vc.issuer, now) });
      }
      return results;
    });
    const why = checked.map(({ checkedStatus }) => checkedStatus.remark).find((text) => text !== undefined);
    if (why !== undefined) remark('status', why);
    const match = await checkQuery(run, checked, expected);
    const { format, issuer, types, claims, times, checkedStatus, trust } = match;
    const { status } = checkedStatus;
    const presentedBy = holder && {
      thumbprint: thumbprint(holder.key),
      ...(holder.did !== undefined && { did: holder.did }),
    };
    return {
      credential: {
        format,
        issuer,
        types,
        claims,
        ...(presentedBy && { holder: presentedBy }),
        ...validity(times),
        status,
        trust,
        ...anchorOf(match),
      },
    };
  });
}

type JwtHolder = { readonly key: PublicJwk; readonly did?: string };

/** Reads a presentation and its credentials, or a credential alone. */
function readPresentation(text: string): { presentation?: DecodedJws; credentials: readonly JwtVc[] } {
  const jws = decodeJws(text, { maxLength: MAX_LENGTH });
  if (!Object.hasOwn(jws.payload, 'vp')) return { credentials: [readJwtVc(text, MAX_LENGTH)] };
  const { header, payload } = jws;
  demand(header['typ'] === undefined || header['typ'] === 'JWT', 'the typ of the presentation is not JWT');
  const vp = payload['vp'];
  demand(isJsonObject(vp), 'the vp of the presentation is not an object');
  const type = vp['type'];
  const isPresentation = Array.isArray(type)
    ? type.includes('VerifiablePresentation')
    : type === 'VerifiablePresentation';
  demand(isPresentation, 'the types of the presentation lack VerifiablePresentation');
  // VCDM 1.1 §6.3.1: iss stands for holder; some wallets repeat it as sub.
  for (const same of [vp['holder'], payload['sub']]) {
    demand(same === undefined || same === payload['iss'], 'the presentation names two holders');
  }
  return { presentation: jws, credentials: readCredentials(vp['verifiableCredential']) };
}

/** VCDM 1.1 §4.10: one or more, of which a single one may stand without a list. */
function readCredentials(value: JsonValue | undefined): readonly JwtVc[] {
  const list = typeof value === 'string' ? [value] : value;
  demand(Array.isArray(list) && list.length > 0, 'the presentation has no list of credentials');
  demand(list.length <= MAX_CREDENTIALS, 'the presentation has too many credentials');
  return list.map((entry) => {
    demand(typeof entry === 'string', 'a credential of the presentation is not a JWT');
    return readJwtVc(entry, MAX_LENGTH);
  });
}

/** RFC 7519 §4.1.3 allows a list; with other members the presentation would also be meant for another verifier. */
function checkAudience(aud: JsonValue | undefined, { presentedTo }: ExpectedPresentation): void {
  const { clientId } = presentedTo;
  const single = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  demand(single === clientId, `the aud of the presentation is not ${nameOfAudience(clientId)}`);
}

/** The key that signed the presentation: of the DID that presents, or a key in the header that no DID names. */
async function verifyHolderSignature(
  presentation: DecodedJws,
  { now }: ExpectedPresentation,
  { dids, algorithms }: PresentationPolicy,
): Promise<JwtHolder> {
  const { header, payload } = presentation;
  const { kid, jwk } = header;
  const { iss } = payload;
  let holder: JwtHolder;
  if (kid === undefined && jwk !== undefined) {
    const key = parsePublicJwk(jwk);
    demand(
      iss === undefined || iss === didJwk(key),
      'the presentation is signed by a bare key but names another holder',
    );
    holder = { key };
  } else {
    demand(
      typeof kid === 'string' && typeof iss === 'string',
      'the presentation does not name its holder by kid and iss',
    );
    demand(kid.startsWith(`${iss}#`), 'the kid of the presentation is not a key of its iss');
    holder = { key: await dids.resolveKey(kid, 'authentication'), did: iss };
  }
  verifyJws(presentation, holder.key, algorithms);
  const times = readTimes(payload);
  checkValidNow(times, now, 'the presentation');
  checkSignedJustNow(times, now, 'the presentation');
  return holder;
}

function checkHolder({ subject, confirmationKey }: JwtVc, { key, did }: JwtHolder): void {
  const isSubject = subject !== undefined && subject === did;
  const hasKey = confirmationKey !== undefined && equalJwks(confirmationKey, key);
  demand(isSubject || hasKey, 'the credential was issued to another holder');
}
