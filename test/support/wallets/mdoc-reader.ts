import { type DeviceKey, Holder, IssuerSigned, type ValidityInfo } from '@owf/mdoc';
import { type JsonWebKey, X509Certificate } from 'node:crypto';
import { cryptography } from '../../../examples/wallet/mdoc';
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

export async function readMdoc(credential: string, root: X509Certificate): Promise<ReadMdoc> {
  await Holder.verifyIssuerSigned({ issuerSigned: credential, trustedCertificates: [root.raw] }, cryptography);
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
