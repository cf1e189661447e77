import { type ChainAnchor, Refusal, verifyCertificateChain } from '@app/credentials';
import {
  type DecodedJws,
  decodeJws,
  JWS_ALGORITHMS,
  JwsError,
  parsePublicJwk,
  type PublicJwk,
  PublicJwkError,
  verifyJws,
} from '@app/primitives/jose';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/primitives/json';
import { OAuthError } from '@app/openid4vc';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import { invalidAttestation } from './client-faults';
import { hasCome, isAhead, isText } from './jwt-claims';

/** A certificate authority that vouches for providers of wallets. */
export type ProviderAnchor = ChainAnchor & { readonly name: string };

/** What the provider of a wallet says of one instance of it. */
export interface ClientAttestation {
  readonly clientId: string;
  /** The key of the instance, which signs its proofs of possession. */
  readonly instanceKey: PublicJwk;
  readonly walletName?: string;
  /** Not checked here: where the status of the attestation is found, and whose it is. */
  readonly issuer?: string;
  readonly status?: JsonValue;
  /** `client_status`. */
  readonly keptStatus?: JsonValue;
}

const attestationType = 'oauth-client-attestation+jwt';
/** Seconds: an attestation that lives longer says too little about now. */
const longestLifetime = 24 * 60 * 60;
/** Characters of the name that people read. */
const longestName = 100;
/** Would be stored or shown as something else: the page has what is known of the wallet in the same line. */
const unshowable = /[\p{Cc}\p{Bidi_Control}]/u;

/**
 * Verifies a wallet attestation (OpenID4VCI 1.0 appendix E, Attestation-Based Client Authentication draft 07 §5.1) but for its
 * status. Later drafts have no `iss`: it may be missing. Throws `OAuthError`.
 */
export function verifyClientAttestation<Anchor extends ProviderAnchor>(
  jwt: string,
  anchors: readonly Anchor[],
  now: Date,
): ClientAttestation & { readonly anchor: Anchor } {
  const { jws, anchor } = signedByProvider(jwt, anchors, now);
  const { header, payload } = jws;
  if (header['typ'] !== attestationType) {
    throw invalidAttestation('wallet-attestation-malformed', `The typ of the attestation must be ${attestationType}.`);
  }
  checkTimes(payload, now);
  const { sub, iss, status, client_status: keptStatus, wallet_name: walletName } = payload;
  if (!isText(sub) || !/^[\x20-\x7e]+$/u.test(sub)) {
    throw invalidAttestation('wallet-attestation-malformed', 'The sub of the attestation must be the client_id.');
  }
  return {
    clientId: sub,
    instanceKey: readInstanceKey(payload['cnf']),
    ...(isText(walletName, longestName) && !unshowable.test(walletName) && { walletName }),
    anchor,
    ...(isText(iss) && { issuer: iss }),
    ...(status !== undefined && { status }),
    ...(keptStatus !== undefined && { keptStatus }),
  };
}

function signedByProvider<Anchor extends ProviderAnchor>(
  jwt: string,
  anchors: readonly Anchor[],
  now: Date,
): { readonly jws: DecodedJws; readonly anchor: Anchor } {
  try {
    const jws = decodeJws(jwt);
    const { iss } = jws.payload;
    if (iss !== undefined && !isText(iss)) throw new Refusal('iss is not a text');
    const chain = verifyCertificateChain(jws.header['x5c'] ?? null, anchors, now, ({ name }) => {
      // An anchor whose name is a URL names the provider that it vouches for.
      if (iss !== undefined && /^https:\/\//u.test(name) && iss !== name) {
        throw new Refusal('the attestation names another provider than its trust anchor');
      }
    });
    verifyJws(jws, chain.key, JWS_ALGORITHMS);
    return { jws, anchor: chain.anchor };
  } catch (cause) {
    if (cause instanceof Refusal) {
      throw invalidAttestation(
        'wallet-attestation-untrusted',
        `No trusted wallet provider vouches for the attestation: ${cause.message}.`,
        cause,
      );
    }
    if (!(cause instanceof JwsError)) throw cause;
    const reason = cause.reason === 'bad-signature' ? 'wallet-attestation-signature' : 'wallet-attestation-malformed';
    throw invalidAttestation(reason, `The attestation is not accepted: ${cause.message}.`, cause);
  }
}

function checkTimes({ exp, nbf, iat }: JsonObject, now: Date): void {
  if (typeof exp !== 'number') {
    throw invalidAttestation('wallet-attestation-malformed', 'The attestation has no exp.');
  }
  if (!isAhead(exp, now)) {
    throw new OAuthError('use_fresh_attestation', 'The attestation has expired: send a new one.');
  }
  if (exp > now.getTime() / 1000 + longestLifetime + CLOCK_SKEW_SECONDS) {
    throw invalidAttestation('wallet-attestation-time', 'The attestation must expire within 24 hours.');
  }
  if ((nbf !== undefined && !hasCome(nbf, now)) || (iat !== undefined && !hasCome(iat, now))) {
    throw invalidAttestation('wallet-attestation-time', 'The attestation is not valid yet.');
  }
}

function readInstanceKey(cnf: JsonValue | undefined): PublicJwk {
  try {
    return parsePublicJwk(isJsonObject(cnf) ? cnf['jwk'] : undefined);
  } catch (cause) {
    if (!(cause instanceof PublicJwkError)) throw cause;
    throw invalidAttestation('wallet-attestation-key', `cnf.jwk of the attestation: ${cause.message}.`, cause);
  }
}
