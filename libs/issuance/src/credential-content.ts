import { ClaimsError, credentialFormat, isAbsoluteUri, type UnsignedContent } from '@app/credentials';
import { type JsonObject } from '@app/json';
import { Problem, type Violation } from '@app/problem-details';
import {
  expirationLimit,
  isBuildable,
  isFormatKnown,
  type ClaimsRule,
  type IssuableConfiguration,
  kindText,
  unsupportedFormat,
} from '@app/templates';
import type { RequestedExpiry, UnsignedCredential } from './credential-input';
import { openBadgeContent, openBadgeRule } from './open-badge';

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

/** Reads an unsigned credential. Throws `invalid-identifier` or `invalid-credential-payload`. */
export async function unsignedContentOf(
  credential: UnsignedCredential,
  configuration: IssuableConfiguration,
  check: Check,
): Promise<UnsignedContent> {
  const { id, credentialSubject, ...others } = credential;
  const isOpenBadge = configuration.dataModel === 'open-badges-3.0';
  if ((id !== undefined || isOpenBadge) && !isAbsoluteUri(id)) {
    const why = id === undefined ? 'is required in an Open Badge' : 'must be an absolute URI';
    throw new Problem('invalid-identifier', `credential.id ${why}.`, [{ pointer: '/credential/id', message: why }]);
  }
  if (isOpenBadge) return openBadgeContentOf(credential, configuration, check);
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw invalidPayload(`/credential/${unknown}`, 'This member is not known here.');
  if (typeof credentialSubject !== 'object' || credentialSubject === null || Array.isArray(credentialSubject)) {
    throw invalidPayload('/credential/credentialSubject', 'must be a JSON object with the claims of one person');
  }
  const claims = credentialSubject as JsonObject;
  const content = { ...(id !== undefined && { id }), claims };
  assertIssuable(content, configuration);
  return content;
}

/** An Open Badge has a payload schema of its own besides the template's. Throws `invalid-credential-payload`. */
async function openBadgeContentOf(
  credential: UnsignedCredential,
  configuration: IssuableConfiguration,
  check: Check,
): Promise<UnsignedContent> {
  const violations = await check(openBadgeRule, credential, '/credential');
  if (violations.length > 0) {
    const places = violations.map(({ pointer }) => pointer).join(', ');
    throw new Problem('invalid-credential-payload', `The credential is not an Open Badge 3.0: ${places}.`, violations);
  }
  const content = openBadgeContent(credential);
  assertIssuable(content, configuration);
  return content;
}

/** Builds the credential without signing it, so that what cannot be issued is refused here and not at the wallet. */
function assertIssuable(content: UnsignedContent, configuration: IssuableConfiguration): void {
  const format = credentialFormat(configuration.format);
  try {
    format.assertClaims(content.claims);
    format.build(content, configuration, {
      issuer: 'https://issuer.example',
      issuedAt: new Date(0),
      expiresAt: undefined,
      holder: undefined,
      formatName: configuration.format,
      sign: () => '',
    });
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    throw invalidPayload(`/credential/credentialSubject${error.pointer}`, error.message);
  }
}

function invalidPayload(pointer: string, message: string): Problem {
  return new Problem('invalid-credential-payload', `The credential has a fault: ${pointer} ${message}.`, [
    { pointer, message },
  ]);
}

/**
 * The end of a credential's life: what was asked for, or the limit of the template; `undefined` = never.
 * Throws `invalid-expiration-date` or `expiration-exceeds-template-limit`.
 */
export function expiryOf(asked: RequestedExpiry, configuration: IssuableConfiguration, now: Date): Date | undefined {
  if (asked === 'not-a-date') {
    throw new Problem(
      'invalid-expiration-date',
      'expiresAt must be an RFC 3339 date-time, not later than 9999-12-31T23:59:59Z, or never.',
    );
  }
  const expiry = asked === 'never' ? undefined : asked;
  if (expiry && expiry <= now) {
    throw new Problem('invalid-expiration-date', 'expiresAt lies in the past.');
  }
  const limit = expirationLimit(configuration.expiration, now);
  if (limit && limit <= now) {
    throw new Problem(
      'expiration-exceeds-template-limit',
      `The template's expiration ${limit.toISOString()} has passed.`,
    );
  }
  if (asked === undefined) return limit;
  if (limit && (!expiry || expiry > limit)) {
    throw new Problem(
      'expiration-exceeds-template-limit',
      `The latest expiry of this template is ${limit.toISOString()}.`,
    );
  }
  return expiry;
}
