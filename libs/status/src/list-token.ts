import type { StatusBitsList as ListBytes } from '@app/credentials';
import type { SigningIdentity } from '@app/identity';
import type { BitstringPurpose, WalletUrls } from '@app/openid4vc';
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
  const lst = await compressedList(list);
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
