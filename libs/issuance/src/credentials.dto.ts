import { Problem } from '@app/problem-details';
import { Allow, IsOptional, IsString, Length, Matches } from 'class-validator';

export class PrepareCredentialBody {
  @IsString()
  @Length(1, 256)
  readonly offerId!: string;

  @IsOptional()
  @IsString()
  @Length(0, 256)
  readonly templateId?: string;

  @IsOptional()
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

  @IsOptional()
  @Matches(/^[A-Za-z0-9._~:-]{1,256}$/, { message: 'must be 1 to 256 characters of A-Z a-z 0-9 . _ ~ : -' })
  readonly credentialId?: string;
}

export type UnsignedCredential = Readonly<Record<string, unknown>>;

/** The first check of a request. Throws `invalid-credential-type`. */
export function unsignedCredentialOf({ credential, isSigned }: PrepareCredentialBody): UnsignedCredential {
  if (isSigned !== undefined && typeof isSigned !== 'boolean') {
    throw new Problem('invalid-credential-type', 'isSigned must be true or false.');
  }
  if (typeof credential === 'string') {
    if (isSigned === false) {
      throw new Problem('invalid-credential-type', 'credential is a string, so isSigned must not be false.');
    }
    throw new Problem('invalid-credential-type', 'Signed credentials are not taken yet; send credential as an object.');
  }
  if (typeof credential !== 'object' || credential === null || Array.isArray(credential)) {
    throw new Problem('invalid-credential-type', 'credential must be a JSON object with credentialSubject.');
  }
  if (isSigned === true) {
    throw new Problem('invalid-credential-type', 'credential is an object, so isSigned must not be true.');
  }
  return credential as UnsignedCredential;
}
