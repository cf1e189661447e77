import { type CborMap, type CborValue, Tagged } from '@app/primitives/cbor';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import { createHash, timingSafeEqual } from 'node:crypto';
import { demand } from '../../presentation-check';
import { asEncoded, asMap, isUint, textIn } from './cbor-members';
import type { PresentedDocument } from './device-response';

const LEAST_RANDOM_BYTES = 16;

/**
 * The elements that the issuer signed, by name space, as JSON. Refuses what it did not sign, an element that is there twice,
 * and elements that the holder may not state or states beside the issuer; what the holder states is left out. Throws
 * `Refusal` or `CborError`.
 */
export function disclosedElements(document: PresentedDocument): JsonObject {
  const claims = [...document.nameSpaces].map(([name, items]) => {
    const elements = new Map<string, JsonValue>();
    for (const item of items) {
      const { identifier, value } = readItem(item, name, document);
      demand(!elements.has(identifier), 'an element is disclosed twice');
      elements.set(identifier, jsonOf(value));
    }
    return [name, objectOf(elements)] as const;
  });
  checkDeviceSigned(document, claims);
  return objectOf(claims);
}

function readItem(
  value: CborValue,
  nameSpace: string,
  { issuerAuth: { object } }: PresentedDocument,
): { readonly identifier: string; readonly value: CborValue } {
  const encoded = asEncoded(value, 'an IssuerSignedItem');
  const item = asMap(encoded.decode(), 'an IssuerSignedItem');
  const id = item.get('digestID');
  demand(isUint(id), 'the digestID of an element is not a number');
  const expected = object.digests.get(nameSpace)?.get(id);
  const digest = createHash(object.digestAlgorithm).update(encoded.received).digest();
  demand(expected !== undefined && timingSafeEqual(digest, expected), 'an element is not one that the issuer signed');
  const random = item.get('random');
  const isRandom = random instanceof Uint8Array && random.length >= LEAST_RANDOM_BYTES;
  demand(isRandom, `the random of an element has less than ${LEAST_RANDOM_BYTES} bytes`);
  demand(item.has('elementValue'), 'an element has no value');
  return { identifier: textIn(item, 'elementIdentifier'), value: item.get('elementValue') };
}

function checkDeviceSigned({ device, issuerAuth, nameSpaces }: PresentedDocument, claims: Claims): void {
  const disclosed = new Map(claims);
  for (const [name, elements] of device.nameSpaces) {
    const authorized = issuerAuth.object.deviceMaySign.get(name);
    for (const identifier of elements.keys()) {
      const isAuthorized =
        authorized === 'all' || (typeof identifier === 'string' && authorized?.has(identifier) === true);
      demand(isAuthorized, 'the holder states an element for which its key has no authorization');
      const isTwice = nameSpaces.has(name) && Object.hasOwn(disclosed.get(name) ?? {}, `${identifier}`);
      demand(!isTwice, 'the holder states an element beside the issuer');
    }
  }
}

type Claims = readonly (readonly [string, JsonObject])[];

/**
 * The value as JSON (RFC 8949 §6.1): bytes as base64url, what has a tag as what is in it (dates as their text), no number and
 * undefined as null. Integers beyond 2^53 become their decimal text, and so do integers as keys. Throws `Refusal`.
 */
export function jsonOf(value: CborValue): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64url');
  if (value instanceof Tagged) return jsonOf(value.content);
  if (Array.isArray(value)) return (value as readonly CborValue[]).map(jsonOf);
  const members = new Map<string, JsonValue>();
  for (const [key, member] of value as CborMap) {
    demand(!members.has(`${key}`), 'a map of an element has a number and a text as the same key');
    members.set(`${key}`, jsonOf(member));
  }
  return objectOf(members);
}

/** Throws `Refusal`. */
function objectOf(members: Iterable<readonly [string, JsonValue]>): JsonObject {
  const entries = [...members];
  // Software that copies members by assignment would lose it.
  demand(
    entries.every(([name]) => name !== '__proto__'),
    'an element has a name that is not safe',
  );
  return Object.fromEntries(entries);
}
