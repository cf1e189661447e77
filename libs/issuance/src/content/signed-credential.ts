import { type IssuedCredential, readIssuedCredential } from '@app/credentials';
import type { CredentialFormatId } from '@app/openid4vc';
import { Problem } from '@app/primitives/problems';
import type { IssuableConfiguration } from '@app/templates';
import { latestDateTime, wholeSeconds } from '@app/primitives/time';
import { limitOf, refuseBeyond } from './credential-content';
import type { RequestedExpiry } from './credential-input';

/**
 * Reads a credential that was signed elsewhere; its content is the caller's.
 * Throws `invalid-signed-credential-format` or `signed-credential-format-mismatch`.
 */
export function readSigned(signed: string, format: CredentialFormatId): IssuedCredential {
  const read = readIssuedCredential(signed);
  if ('fault' in read) throw malformedSigned('cannot be read', read.fault);
  if (read.format === format) return read;
  throw new Problem(
    'signed-credential-format-mismatch',
    `The signed credential is ${read.format} and the configuration issues ${format}.`,
  );
}

/**
 * The end of a signed credential's life is its own `exp`. `never` is what portals send without a thought and says
 * nothing here; a date has to be that of the credential, to the second. The limit of the template holds for both.
 * Throws `invalid-expiration-date` or `expiration-exceeds-template-limit`.
 */
export function expiryOfSigned(
  asked: RequestedExpiry,
  { expiresAt }: IssuedCredential,
  configuration: IssuableConfiguration,
  now: Date,
): Date | undefined {
  if (expiresAt !== undefined && expiresAt > latestDateTime) {
    throw wrongExpiry(`The exp of the signed credential is after ${wholeSeconds(latestDateTime)}.`);
  }
  if (expiresAt !== undefined && expiresAt <= now) {
    throw wrongExpiry(`The signed credential has expired: its exp is ${wholeSeconds(expiresAt)}.`);
  }
  if (asked === 'not-a-date') throw wrongExpiry('expiresAt must be an RFC 3339 date-time or never.');
  const limit = limitOf(configuration, now);
  refuseBeyond(limit, expiresAt, ` The signed credential ${expiresAt ? 'has a later exp' : 'has no exp'}.`);
  if (asked === undefined || asked === 'never') return expiresAt;
  refuseBeyond(limit, asked);
  const own = expiresAt === undefined ? 'never' : wholeSeconds(expiresAt);
  if (wholeSeconds(asked) === own) return expiresAt;
  throw wrongExpiry(`The signed credential expires at its own exp: ${own}. Send that as expiresAt, or leave it out.`);
}

function wrongExpiry(detail: string): Problem {
  return new Problem('invalid-expiration-date', detail);
}

/** @param what says what is wrong with the credential, and `message` why */
export function malformedSigned(what: string, message: string): Problem {
  return new Problem('invalid-signed-credential-format', `The signed credential ${what}: ${message}.`, [
    { pointer: '/credential', message },
  ]);
}
