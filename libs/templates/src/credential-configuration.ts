import type { ClaimDescription, CredentialConfiguration, CredentialDisplay } from '@app/openid4vc';
import { Problem } from '@app/problem-details';
import type { Expiration } from './expiration';
import type { JsonSchema } from './json-schema';

export const dataModels = ['w3c-vc-1.1', 'open-badges-3.0', 'sd-jwt-vc'] as const;
export type DataModel = (typeof dataModels)[number];

/** What credentials of each format may be shaped after; the first one is the usual. */
export const dataModelsOf: Readonly<Record<CredentialConfiguration['format'], readonly [DataModel, ...DataModel[]]>> = {
  jwt_vc_json: ['w3c-vc-1.1', 'open-badges-3.0'],
  'dc+sd-jwt': ['sd-jwt-vc'],
};

/** A credential configuration as wallets see it, with what issuing needs besides. */
export interface IssuableConfiguration extends CredentialConfiguration {
  readonly origin: 'provisioned' | 'template';
  readonly templateId?: string;
  /** What the claims are shaped after; rules beyond the schema hang on it. */
  readonly dataModel: DataModel;
  readonly expiration: Expiration;
  readonly schema?: JsonSchema;
  /** JSON Pointers into the claims; absent means every top-level claim. Only for `dc+sd-jwt`. */
  readonly selectivelyDisclosable?: readonly string[];
}

type Kind = Pick<CredentialDescription, 'format' | 'dataModel'>;

/** Whether this version knows the format. What is stored may be the work of a newer one. */
export function isFormatKnown({ format }: Pick<Kind, 'format'>): boolean {
  return Object.hasOwn(dataModelsOf, format);
}

/** Whether this version can build such a credential: the format is known, and so is the data model in this format. */
export function isBuildable(kind: Kind): boolean {
  return isFormatKnown(kind) && dataModelsOf[kind.format].includes(kind.dataModel);
}

/** What a configuration or template is refused with whose content this version does not understand. */
export function unsupportedFormat(id: string, { format, dataModel }: Kind): Problem {
  return new Problem(
    'unsupported-credential-configuration-format',
    `${id} is stored with the format ${format} and the data model ${dataModel}, which this version does not know.`,
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
  readonly schema?: JsonSchema;
  readonly selectivelyDisclosable?: readonly string[];
  readonly display?: readonly CredentialDisplay[];
}

/** Builds the configuration of a description. `hostedVct` is used for `dc+sd-jwt` when the description names no type. */
export function configurationOf(
  id: string,
  description: CredentialDescription,
  origin: { kind: 'provisioned' } | { kind: 'template'; templateId: string },
  hostedVct: string,
): IssuableConfiguration {
  const { format, dataModel, signingAlgorithm, expiration, schema, selectivelyDisclosable, display } = description;
  const claims = claimsOf(schema);
  return {
    id,
    format,
    dataModel,
    signingAlgorithm,
    expiration,
    origin: origin.kind,
    ...(origin.kind === 'template' && { templateId: origin.templateId }),
    ...(format === 'jwt_vc_json' ? { types: description.types ?? usualTypes(dataModel) } : {}),
    ...(format === 'dc+sd-jwt' ? { vct: description.vct ?? hostedVct } : {}),
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
