import { assertIssuable, ClaimsError, isAbsoluteUri, type UnsignedContent } from '@app/credentials';
import type { DocumentSigner } from '@app/identity';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { escapePointer, isJsonObject, type JsonObject, unknownName } from '@app/primitives/json';
import { Problem, validationFailed, type Violation } from '@app/primitives/problems';
import {
  expirationLimit,
  isBuildable,
  isFormatKnown,
  type ClaimsRule,
  type IssuableConfiguration,
  kindText,
  openBadgeFaults,
  openBadgeProperties,
  openBadgeRule,
  unsupportedFormat,
} from '@app/templates';
import type { RequestedExpiry, UnsignedCredential } from './credential-input';

/**
 * What is stored may be the work of a newer version. A credential that was signed elsewhere is only compared with the
 * format of the configuration; any other one has to be built here.
 * Throws `unsupported-credential-configuration-format` or `unsupported-credential-format`.
 */
export function refuseUnsupported(configuration: IssuableConfiguration, credential: 'signed' | 'unsigned'): void {
  const { id } = configuration;
  if (credential === 'unsigned' && !isBuildable(configuration)) {
    throw new Problem(
      'unsupported-credential-format',
      `This version cannot build a credential of ${id}: ${kindText(configuration)}.`,
    );
  }
  if (!isFormatKnown(configuration)) throw unsupportedFormat(id, configuration);
}

/** Checks a JSON value against a schema; `pointer` is its place in the request. */
type Check = (rule: ClaimsRule, value: unknown, pointer: string) => Promise<readonly Violation[]>;

/**
 * Reads an unsigned credential. An Open Badge has its own payload schema besides the template's.
 * Throws `invalid-identifier` or, when the id has no fault, `invalid-credential-payload`, either with every fault of the
 * credential itself; its claims are checked after that.
 * @param signer who signs documents now; absent when nobody does
 */
export function unsignedContentOf(
  credential: UnsignedCredential,
  configuration: IssuableConfiguration,
  check: Check,
  signer?: DocumentSigner,
): Awaitable<UnsignedContent> {
  const isOpenBadge = configuration.dataModel === 'open-badges-3.0';
  const ofId = faultsOfId(credential['id'], isOpenBadge);
  const own = [...ofId, ...unknownIn(credential, isOpenBadge ? openBadgeProperties : plainProperties)];
  const found = isOpenBadge
    ? check(openBadgeRule, credential, place).then((violations) => [
        ...openBadgeFaults(violations),
        ...faultsOfNobody(credential, configuration),
      ])
    : faultsOfSubject(credential);
  return whenThere(found, (inside) => {
    const named = new Set(own.map(({ pointer }) => pointer));
    const faults = [...own, ...inside.filter(({ pointer }) => !named.has(pointer))];
    if (faults.length > 0) {
      throw validationFailed(faults, ofId.length > 0 ? 'invalid-identifier' : 'invalid-credential-payload');
    }
    const content = isOpenBadge ? openBadgeContent(credential) : plainContent(credential);
    refuseUnissuable(content, configuration, signer);
    return content;
  });
}

const place = '/credential';
const placeOfSubject = `${place}/credentialSubject`;
const plainProperties = ['id', 'credentialSubject'];

function faultsOfId(id: unknown, isOpenBadge: boolean): readonly Violation[] {
  if (isAbsoluteUri(id) || (id === undefined && !isOpenBadge)) return [];
  const message = id === undefined ? 'is required in an Open Badge' : 'must be an absolute URI';
  return [{ pointer: `${place}/id`, message }];
}

function unknownIn(credential: UnsignedCredential, known: readonly string[]): readonly Violation[] {
  const unknown = Object.keys(credential).filter((name) => !known.includes(name));
  return unknown.map((name, index) => ({
    pointer: `${place}/${escapePointer(name)}`,
    message: unknownName('property', name, known, index),
  }));
}

function faultsOfSubject({ credentialSubject: subject }: UnsignedCredential): readonly Violation[] {
  if (isJsonObject(subject)) return [];
  return [{ pointer: placeOfSubject, message: 'must be a JSON object with the claims of one person' }];
}

/** Open Badges 3.0 appendix B.1, AchievementSubject: an id or an identifier. A holder gets an id from the wallet. */
function faultsOfNobody(
  { credentialSubject: badged }: UnsignedCredential,
  { subject }: IssuableConfiguration,
): readonly Violation[] {
  if (subject === 'holder' || !isJsonObject(badged) || badged['id'] !== undefined) return [];
  const { identifier } = badged;
  if (Array.isArray(identifier) && identifier.length > 0) return [];
  return [{ pointer: placeOfSubject, message: 'must have an id or an identifier in the Open Badge of a thing' }];
}

function plainContent(credential: UnsignedCredential): UnsignedContent {
  // The shapes have been checked.
  const { id, credentialSubject: claims } = credential as { id?: string; credentialSubject: JsonObject };
  return { ...(id !== undefined && { id }), claims };
}

function refuseUnissuable(
  content: UnsignedContent,
  configuration: IssuableConfiguration,
  signer: DocumentSigner | undefined,
): void {
  try {
    assertIssuable(content, configuration, signer);
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    const fault = { pointer: `${placeOfSubject}${error.pointer}`, message: error.message };
    throw validationFailed([fault], 'invalid-credential-payload');
  }
}

/**
 * The end of a credential's life: what was asked for, or the limit of the template; `undefined` = never.
 * Throws `invalid-expiration-date` or `expiration-exceeds-template-limit`.
 */
export function expiryOf(asked: RequestedExpiry, configuration: IssuableConfiguration, now: Date): Date | undefined {
  if (asked === 'not-a-date') {
    throw new Problem(
      'invalid-expiration-date',
      'expiresAt must be an RFC 3339 date-time such as 2027-06-30T12:00:00Z, not later than 9999-12-31T23:59:59Z, or never.',
    );
  }
  const expiry = asked === 'never' ? undefined : asked;
  if (expiry && expiry <= now) {
    throw new Problem('invalid-expiration-date', 'expiresAt is in the past.');
  }
  const limit = limitOf(configuration, now);
  if (asked === undefined) return limit;
  refuseBeyond(limit, expiry);
  return expiry;
}

/** The latest end that the template allows; `undefined` when it allows any. Throws `expiration-exceeds-template-limit`. */
export function limitOf({ expiration }: IssuableConfiguration, now: Date): Date | undefined {
  const limit = expirationLimit(expiration, now);
  if (!limit || limit > now) return limit;
  throw beyondLimit(`The template's expiration ${limit.toISOString()} has passed.`);
}

/** @param expiry `undefined` = never. Throws `expiration-exceeds-template-limit` */
export function refuseBeyond(limit: Date | undefined, expiry: Date | undefined, instead = ''): void {
  if (!limit || (expiry && expiry <= limit)) return;
  throw beyondLimit(`The latest expiry of this template is ${limit.toISOString()}.${instead}`);
}

function beyondLimit(detail: string): Problem {
  return new Problem('expiration-exceeds-template-limit', detail);
}

/** The parts of a valid Open Badge; a badge without a name is called like its achievement. */
function openBadgeContent(credential: UnsignedCredential): UnsignedContent {
  // The schema has checked the shapes.
  const { id, credentialSubject, ...members } = credential as JsonObject & { id: string };
  const claims = credentialSubject as JsonObject;
  const { name = (claims['achievement'] as JsonObject)['name'] ?? null } = members;
  return { id, claims, members: { ...members, name } };
}
