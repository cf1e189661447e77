import { type IssuerIdentifier, issuerIdentifiers } from '@app/config';
import type { ClaimDescription, CredentialConfiguration, CredentialDisplay } from '@app/openid4vc';
import { type Concern, Problem } from '@app/problem-details';
import type { Expiration } from './expiration';
import type { JsonSchema } from './json-schema';

export const dataModels = ['w3c-vc-1.1', 'open-badges-3.0', 'sd-jwt-vc'] as const;
export type DataModel = (typeof dataModels)[number];

/** What credentials of each format may be shaped after; the first one is the usual. */
export const dataModelsOf: Readonly<Record<CredentialConfiguration['format'], readonly [DataModel, ...DataModel[]]>> = {
  jwt_vc_json: ['w3c-vc-1.1', 'open-badges-3.0'],
  'dc+sd-jwt': ['sd-jwt-vc'],
};

/** Whether a credential speaks about the person who holds it, or about a thing that is in their hands. */
export const credentialSubjects = ['holder', 'thing'] as const;
export type CredentialSubject = (typeof credentialSubjects)[number];

/** A credential configuration as wallets see it, with what issuing needs besides. */
export interface IssuableConfiguration extends CredentialConfiguration {
  readonly origin: 'provisioned' | 'template';
  readonly templateId?: string;
  /** Of the template: which of its contents this is. */
  readonly contentVersion?: number;
  /** What the claims are shaped after; rules beyond the schema hang on it. */
  readonly dataModel: DataModel;
  readonly expiration: Expiration;
  /** Under what kind of name it is issued. */
  readonly issuerIdentifier: IssuerIdentifier;
  readonly subject: CredentialSubject;
  readonly schema?: JsonSchema;
  /** JSON Pointers into the claims; absent means every top-level claim. Only for `dc+sd-jwt`. */
  readonly selectivelyDisclosable?: readonly string[];
}

type Kind = Pick<CredentialDescription, 'format' | 'dataModel' | 'issuerIdentifier' | 'subject'>;

/** Whether this version knows the format. What is stored may be the work of a newer one. */
export function isFormatKnown({ format }: Pick<Kind, 'format'>): boolean {
  return Object.hasOwn(dataModelsOf, format);
}

/** Whether this version can build such a credential: it knows the format, the data model in it, and every choice. */
export function isBuildable(kind: Kind): boolean {
  const { format, dataModel, issuerIdentifier, subject } = kind;
  return (
    isFormatKnown(kind) &&
    dataModelsOf[format].includes(dataModel) &&
    (issuerIdentifier === undefined || issuerIdentifiers.includes(issuerIdentifier)) &&
    (subject === undefined || credentialSubjects.includes(subject))
  );
}

/** In words, for whoever is told that this version does not know all of it. */
export function kindText({ format, dataModel, issuerIdentifier, subject }: Kind): string {
  const choices = [issuerIdentifier && `issuerIdentifier ${issuerIdentifier}`, subject && `subject ${subject}`];
  return [`format ${format}`, `data model ${dataModel}`, ...choices.filter((choice) => choice !== undefined)].join(
    ', ',
  );
}

/** What a refusal is about that this configuration decides. */
export function concernOf({ id, templateId, contentVersion }: IssuableConfiguration): Concern {
  return {
    configuration: id,
    ...(templateId !== undefined && { template: templateId }),
    ...(contentVersion !== undefined && { schemaVersion: contentVersion }),
  };
}

/** What a configuration or template is refused with whose content this version does not understand. */
export function unsupportedFormat(id: string, kind: Kind): Problem {
  return new Problem(
    'unsupported-credential-configuration-format',
    `${id} is stored in words that this version does not all know: ${kindText(kind)}.`,
  );
}

/** What templates and provisioned files say about a credential in the same words. */
export interface CredentialDescription {
  readonly format: CredentialConfiguration['format'];
  readonly dataModel: DataModel;
  readonly types?: readonly string[];
  readonly vct?: string;
  readonly signingAlgorithm: CredentialConfiguration['signingAlgorithm'];
  readonly expiration: Expiration;
  readonly issuerIdentifier?: IssuerIdentifier;
  readonly subject?: CredentialSubject;
  readonly schema?: JsonSchema;
  readonly selectivelyDisclosable?: readonly string[];
  readonly display?: readonly CredentialDisplay[];
}

/** What stands for what a description does not say. */
export interface ConfigurationDefaults {
  /** The type of an SD-JWT VC: an address of our own type metadata. */
  readonly vct: string;
  readonly sdJwtIdentifier: IssuerIdentifier;
}

/** Builds the configuration of a description. */
export function configurationOf(
  id: string,
  description: CredentialDescription,
  origin: { kind: 'provisioned' } | { kind: 'template'; templateId: string; contentVersion: number },
  defaults: ConfigurationDefaults,
): IssuableConfiguration {
  const { format, dataModel, signingAlgorithm, expiration, schema, selectivelyDisclosable, display } = description;
  // Verifiers of W3C credentials resolve DIDs.
  const { issuerIdentifier = format === 'dc+sd-jwt' ? defaults.sdJwtIdentifier : 'did', subject = 'holder' } =
    description;
  const claims = claimsOf(schema);
  return {
    id,
    format,
    dataModel,
    signingAlgorithm,
    expiration,
    issuerIdentifier,
    subject,
    origin: origin.kind,
    ...(origin.kind === 'template' && { templateId: origin.templateId, contentVersion: origin.contentVersion }),
    ...(format === 'jwt_vc_json' ? { types: description.types ?? usualTypes(dataModel) } : {}),
    ...(format === 'dc+sd-jwt' ? { vct: description.vct ?? defaults.vct } : {}),
    ...(schema && { schema }),
    ...(selectivelyDisclosable && { selectivelyDisclosable }),
    ...(display && display.length > 0 && { display }),
    ...(claims.length > 0 && { claims }),
  };
}

// Open Badges 3.0 knows a badge by this type.
function usualTypes(dataModel: DataModel): readonly string[] {
  return dataModel === 'open-badges-3.0' ? ['VerifiableCredential', 'OpenBadgeCredential'] : ['VerifiableCredential'];
}

/** The top-level claims that a schema names, with its titles as labels, for wallets to show. */
function claimsOf(schema: JsonSchema | undefined): ClaimDescription[] {
  const properties = schema?.['properties'];
  if (typeof properties !== 'object' || properties === null) return [];
  const required: unknown = schema?.['required'];
  return Object.entries(properties as Record<string, unknown>).map(([name, property]) => {
    const title: unknown = (property as Record<string, unknown> | null)?.['title'];
    return {
      path: [name],
      ...(Array.isArray(required) && required.includes(name) && { mandatory: true }),
      ...(typeof title === 'string' && { display: [{ name: title }] }),
    };
  });
}
