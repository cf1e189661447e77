import { type IssuerIdentifier, issuerIdentifiers, type Settings } from '@app/config';
import { credentialFormat, type DescriptionDefaults } from '@app/credentials';
import { is, validated } from '@app/http';
import {
  CREDENTIAL_SIGNING_ALGORITHMS,
  type CredentialFormatId,
  credentialFormats,
  type CredentialSigningAlgorithm,
  type DcqlQuery,
  faultsOfConfiguration,
  parseDcqlQuery,
} from '@app/openid4vc';
import { isJsonObject, type JsonObject } from '@app/primitives/json';
import { Problem, type Violation } from '@app/primitives/problems';
import { isDuration } from '@app/primitives/time';
import {
  Allow,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Matches,
} from 'class-validator';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClaimSources } from '../data-sources/claim-sources';
import {
  configurationOf,
  CredentialSubject,
  credentialSubjects,
  type DataModel,
  dataModelOf,
  dataModels,
  IssuableConfiguration,
} from './credential-configuration';
import {
  type Askable,
  type DataOrigin,
  dataOrigins,
  type Identification,
  identifications,
  onlyInDevelopment,
  unmetNeed,
} from '../data-sources/data-origin';
import { DisplayBody } from './display.contract';
import { parseExactYaml } from './exact-yaml';
import { parseExpiration } from '../template/expiration';
import { assertUsableSchema, type JsonSchema, schemaIn } from '../schema/json-schema';
import { claimsRetention, parseRetention } from '../template/retention';
import { isScope, scopeMessage } from './scope';
import { faultsOfContent } from '../template/template-content';
import { isMaxCopies, KeyAttestationsBody } from './wallet-terms.contract';

class ProvisionedFile {
  @Matches(/^[A-Za-z0-9._~-]{1,128}$/, { message: 'must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -' })
  @is.Addressable()
  readonly id!: string;

  @IsIn(credentialFormats, {
    message: `Unsupported Credential Format Identifier Error: use ${credentialFormats.join(' or ')}`,
  })
  readonly format!: CredentialFormatId;

  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @IsString({ each: true })
  readonly type?: string[];

  @IsOptional()
  @IsString()
  readonly vct?: string;

  @IsOptional()
  @IsString()
  readonly doctype?: string;

  @is.Omissible()
  @is.Check('isDuration', 'must be an ISO 8601 duration such as P30D', isDuration)
  readonly expectedUpdate?: string;

  @is.Omissible()
  @is.OneOf(dataModels)
  readonly dataModel?: DataModel;

  /** Absent: it is offered in every profile. */
  @is.Omissible()
  @is.OneOf(['development'])
  readonly profile?: 'development';

  @Allow()
  readonly schema?: unknown;

  @is.Omissible()
  @IsString()
  readonly expiration?: string;

  @is.Omissible()
  @is.Check('isRetention', claimsRetention.message, claimsRetention.allows)
  readonly retention?: string;

  @IsOptional()
  @IsIn(CREDENTIAL_SIGNING_ALGORITHMS)
  readonly signingAlgorithm?: CredentialSigningAlgorithm;

  @IsOptional()
  @IsIn(issuerIdentifiers)
  readonly issuerIdentifier?: IssuerIdentifier;

  @IsOptional()
  @IsIn(credentialSubjects)
  readonly subject?: CredentialSubject;

  @is.Omissible()
  @IsBoolean({ message: 'must be true or false' })
  readonly revocable?: boolean;

  /** Absent: the id. */
  @is.Omissible()
  @is.Check('isScope', scopeMessage, isScope)
  readonly scope?: string;

  @is.Omissible()
  @is.Nested(() => KeyAttestationsBody)
  readonly keyAttestationsRequired?: KeyAttestationsBody;

  @is.Omissible()
  @isMaxCopies()
  readonly maxCopies?: number;

  @is.Omissible()
  @is.Check('isPolicy', 'must be an object', isJsonObject)
  readonly disclosurePolicy?: JsonObject;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  readonly selectivelyDisclosable?: string[];

  @is.Omissible()
  @is.OneOf(identifications)
  readonly identification?: Identification;

  @is.Omissible()
  @IsObject()
  readonly presentation?: DcqlQuery;

  @is.Omissible()
  @is.OneOf(dataOrigins)
  readonly data?: DataOrigin;

  @is.Omissible()
  @IsObject()
  readonly claims?: ClaimSources;

  @is.Omissible()
  @is.OneOf(['manual'])
  readonly approval?: 'manual';

  @IsOptional()
  @is.NestedList(() => DisplayBody)
  readonly display?: DisplayBody[];
}

/** A provisioned file that stops the start; names the file and the member. */
export class ProvisionedConfigurationError extends Error {
  override readonly name = 'ProvisionedConfigurationError';
}

interface ProvisioningSettings extends Pick<Settings, 'profile'> {
  readonly identification: Askable;
}

/**
 * Reads every `.yaml`, `.yml` and `.json` file of a directory as one credential configuration each.
 * @param defaultsOf what stands for what the file of a configuration does not say
 * @param settings what is for another profile is checked and left out
 * @throws ProvisionedConfigurationError with one line for each fault of each file
 */
export async function readProvisionedConfigurations(
  directory: string,
  defaultsOf: (id: string) => DescriptionDefaults,
  { profile, identification }: ProvisioningSettings,
): Promise<ReadonlyMap<string, IssuableConfiguration>> {
  const configurations = new Map<string, IssuableConfiguration>();
  const faults: string[] = [];
  for (const file of filesOf(directory)) {
    try {
      const { configuration, profile: offeredIn = profile } = await readFile(join(directory, file), defaultsOf);
      if (offeredIn !== profile) continue;
      if (profile === 'production' && configuration.identification === 'development') {
        throw new ProvisionedConfigurationError(`/identification: ${onlyInDevelopment}`);
      }
      const need = unmetNeed(configuration, identification);
      if (need) throw new ProvisionedConfigurationError(`${need.pointer}: ${need.message}`);
      if (configurations.has(configuration.id)) {
        throw new ProvisionedConfigurationError(`/id: ${configuration.id} is used by another file already`);
      }
      configurations.set(configuration.id, configuration);
    } catch (error) {
      const message = error instanceof Error ? error.message : 'unreadable';
      faults.push(...message.split('\n').map((line) => `${join(directory, file)}: ${line}`));
    }
  }
  if (faults.length > 0) {
    throw new ProvisionedConfigurationError(
      `The provisioned credential configurations have faults:\n${faults.join('\n')}`,
    );
  }
  return configurations;
}

function filesOf(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => /\.(ya?ml|json)$/i.test(name))
      .sort();
  } catch {
    throw new ProvisionedConfigurationError(
      `The directory ${directory} cannot be read; SERVICE__CREDENTIAL_CONFIGURATIONS__PATH names it.`,
    );
  }
}

interface ReadFile {
  readonly configuration: IssuableConfiguration;
  readonly profile: ProvisionedFile['profile'];
}

async function readFile(path: string, defaultsOf: (id: string) => DescriptionDefaults): Promise<ReadFile> {
  const plain = parseExactYaml(readFileSync(path, 'utf8'));
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    throw new ProvisionedConfigurationError('must hold one mapping with id and format');
  }
  const file = fileOf(plain);
  const { expiration: lifetime = 'never' } = file;
  const expiration = parseExpiration(lifetime);
  if (expiration === undefined) {
    throw new ProvisionedConfigurationError(
      '/expiration: must be never, an ISO 8601 duration or an RFC 3339 date-time',
    );
  }
  const { id, display, issuerIdentifier, subject, revocable, scope } = file;
  const { identification, presentation, data, claims, approval, keyAttestationsRequired, maxCopies, disclosurePolicy } =
    file;
  const retention = parseRetention(file.retention);
  const format = credentialFormat(file.format);
  assertNone(faultsOfContent(Object.assign({}, file, { expiration: lifetime })));
  const schema = await usableSchema(file.schema, format);
  const described = format.describe(file);
  const configuration = configurationOf(
    id,
    {
      ...described,
      dataModel: dataModelOf({ dataModel: file.dataModel, ...described }),
      expiration,
      ...(retention && { retention }),
      signingAlgorithm: file.signingAlgorithm ?? 'ES256',
      ...(issuerIdentifier && { issuerIdentifier }),
      ...(subject && { subject }),
      ...(revocable === true && { revocable }),
      ...(scope !== undefined && { scope }),
      ...(keyAttestationsRequired && { keyAttestationsRequired }),
      ...(maxCopies !== undefined && { maxCopies }),
      ...(disclosurePolicy && { disclosurePolicy }),
      ...(schema && { schema }),
      ...(identification && { identification }),
      ...(presentation && { presentation: parseDcqlQuery(presentation) }),
      ...(data && { data }),
      ...(claims && { claims }),
      ...(approval && { approval }),
      ...(display && { display }),
    },
    { kind: 'provisioned' },
    defaultsOf(id),
  );
  const unsound = faultsOfConfiguration(configuration);
  if (unsound.length > 0) throw new ProvisionedConfigurationError(unsound.join('\n'));
  return { configuration, profile: file.profile };
}

function fileOf(plain: object): ProvisionedFile {
  try {
    return validated(ProvisionedFile, plain);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw faulty(error.violations);
  }
}

function assertNone(violations: readonly Violation[]): void {
  if (violations.length > 0) throw faulty(violations);
}

function faulty(violations: readonly Violation[]): ProvisionedConfigurationError {
  const lines = violations.map(({ pointer, message }) => `${pointer}: ${message}`);
  return new ProvisionedConfigurationError(lines.join('\n'));
}

async function usableSchema(
  value: unknown,
  format: ReturnType<typeof credentialFormat>,
): Promise<JsonSchema | undefined> {
  if (value === undefined) {
    assertNone(format.faultsOfSchema({}).map(({ message }) => ({ pointer: '/schema', message })));
    return undefined;
  }
  try {
    const schema = schemaIn(value);
    await assertUsableSchema(schema, format);
    return schema;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new ProvisionedConfigurationError(`${error.detail.replace(/\.$/, '')} (${error.title})`);
  }
}
