import {
  type CborValue,
  COSE_HEADER,
  coseAlgorithmsOf,
  coseKeyOf,
  DATE_TIME,
  ENCODED,
  encodeCbor,
  signCose,
  Tagged,
  x5chainOf,
} from '@app/primitives/cbor';
import type { PublicJwk } from '@app/primitives/jose';
import { wholeSeconds } from '@app/primitives/time';
import { hash, randomBytes, randomInt } from 'node:crypto';
import { assertExpiry } from '../../presentation/claims';
import type { StatusListReference } from '../../status/status-list';
import type { SecurityObjectSigner } from '../credential-format';
import type { NameSpaces } from './elements';

export interface MdocInput {
  readonly docType: string;
  readonly nameSpaces: NameSpaces;
  readonly deviceKey: PublicJwk;
  readonly signed: Date;
  readonly validUntil: Date;
  /** When the holder may ask for another one. */
  readonly expectedUpdate?: Date;
  readonly status?: StatusListReference;
  readonly signer: SecurityObjectSigner;
}

const RANDOM_BYTES = 32;
const MOST_DIGEST_ID = 2 ** 31;

/**
 * Builds and signs an mdoc (ISO/IEC 18013-5) as an issuer hands it out: base64url of `IssuerSigned` (OpenID4VCI 1.0 appendix
 * A.2.4). It is valid from when it is signed, never before its signer's certificate, and no longer than that. Rejects with
 * `ClaimsError` and with what the signer rejects.
 */
export async function buildMdoc(input: MdocInput): Promise<string> {
  const { signer } = input;
  const items = [...input.nameSpaces].map(([nameSpace, elements]) => [nameSpace, saltedItems(elements)] as const);
  const securityObject = mapOf({
    version: '1.0',
    digestAlgorithm: 'SHA-256',
    valueDigests: new Map(items.map(([nameSpace, salted]) => [nameSpace, digestsOf(salted)])),
    deviceKeyInfo: mapOf({ deviceKey: coseKeyOf(input.deviceKey) }),
    docType: input.docType,
    validityInfo: validityInfo(input),
    ...(input.status && { status: statusOf(input.status) }),
  });
  const [algorithm = 0] = coseAlgorithmsOf(signer.algorithm);
  const headers = {
    protectedHeader: new Map([[COSE_HEADER.alg, algorithm]]),
    unprotectedHeader: new Map([[COSE_HEADER.x5chain, x5chainOf(signer.chain)]]),
  };
  const issuerAuth = await signCose(headers, encodeCbor(embedded(securityObject)), (data) => signer.sign(data));
  const nameSpaces = new Map(items.map(([nameSpace, salted]) => [nameSpace, salted.map(({ item }) => item)]));
  return encodeCbor(mapOf({ nameSpaces, issuerAuth })).toString('base64url');
}

interface SaltedItem {
  readonly digestId: number;
  /** IssuerSignedItemBytes. */
  readonly item: Tagged;
}

/** Neither the numbers nor their order may tell which elements a holder withholds: they are drawn. */
function saltedItems(elements: ReadonlyMap<string, CborValue>): readonly SaltedItem[] {
  const drawn = new Set<number>();
  while (drawn.size < elements.size) drawn.add(randomInt(MOST_DIGEST_ID));
  const ids = drawn.values();
  return [...elements].map(([elementIdentifier, elementValue]) => {
    const digestId = ids.next().value ?? 0;
    const random = randomBytes(RANDOM_BYTES);
    return { digestId, item: embedded(mapOf({ digestID: digestId, random, elementIdentifier, elementValue })) };
  });
}

function digestsOf(items: readonly SaltedItem[]): ReadonlyMap<number, CborValue> {
  const sorted = [...items].sort((one, other) => one.digestId - other.digestId);
  return new Map(sorted.map(({ digestId, item }) => [digestId, hash('sha256', encodeCbor(item), 'buffer')]));
}

/** Where it would outlive the certificate of its signer, after which verifiers refuse it, it ends with that. */
function validityInfo({ signed: at, validUntil: until, expectedUpdate, signer }: MdocInput): CborValue {
  const signed = at > signer.notBefore ? at : signer.notBefore;
  const validUntil = until < signer.notAfter ? until : signer.notAfter;
  assertExpiry(signed, validUntil);
  const isExpected = expectedUpdate !== undefined && signed < expectedUpdate && expectedUpdate < validUntil;
  return mapOf({
    signed: dateTime(signed),
    validFrom: dateTime(signed),
    validUntil: dateTime(validUntil),
    ...(isExpected && { expectedUpdate: dateTime(expectedUpdate) }),
  });
}

function statusOf({ idx, uri }: StatusListReference): CborValue {
  return mapOf({ status_list: mapOf({ idx, uri }) });
}

function mapOf(members: Readonly<Record<string, CborValue>>): ReadonlyMap<string, CborValue> {
  return new Map(Object.entries(members));
}

function embedded(value: CborValue): Tagged {
  return new Tagged(ENCODED, encodeCbor(value));
}

function dateTime(moment: Date): Tagged {
  return new Tagged(DATE_TIME, wholeSeconds(moment));
}
