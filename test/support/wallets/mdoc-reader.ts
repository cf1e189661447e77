import { Holder, type MdocContext, CoseKey, type DeviceKey, IssuerSigned, type ValidityInfo } from '@owf/mdoc';
import { createHash, createPublicKey, type JsonWebKey, randomBytes, verify, X509Certificate } from 'node:crypto';
import { type Json, send } from '../http/requests';
import { type CborMap, decodeCbor, type Tagged } from '@app/primitives/cbor';

/** What an independent library reads of an mdoc, after it has verified it. */
export interface ReadMdoc {
  readonly docType: string;
  readonly claims: (nameSpace: string) => Json;
  readonly deviceKey: JsonWebKey;
  readonly validity: Pick<ValidityInfo, 'signed' | 'validFrom' | 'validUntil' | 'expectedUpdate'>;
  readonly digestIds: readonly number[];
  readonly randoms: readonly string[];
  /** In its security object, which the library does not read. */
  readonly status: unknown;
  readonly x5chain: readonly Uint8Array[];
}

/** The root of the document signer of a service in development. */
export async function documentRoot(url: string): Promise<X509Certificate> {
  const reply = await send(`${url}/certificates/development-iaca.pem`);
  return new X509Certificate(reply.text);
}

const unused = () => {
  throw new Error('a wallet that reads an mdoc does not ask for this');
};

const context: MdocContext = {
  crypto: {
    random: (length) => randomBytes(length),
    digest: ({ digestAlgorithm, bytes }) => createHash(digestAlgorithm.replace('-', '')).update(bytes).digest(),
    calculateEphemeralMacKey: unused,
  },
  cose: {
    sign1: {
      sign: unused,
      verify: ({ key, sign1 }) => {
        const publicKey = createPublicKey({ key: key.jwk as JsonWebKey, format: 'jwk' });
        return verify('sha256', sign1.toBeSigned, { key: publicKey, dsaEncoding: 'ieee-p1363' }, sign1.signature);
      },
    },
    mac0: { sign: unused, verify: unused },
  },
  x509: {
    getIssuerNameField: ({ certificate, field }) =>
      [...new X509Certificate(certificate).issuer.matchAll(/^(\w+)=(.*)$/gm)].flatMap(([, name, value = '']) =>
        name === field ? [value] : [],
      ),
    getPublicKey: ({ certificate }) =>
      CoseKey.fromJwk(new X509Certificate(certificate).publicKey.export({ format: 'jwk' }) as Json),
    verifyCertificateChain: ({
      x5chain: [leaf = Buffer.of(), ...others],
      trustedCertificates: [root = Buffer.of()],
    }) => {
      const isIssued = others.length === 0 && new X509Certificate(leaf).verify(new X509Certificate(root).publicKey);
      if (!isIssued) throw new Error('the document signer is not under the root');
    },
    getCertificateData: ({ certificate }) => {
      const { issuer, subject, serialNumber, fingerprint256, validFrom, validTo } = new X509Certificate(certificate);
      return {
        issuerName: issuer,
        subjectName: subject,
        serialNumber,
        thumbprint: fingerprint256,
        notBefore: new Date(validFrom),
        notAfter: new Date(validTo),
        pem: '',
      };
    },
  },
} as MdocContext;

export async function readMdoc(credential: string, root: X509Certificate): Promise<ReadMdoc> {
  await Holder.verifyIssuerSigned({ issuerSigned: credential, trustedCertificates: [root.raw] }, context);
  const issuerSigned = IssuerSigned.fromEncodedForOid4Vci(credential);
  const { mobileSecurityObject: object, x5chain = [] } = issuerSigned.issuerAuth;
  const items = [...issuerSigned.issuerNamespaces.issuerNamespaces.values()].flat();
  return {
    docType: object.docType,
    claims: (nameSpace) => issuerSigned.getPrettyClaims(nameSpace) as Json,
    deviceKey: (object.deviceKeyInfo.deviceKey as DeviceKey).jwk,
    validity: object.validityInfo,
    digestIds: items.map(({ digestId }) => digestId),
    randoms: items.map(({ random }) => Buffer.from(random).toString('hex')),
    status: statusIn(issuerSigned.issuerAuth.payload),
    x5chain,
  };
}

function statusIn(payload: Uint8Array | null): unknown {
  const { content } = decodeCbor(payload ?? Buffer.of()) as Tagged;
  const status = (decodeCbor(content as Uint8Array) as CborMap).get('status') as CborMap | undefined;
  const list = status?.get('status_list') as CborMap | undefined;
  return list && Object.fromEntries(list);
}
