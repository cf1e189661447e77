import { IsAddressable, IsOmissible } from '@app/http';
import { Problem } from '@app/problem-details';
import { isDateTime } from '@app/time';
import { Allow, IsString, Length, Matches } from 'class-validator';
import type { CredentialInput, NamedConfiguration, RequestedExpiry, UnsignedCredential } from './credential-input';

export class PrepareCredentialBody {
  @IsString()
  @Length(1, 256)
  @IsAddressable()
  readonly offerId!: string;

  @IsOmissible()
  @IsString()
  @Length(0, 256)
  readonly templateId?: string;

  @IsOmissible()
  @IsString()
  @Length(0, 256)
  readonly credentialConfigurationId?: string;

  // These three have errors of their own instead of validation-failed.
  @Allow()
  readonly credential?: unknown;

  @Allow()
  readonly isSigned?: unknown;

  @Allow()
  readonly expiresAt?: unknown;

  @IsOmissible()
  @Matches(/^[A-Za-z0-9._~:-]{1,256}$/, { message: 'must be 1 to 256 characters of A-Z a-z 0-9 . _ ~ : -' })
  @IsAddressable()
  readonly credentialId?: string;
}

/** The credential that a body hands in. Throws `invalid-credential-type` or `missing-template-id`, in this order. */
export function credentialInputOf(body: PrepareCredentialBody): CredentialInput {
  const { offerId, credentialId, expiresAt } = body;
  const credential = credentialOf(body);
  return { offerId, credentialId, credential, named: namedIn(body), expiresAt: expiryIn(expiresAt) };
}

/** An object is to be signed here, a string was signed elsewhere. Throws `invalid-credential-type`. */
function credentialOf({ credential, isSigned }: PrepareCredentialBody): UnsignedCredential | string {
  if (isSigned !== undefined && typeof isSigned !== 'boolean') throw wrongType('isSigned must be true or false.');
  if (typeof credential === 'string') {
    if (isSigned === false) throw wrongType('credential is a string, so isSigned must not be false.');
    return credential;
  }
  if (typeof credential !== 'object' || credential === null || Array.isArray(credential)) {
    throw wrongType('credential must be a JSON object with credentialSubject, or a signed credential as a string.');
  }
  if (isSigned === true) throw wrongType('credential is an object, so isSigned must not be true.');
  return credential as UnsignedCredential;
}

function wrongType(detail: string): Problem {
  return new Problem('invalid-credential-type', detail);
}

/** An empty `credentialConfigurationId` is as good as none. */
function namedIn({ templateId, credentialConfigurationId }: PrepareCredentialBody): NamedConfiguration {
  const configurationId = credentialConfigurationId === '' ? undefined : credentialConfigurationId;
  if (templateId !== undefined && templateId !== '') return { templateId, configurationId };
  if (templateId === undefined && configurationId !== undefined) return { configurationId };
  throw new Problem(
    'missing-template-id',
    'templateId is empty, or neither it nor credentialConfigurationId is given.',
  );
}

function expiryIn(expiresAt: unknown): RequestedExpiry {
  if (expiresAt === undefined || expiresAt === 'never') return expiresAt;
  return isDateTime(expiresAt) ? new Date(expiresAt) : 'not-a-date';
}
