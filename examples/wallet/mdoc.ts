import {
  CoseKey,
  DateOnly,
  DeviceRequest,
  DeviceResponse,
  DocRequest,
  IssuerSigned,
  ItemsRequest,
  type MdocContext,
  SessionTranscript,
} from '@owf/mdoc';
import { calculateJwkThumbprint, type JWK } from 'jose';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  randomBytes,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto';
import { WalletFailure } from './failure';
import type { HolderKey } from './keys';
import type { PresentationRequest } from './request';
import { keyOfChain } from './roots';
import type { ReceivedCredential } from './wallet-file';

const raw = { dsaEncoding: 'ieee-p1363' } as const;

/** The cryptography of Node behind the library. It takes no part in what is not done here: message authentication. */
export const cryptography: Pick<MdocContext, 'crypto' | 'cose' | 'x509'> = {
  crypto: {
    random: (length) => randomBytes(length),
    digest: ({ digestAlgorithm, bytes }) => createHash(digestAlgorithm.replace('-', '')).update(bytes).digest(),
    calculateEphemeralMacKey: unused,
  },
  cose: {
    sign1: {
      sign: ({ toBeSigned, key }) =>
        sign('sha256', toBeSigned, { key: createPrivateKey({ key: key.jwk as JsonWebKey, format: 'jwk' }), ...raw }),
      verify: ({ key, sign1: { toBeSigned, signature } }) =>
        verify(
          'sha256',
          toBeSigned,
          { key: createPublicKey({ key: key.jwk as JsonWebKey, format: 'jwk' }), ...raw },
          signature,
        ),
    },
    mac0: { sign: unused, verify: unused },
  },
  x509: {
    getIssuerNameField: ({ certificate, field }) =>
      new X509Certificate(certificate).issuer
        .split('\n')
        .flatMap((line) => (line.startsWith(`${field}=`) ? [line.slice(field.length + 1)] : [])),
    getPublicKey: ({ certificate }) =>
      CoseKey.fromJwk(new X509Certificate(certificate).publicKey.export({ format: 'jwk' })),
    verifyCertificateChain: ({ x5chain, trustedCertificates }) => {
      keyOfChain(
        x5chain.map((der) => Buffer.from(der).toString('base64')),
        trustedCertificates.map((der) => new X509Certificate(der)),
      );
    },
    getCertificateData: ({ certificate }) => {
      const read = new X509Certificate(certificate);
      return {
        issuerName: read.issuer,
        subjectName: read.subject,
        serialNumber: read.serialNumber,
        thumbprint: read.fingerprint256,
        notBefore: new Date(read.validFrom),
        notAfter: new Date(read.validTo),
        pem: read.toString(),
      };
    },
  },
};

function unused(): never {
  throw new WalletFailure('This wallet does not authenticate by MAC.');
}

/** The elements of an mdoc by name space, as people and queries read them. */
export function elementsOf(credential: string): Record<string, Record<string, unknown>> {
  const { issuerNamespaces } = IssuerSigned.fromEncodedForOid4Vci(credential).issuerNamespaces;
  const spaces = [...issuerNamespaces].map(([space, items]) => {
    const elements = items.map(
      ({ elementIdentifier, elementValue }) => [elementIdentifier, plain(elementValue)] as const,
    );
    return [space, Object.fromEntries(elements)] as const;
  });
  return Object.fromEntries(spaces);
}

type Verified = Pick<ReceivedCredential, 'issuer' | 'type' | 'claims' | 'validFrom' | 'expiresAt'>;

interface Expected {
  readonly types: readonly string[];
  readonly key: HolderKey | null;
  readonly roots: readonly X509Certificate[];
}

/** Verifies what the issuer signed, the way to one of the roots, times, type and the key it is bound to. */
export async function verifyMdoc(credential: string, { types, key, roots }: Expected): Promise<Verified> {
  if (roots.length === 0) {
    throw new WalletFailure('Whether an mdoc is genuine, a root says: name the one of its issuer (IACA) with --root.');
  }
  const issued = IssuerSigned.fromEncodedForOid4Vci(credential);
  await issued.verify({ trustedCertificates: roots.map(({ raw: der }) => der) }, cryptography);
  const { docType, deviceKeyInfo, validityInfo } = issued.issuerAuth.mobileSecurityObject;
  if (!types.includes(docType)) {
    throw new WalletFailure(`The mdoc is a ${docType}; the offer promised ${types.join(', ')}.`);
  }
  const isOurs = key !== null && (await calculateJwkThumbprint(deviceKeyInfo.deviceKey.jwk)) === key.id;
  if (!isOurs) throw new WalletFailure('The mdoc is bound to another key.');
  const [signer = new Uint8Array()] = issued.issuerAuth.certificateChain;
  return {
    issuer: new X509Certificate(signer).issuer.split('\n').reverse().join(', '),
    type: docType,
    claims: elementsOf(credential),
    validFrom: validityInfo.validFrom.toISOString(),
    expiresAt: validityInfo.validUntil.toISOString(),
  };
}

/** Discloses the wanted elements, as `name space.element`, and signs this session. @returns base64url of the DeviceResponse */
export async function presentMdoc(
  { credential, type: docType, claims }: ReceivedCredential,
  wanted: readonly string[],
  { privateJwk }: HolderKey,
  request: PresentationRequest,
): Promise<{ text: string; disclosed: readonly string[] }> {
  const spaces = Object.entries(claims as Record<string, object>).flatMap(([space, elements]) => {
    const names = Object.keys(elements).filter((name) => wanted.includes(`${space}.${name}`));
    return names.length > 0 ? [[space, names] as const] : [];
  });
  const asked = new Map(spaces.map(([space, names]) => [space, new Map(names.map((name) => [name, false] as const))]));
  const response = await DeviceResponse.createWithDeviceRequest(
    {
      deviceRequest: DeviceRequest.create({
        docRequests: [DocRequest.create({ itemsRequest: ItemsRequest.create({ docType, namespaces: asked }) })],
      }),
      sessionTranscript: await sessionTranscript(request),
      issuerSigned: [IssuerSigned.fromEncodedForOid4Vci(credential)],
      signature: { signingKey: CoseKey.fromJwk({ ...privateJwk, alg: 'ES256' }) },
    },
    cryptography,
  );
  return { text: response.encodedForOid4Vp, disclosed: spaces.flatMap(([, names]) => names) };
}

/** OpenID4VP 1.0 appendix B.2.6.1. */
async function sessionTranscript({ payload, responseUri }: PresentationRequest): Promise<SessionTranscript> {
  const { client_id: clientId, nonce, response_mode: mode, client_metadata: metadata } = payload;
  const keys = (metadata as { readonly jwks?: { readonly keys: readonly JWK[] } } | undefined)?.jwks?.keys ?? [];
  const key = mode === 'direct_post.jwt' ? keys.find(({ use = 'enc' }) => use === 'enc') : undefined;
  const thumbprint = key && Buffer.from(await calculateJwkThumbprint(key), 'base64url');
  return SessionTranscript.forOid4Vp(
    { clientId, nonce, responseUri, ...(thumbprint && { jwkThumbprint: thumbprint }) },
    cryptography,
  );
}

/** Bytes as base64url, dates as text, maps as objects. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64url');
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, one]) => [String(name), plain(one)]));
  if (value instanceof DateOnly) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  return value;
}
