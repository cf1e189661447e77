import { CWT_CLAIM, type StatusBitsList as ListBytes, STATUS_LIST_CWT } from '@app/credentials';
import type { SigningIdentity } from '@app/identity';
import type { SigningAlgorithm } from '@app/keys';
import type { BitstringPurpose, WalletUrls } from '@app/openid4vc';
import {
  type CborKey,
  type CborValue,
  COSE_HEADER,
  COSE_SIGN1,
  coseAlgorithmsOf,
  encodeCbor,
  signCose,
  Tagged,
  x5chainOf,
} from '@app/primitives/cbor';
import { encodeBase64Url } from '@app/primitives/jose';
import { compressedList, encodedBitstring } from './list-bytes';

/** Seconds since 1970. */
export interface ListValidity {
  readonly iat: number;
  readonly exp: number;
  /** Seconds for which it may be kept. */
  readonly ttl: number;
}

type Urls = Pick<WalletUrls, 'statusList' | 'statusLists' | 'bitstringStatusList'>;

export interface Signing {
  readonly identity: SigningIdentity;
  readonly urls: Urls;
}

/** A Status List Token (Token Status List §5.1). */
export async function statusListToken(
  listId: string,
  list: ListBytes,
  { iat, exp, ttl }: ListValidity,
  { identity, urls }: Signing,
): Promise<string> {
  const lst = encodeBase64Url(await compressedList(list));
  return identity.sign(
    { typ: 'statuslist+jwt' },
    {
      iss: identity.id,
      sub: urls.statusList(listId),
      iat,
      exp,
      ttl,
      status_list: { bits: list.bits, lst, aggregation_uri: urls.statusLists },
    },
  );
}

/** Who signs a CWT: a document signer, or a key that its id names. */
export interface CwtSigner {
  readonly algorithm: SigningAlgorithm;
  /** RFC 7638 thumbprint. */
  readonly keyId: string;
  /** DER, the certificate of the key first; the id names the key when absent. */
  readonly chain?: readonly Buffer[];
  sign(data: Buffer): Promise<Buffer>;
}

/** A Status List Token as a CWT (Token Status List §5.2). */
export async function statusListCwt(
  listId: string,
  list: ListBytes,
  { iat, exp, ttl }: ListValidity,
  signer: CwtSigner,
  urls: Urls,
): Promise<Buffer> {
  const { chain, keyId, algorithm } = signer;
  const [alg = 0] = coseAlgorithmsOf(algorithm);
  const statusList = new Map<CborKey, CborValue>([
    ['bits', list.bits],
    ['lst', await compressedList(list)],
    ['aggregation_uri', urls.statusLists],
  ]);
  const claims = new Map<CborKey, CborValue>([
    [CWT_CLAIM.sub, urls.statusList(listId)],
    [CWT_CLAIM.iat, iat],
    [CWT_CLAIM.exp, exp],
    [CWT_CLAIM.ttl, ttl],
    [CWT_CLAIM.status_list, statusList],
  ]);
  // ISO 18013-5 wants the chain among what is signed.
  const key: readonly [CborKey, CborValue] = chain
    ? [COSE_HEADER.x5chain, x5chainOf(chain)]
    : [COSE_HEADER.kid, Buffer.from(keyId)];
  const protectedHeader = new Map<CborKey, CborValue>([
    [COSE_HEADER.alg, alg],
    [COSE_HEADER.typ, STATUS_LIST_CWT],
    key,
  ]);
  const sign1 = await signCose({ protectedHeader, unprotectedHeader: new Map() }, encodeCbor(claims), (data) =>
    signer.sign(data),
  );
  return encodeCbor(new Tagged(COSE_SIGN1, sign1));
}

/** A `BitstringStatusListCredential` of VCDM 2.0, signed as a JWT (Securing Verifiable Credentials using JOSE §3.1.1). */
export async function bitstringCredential(
  listId: string,
  purpose: BitstringPurpose,
  list: ListBytes,
  { iat, exp, ttl }: ListValidity,
  { identity, urls }: Signing,
): Promise<string> {
  const id = urls.bitstringStatusList(listId, purpose);
  const encodedList = await encodedBitstring(list, purpose);
  return identity.sign(
    { typ: 'vc+jwt', cty: 'vc' },
    {
      iss: identity.id,
      iat,
      exp,
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id,
      type: ['VerifiableCredential', 'BitstringStatusListCredential'],
      issuer: identity.id,
      validFrom: dateTime(iat),
      validUntil: dateTime(exp),
      credentialSubject: {
        id: `${id}#list`,
        type: 'BitstringStatusList',
        statusPurpose: purpose,
        encodedList,
        // Milliseconds (Bitstring Status List v1.0 §2.2).
        ttl: ttl * 1000,
      },
    },
  );
}

function dateTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
