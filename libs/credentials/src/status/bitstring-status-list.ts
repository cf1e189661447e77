import { urlOf } from '@app/primitives/url';
import { decodeBase64Url } from '@app/primitives/jose';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/primitives/json';
import { gunzipSync } from 'node:zlib';
import { readDateTime, readTimes } from '../jwt-times';
import { demand } from '../presentation-check';
import { mostInflatedBytes, type StatusListReference } from './status-list';
import { readTtl, type StatusListKind } from './status-lists';

/** What one bit of a list says when it is set. */
export type StatusPurpose = 'revocation' | 'suspension';
const purposes: readonly StatusPurpose[] = ['revocation', 'suspension'];

/** Entry 0 is the highest bit of the first byte (§3.2), unlike in a Token Status List. */
export interface BitstringStatusList {
  readonly purposes: readonly JsonValue[];
  readonly bytes: Uint8Array;
}

const MOST_ENTRIES_OF_A_CREDENTIAL = 8;
/** §3.2: shorter lists are an error, as they would tell which of a few credentials is shown. */
const FEWEST_BITS = 131_072;
const TYPES: readonly JsonValue[] = ['jwt', 'vc+jwt', 'vc+ld+jwt'];

/** W3C Bitstring Status List v1.0 §2.2, §3.2, as a JWT: the credential with its registered claims, or below `vc`. */
export const bitstringStatusList: StatusListKind<BitstringStatusList> = {
  mediaTypes: ['application/vc+jwt', 'application/vc+ld+jwt', 'application/jwt'],
  isAlsoCwt: false,
  checkClaims({ header, payload }, { uri, issuer }) {
    const { typ } = header;
    const isType = typ === undefined || (typeof typ === 'string' && TYPES.includes(typ.toLowerCase()));
    demand(isType, 'the typ of the status list is not that of a credential');
    const vc = credentialOf(payload);
    const { type } = vc;
    const isList = Array.isArray(type) ? type.includes(LIST_TYPE) : type === LIST_TYPE;
    demand(isList, 'the status list is not a BitstringStatusListCredential');
    for (const id of [payload['jti'], vc['id']]) {
      demand(id === undefined || id === uri, 'the status list credential is about another list');
    }
    const named = isJsonObject(vc['issuer']) ? vc['issuer']['id'] : vc['issuer'];
    for (const name of [payload['iss'], named]) {
      demand(name === undefined || name === issuer, 'the status list credential is from another issuer');
    }
  },
  readTimes(payload) {
    const { nbf, exp, ...times } = readTimes(payload);
    const vc = credentialOf(payload);
    const from = nbf ?? readDateTime(vc['validFrom'] ?? vc['issuanceDate']);
    const until = exp ?? readDateTime(vc['validUntil'] ?? vc['expirationDate']);
    return { ...times, ...(from !== undefined && { nbf: from }), ...(until !== undefined && { exp: until }) };
  },
  read(payload) {
    const subject = credentialOf(payload)['credentialSubject'];
    demand(isJsonObject(subject) && subject['type'] === 'BitstringStatusList', 'the status list has no list');
    const { statusPurpose, encodedList, ttl: milliseconds } = subject;
    const bytes = inflate(encodedList);
    demand(bytes !== undefined, 'the status list is malformed or too large');
    demand(bytes.length * 8 >= FEWEST_BITS, `the status list has fewer than ${FEWEST_BITS} entries`);
    const ttl = readTtl(milliseconds);
    return {
      list: { purposes: Array.isArray(statusPurpose) ? statusPurpose : [statusPurpose ?? null], bytes },
      ttl: ttl === undefined ? undefined : ttl / 1000,
    };
  },
};

const LIST_TYPE = 'BitstringStatusListCredential';

function credentialOf(payload: JsonObject): JsonObject {
  const vc = payload['vc'];
  return isJsonObject(vc) ? vc : payload;
}

/** Multibase base64url of GZIP (§3.2). */
function inflate(encoded: JsonValue | undefined): Uint8Array | undefined {
  const compressed =
    typeof encoded === 'string' && encoded.startsWith('u') ? decodeBase64Url(encoded.slice(1)) : undefined;
  if (compressed === undefined) return undefined;
  try {
    return gunzipSync(compressed, { maxOutputLength: mostInflatedBytes });
  } catch {
    return undefined;
  }
}

/** One entry of `credentialStatus`. */
export type BitstringEntry = StatusListReference & { readonly purpose: StatusPurpose };

/** The entries of a `credentialStatus`, which is one of them or a list. Throws `Refusal`. */
export function statusEntriesOf(credentialStatus: JsonValue): readonly JsonValue[] {
  const entries = Array.isArray(credentialStatus) ? credentialStatus : [credentialStatus];
  demand(entries.length <= MOST_ENTRIES_OF_A_CREDENTIAL, 'the credential has too many statuses');
  return entries;
}

/** Reads an entry; `undefined` when it says nothing about whether the credential is still good. Throws `Refusal`. */
export function readEntry(entry: JsonValue): BitstringEntry | undefined {
  demand(
    isJsonObject(entry) && entry['type'] === 'BitstringStatusListEntry',
    'the status of the credential is of another kind',
  );
  const { statusPurpose, statusListIndex: index, statusListCredential: uri, statusSize = 1 } = entry;
  // §2.1: that there is a newer credential says nothing against this one.
  if (statusPurpose === 'refresh') return undefined;
  const purpose = purposes.find((known) => known === statusPurpose);
  demand(purpose !== undefined && statusSize === 1, 'the credential has a status of unknown meaning');
  demand(
    typeof uri === 'string' && urlOf(uri) !== undefined,
    'the status list of the credential is not named by a URL',
  );
  demand(typeof index === 'string' && /^\d{1,15}$/.test(index), 'the status index is not a whole number');
  return { uri, idx: Number(index), purpose };
}

/** Whether the bit of an entry is set. Throws `Refusal` when the list has another purpose or no such entry. */
export function isSet(list: BitstringStatusList, { idx, purpose }: BitstringEntry): boolean {
  demand(list.purposes.includes(purpose), 'the status list is for another purpose');
  const byte = list.bytes[Math.floor(idx / 8)];
  demand(byte !== undefined, 'the status list has no entry for the credential');
  return (byte & (0x80 >> (idx % 8))) !== 0;
}
