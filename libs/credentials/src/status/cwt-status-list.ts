import {
  CborError,
  type CborMap,
  type CborValue,
  COSE_HEADER,
  COSE_SIGN1,
  coseAlgorithmsOf,
  decodeCbor,
  isCoseSignedBy,
  readCoseSign1,
  Tagged,
} from '@app/primitives/cbor';
import type { JsonObject } from '@app/primitives/json';
import { readTimes } from '../jwt-times';
import { demand, Refusal } from '../presentation-check';
import { inflateStatusList, type StatusBitsList } from './status-list';
import { jwtLists, readTtl, type StatusListKind } from './status-lists';
import { tokenStatusList } from './token-status-list';

export const statusListCwtType = 'application/statuslist+cwt';

/** Claims of a Status List Token in CBOR (RFC 8392 §4, Token Status List §5.2). */
export const CWT_CLAIM = { sub: 2, exp: 4, nbf: 5, iat: 6, statusList: 65533, ttl: 65534 } as const;

/** The tag of a CWT (RFC 8392 §6), which may stand outside of the one of COSE. */
const CWT = 61;

/** Token Status List §5.2, §8.3. */
const cwtStatusList: StatusListKind<StatusBitsList> = {
  mediaTypes: [statusListCwtType],
  open(body, _mediaType, { uri }) {
    const sign1 = asRefusal(() => readCoseSign1(untagged(decodeCbor(body))));
    const { protectedHeader, unprotectedHeader, payload } = sign1;
    demand(protectedHeader.get(COSE_HEADER.typ) === statusListCwtType, `the typ is not ${statusListCwtType}`);
    demand(payload !== null, 'the status list token has no payload');
    const claims = asRefusal(() => decodeCbor(payload));
    demand(claims instanceof Map, 'the status list token has no claims');
    const claim = (label: number): CborValue | undefined => (claims as CborMap).get(label);
    demand(claim(CWT_CLAIM.sub) === uri, 'the status list token is about another list');
    return {
      header: headerOf(protectedHeader, unprotectedHeader),
      verify: (jwk, algorithms) => {
        const isSigned = asRefusal(() => isCoseSignedBy(sign1, jwk, payload, algorithms.flatMap(coseAlgorithmsOf)));
        demand(isSigned, 'the signature of the status list token is wrong');
      },
      readTimes: () => {
        const times = readTimes({
          ...seconds('exp', claim(CWT_CLAIM.exp)),
          ...seconds('nbf', claim(CWT_CLAIM.nbf)),
          ...seconds('iat', claim(CWT_CLAIM.iat)),
        });
        demand(times.iat !== undefined, 'the status list token has no iat');
        return times;
      },
      read: () => {
        const given = claim(CWT_CLAIM.statusList);
        const members = given instanceof Map ? (given as CborMap) : undefined;
        const list = inflateStatusList(members?.get('bits'), members?.get('lst'));
        demand(list !== undefined, 'the status list is malformed or too large');
        const ttl = claim(CWT_CLAIM.ttl);
        demand(ttl === undefined || typeof ttl === 'number', 'the ttl of the status list is not a positive number');
        return { list, ttl: readTtl(ttl) };
      },
    };
  },
};

const jwtStatusList = jwtLists(tokenStatusList);

/** Lists of ISO mdocs: both forms, of which readers of ISO 18013-5 know the CWT alone. */
export const documentStatusList: StatusListKind<StatusBitsList> = {
  mediaTypes: [...cwtStatusList.mediaTypes, ...jwtStatusList.mediaTypes],
  open(body, mediaType, expected) {
    const kind = mediaType === statusListCwtType ? cwtStatusList : jwtStatusList;
    return kind.open(body, mediaType, expected);
  },
};

function untagged(item: CborValue): CborValue {
  const inner = item instanceof Tagged && item.tag === CWT ? item.content : item;
  return inner instanceof Tagged && inner.tag === COSE_SIGN1 ? inner.content : inner;
}

/** The chain (RFC 9360 §2) as JWS has it; ISO 18013-5 has it among what is signed, others beside it. */
function headerOf(...headers: readonly CborMap[]): JsonObject {
  const found = headers.flatMap((header) => {
    const chain = header.get(COSE_HEADER.x5chain);
    return chain === undefined ? [] : [chain];
  });
  const [chain] = found;
  demand(found.length <= 1, 'the status list token has two certificate chains');
  if (chain === undefined) return {};
  const certificates: readonly CborValue[] = Array.isArray(chain) ? (chain as readonly CborValue[]) : [chain];
  return {
    x5c: certificates.map((der) => {
      demand(der instanceof Uint8Array, 'a certificate of the status list token is no byte string');
      return Buffer.from(der).toString('base64');
    }),
  };
}

function seconds(name: 'exp' | 'nbf' | 'iat', value: CborValue | undefined): JsonObject {
  if (value === undefined) return {};
  demand(typeof value === 'number', `${name} is not a time in seconds`);
  return { [name]: value };
}

function asRefusal<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof CborError) throw new Refusal(`the status list token: ${cause.message}`, { cause });
    throw cause;
  }
}
