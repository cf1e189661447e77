import { type IssuerIdentifier, issuerIdentifiers } from '@app/config';
import { IsAddressable, IsOmissible, Nested } from '@app/http';
import {
  Allow,
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  Equals,
  IsArray,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  ValidateNested,
} from 'class-validator';
import { CredentialSubject, credentialSubjects, DataModel, dataModels } from './credential-configuration';
import { schemaIn } from './json-schema';
import type { TemplateChange, TemplateInput } from './template-input';

export class LogoBody {
  @Matches(/^(https?:\/\/|data:image\/)[\x21-\x7e]{1,2040}$/, { message: 'must be an http(s) or data:image address' })
  readonly uri!: string;

  @IsOmissible()
  @IsString()
  @Length(1, 256)
  readonly alt_text?: string;
}

/** How wallets show the credential; the members of OpenID4VCI 1.0 §12.2.4 `display`. */
export class DisplayBody {
  @IsString()
  @Length(1, 256)
  readonly name!: string;

  @IsOmissible()
  @Matches(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,5}$/, { message: 'must be a language tag such as en or de-CH' })
  readonly locale?: string;

  @IsOmissible()
  @IsString()
  @Length(1, 1024)
  readonly description?: string;

  @IsOmissible()
  @IsObject()
  @ValidateNested()
  @Nested(() => LogoBody)
  readonly logo?: LogoBody;

  @IsOmissible()
  @Matches(/^#[0-9a-fA-F]{6}$/, { message: 'must be a colour such as #12107c' })
  readonly background_color?: string;

  @IsOmissible()
  @Matches(/^#[0-9a-fA-F]{6}$/, { message: 'must be a colour such as #ffffff' })
  readonly text_color?: string;
}

export class CreateTemplateBody {
  @IsOmissible()
  @Matches(/^[A-Za-z0-9._~-]{1,128}$/, { message: 'must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -' })
  @IsAddressable()
  readonly templateId?: string;

  @IsString()
  @Length(1, 256)
  readonly title!: string;

  @IsOmissible()
  @IsString()
  @Length(0, 4096)
  readonly description?: string;

  @IsOmissible()
  @IsArray()
  @ArrayMaxSize(50)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  readonly tags?: string[];

  @IsString()
  readonly format!: string;

  @IsOmissible()
  @IsIn(dataModels)
  readonly dataModel?: DataModel;

  @IsOmissible()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(20)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 256, { each: true })
  readonly type?: string[];

  @IsOmissible()
  @Matches(/^[^\s\p{C}]{1,2048}$/u, { message: 'must be 1 to 2048 characters without white space' })
  readonly vct?: string;

  /** Anything but a JSON Schema has a problem of its own, which names what to send. */
  @Allow()
  readonly schema?: unknown;

  @IsOmissible()
  @IsString()
  readonly expiration?: string;

  @IsOmissible()
  @IsIn(['ES256', 'EdDSA'])
  readonly signingAlgorithm?: 'ES256' | 'EdDSA';

  @IsOmissible()
  @IsIn(issuerIdentifiers)
  readonly issuerIdentifier?: IssuerIdentifier;

  @IsOmissible()
  @IsIn(credentialSubjects)
  readonly subject?: CredentialSubject;

  @IsOmissible()
  @IsArray()
  @ArrayMaxSize(500)
  @IsString({ each: true })
  readonly selectivelyDisclosable?: string[];

  @IsOmissible()
  @IsArray()
  @ArrayMaxSize(20)
  // ValidateNested takes a list of nothing for a thing that is valid.
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Nested(() => DisplayBody)
  readonly display?: DisplayBody[];

  @IsOmissible()
  @IsIn(['Draft', 'Published'])
  readonly status?: 'Draft' | 'Published';
}

function NeverChanges(hint: string): PropertyDecorator {
  return Equals(undefined, { message: `cannot be changed; ${hint}` });
}

/** Omitted members stay as they are; null clears those that have a usual value. */
export class ChangeTemplateBody {
  @IsOmissible()
  @IsString()
  @Length(1, 256)
  readonly title?: string;

  @IsOptional()
  @IsString()
  @Length(0, 4096)
  readonly description?: string | null;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  readonly tags?: string[] | null;

  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(20)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 256, { each: true })
  readonly type?: string[] | null;

  @IsOptional()
  @Matches(/^[^\s\p{C}]{1,2048}$/u, { message: 'must be 1 to 2048 characters without white space' })
  readonly vct?: string | null;

  @Allow()
  readonly schema?: unknown;

  @IsOmissible()
  @IsString()
  readonly expiration?: string;

  @IsOmissible()
  @IsIn(['ES256', 'EdDSA'])
  readonly signingAlgorithm?: 'ES256' | 'EdDSA';

  @IsOptional()
  @IsIn(issuerIdentifiers)
  readonly issuerIdentifier?: IssuerIdentifier | null;

  @IsOptional()
  @IsIn(credentialSubjects)
  readonly subject?: CredentialSubject | null;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(500)
  @IsString({ each: true })
  readonly selectivelyDisclosable?: string[] | null;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Nested(() => DisplayBody)
  readonly display?: DisplayBody[] | null;

  @NeverChanges('create another template')
  readonly templateId?: undefined;

  @NeverChanges('create another template')
  readonly format?: undefined;

  @NeverChanges('create another template')
  readonly dataModel?: undefined;

  @NeverChanges('publish, archive or delete the template')
  readonly status?: undefined;
}

export class DuplicateTemplateBody {
  @IsOmissible()
  @Matches(/^[A-Za-z0-9._~-]{1,128}$/, { message: 'must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -' })
  @IsAddressable()
  readonly templateId?: string;

  @IsOmissible()
  @IsString()
  @Length(1, 256)
  readonly title?: string;
}

/** The content that a body asks for. Throws `invalid-template-schema`. */
export function templateInputOf({ templateId: _id, status: _status, ...content }: CreateTemplateBody): TemplateInput {
  return { ...content, schema: schemaIn(content.schema) };
}

/** Throws `invalid-template-schema`. */
export function templateChangeOf(body: ChangeTemplateBody): TemplateChange {
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  if (body.schema !== undefined) schemaIn(body.schema);
  return Object.fromEntries(given);
}
