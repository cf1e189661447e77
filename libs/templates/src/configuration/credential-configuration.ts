import { type IssuerIdentifier, issuerIdentifiers } from '@app/config';
import {
  credentialFormat,
  type DataModel,
  type DescribedType,
  type DescriptionDefaults,
  type OwnMembers,
} from '@app/credentials';
import {
  type ClaimDescription,
  type CredentialConfiguration,
  type CredentialDisplay,
  type CredentialSigningAlgorithm,
  isCredentialFormat,
  type KeyAttestationLevels,
} from '@app/openid4vc';
import type { JsonObject } from '@app/primitives/json';
import { type Concern, Problem } from '@app/primitives/problems';
import { type ClaimLabels, labelled } from './claim-labels';
import type { ClaimSources } from '../data-sources/claim-sources';
import type { DataTerms } from '../data-sources/data-origin';
import type { Expiration } from '../template/expiration';
import type { JsonSchema } from '../schema/json-schema';
import type { Retention } from '../template/retention';

export { type DataModel, dataModels } from '@app/credentials';

/** Whether a credential describes the person who holds it, or an object. */
export const credentialSubjects = ['holder', 'thing'] as const;
export type CredentialSubject = (typeof credentialSubjects)[number];

/** A credential configuration as wallets see it, with what issuing needs in addition. */
export type IssuableConfiguration = CredentialConfiguration & IssuingTerms;

interface IssuingTerms extends DataTerms {
  readonly origin: 'provisioned' | 'template';
  readonly templateId?: string;
  /** Of the template: which of its contents this is. */
  readonly contentVersion?: number;
  /** What the claims are shaped after; rules beyond the schema hang on it. */
  readonly dataModel: DataModel;
  readonly expiration: Expiration;
  /** Of the claims; absent = for good. */
  readonly retention?: Retention;
  /** Under what kind of name it is issued. */
  readonly issuerIdentifier: IssuerIdentifier;
  /** Neither template nor file has chosen one. */
  readonly isIssuerDefault?: true;
  readonly subject: CredentialSubject;
  /** Of one credential, over its life; absent = as the settings say. */
  readonly maxCopies?: number;
  /** Whether each issued credential has an entry in a status list. */
  readonly revocable: boolean;
  readonly schema?: JsonSchema;
}

/** Where the data comes from, as templates and files say it: with the sources of the claims as `claims`. */
type DescribedData = Omit<DataTerms, 'claimSources'> & { readonly claims?: ClaimSources };

type Kind = Pick<CredentialDescription, 'format' | 'dataModel' | 'issuerIdentifier' | 'subject'>;

/** Whether this version knows the format. What is stored may be the work of a newer one. */
export function isFormatKnown({ format }: Pick<Kind, 'format'>): boolean {
  return isCredentialFormat(format);
}

/** Whether this version can build such a credential: it knows the format, the data model in it, and every choice. */
export function isBuildable(kind: Kind): boolean {
  const { format, dataModel, issuerIdentifier, subject } = kind;
  return (
    isFormatKnown(kind) &&
    credentialFormat(format).dataModels.includes(dataModel) &&
    (issuerIdentifier === undefined || issuerIdentifiers.includes(issuerIdentifier)) &&
    (subject === undefined || credentialSubjects.includes(subject))
  );
}

/** What a credential is shaped after: what is said, else what the type says, else the usual one. */
export function dataModelOf({ format, dataModel, types }: DescribedModel): DataModel {
  const {
    dataModels: [usual],
    impliedDataModel,
  } = credentialFormat(format);
  return dataModel ?? impliedDataModel(types) ?? usual;
}

interface DescribedModel extends Pick<CredentialDescription, 'format'> {
  readonly dataModel?: DataModel | null | undefined;
  readonly types?: readonly string[];
}

/** For the error that this version does not know all of it. */
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
    `${id} is stored with values that this version does not know: ${kindText(kind)}.`,
  );
}

/** What templates and provisioned files say about a credential in the same words. */
export type CredentialDescription = DescribedType & DescribedTerms;

interface DescribedTerms extends DescribedData {
  /** Its name where `display` is absent. */
  readonly title?: string;
  readonly dataModel: DataModel;
  readonly signingAlgorithm: CredentialSigningAlgorithm;
  readonly expiration: Expiration;
  readonly retention?: Retention;
  readonly issuerIdentifier?: IssuerIdentifier;
  readonly subject?: CredentialSubject;
  /** Absent: the id of the configuration. */
  readonly scope?: string;
  readonly keyAttestationsRequired?: KeyAttestationLevels;
  readonly maxCopies?: number;
  readonly disclosurePolicy?: JsonObject;
  /** Absent: it is not. */
  readonly revocable?: true;
  readonly schema?: JsonSchema;
  readonly display?: readonly CredentialDisplay[];
  readonly claimLabels?: ClaimLabels;
}

/** Builds the configuration of a description. */
export function configurationOf(
  id: string,
  description: CredentialDescription,
  origin: { kind: 'provisioned' } | { kind: 'template'; templateId: string; contentVersion: number },
  defaults: DescriptionDefaults,
): IssuableConfiguration {
  const { signingAlgorithm, expiration, retention, schema, title } = description;
  const dataModel = isFormatKnown(description) ? dataModelOf(description) : description.dataModel;
  const display = description.display?.length ? description.display : title === undefined ? [] : [{ name: title }];
  const { subject = 'holder', revocable = false, identification, data, approval, claims: claimSources } = description;
  const { keyAttestationsRequired, maxCopies, disclosurePolicy, presentation } = description;
  const format = isFormatKnown(description) ? credentialFormat(description.format) : undefined;
  const claims = labelled(claimsOf(schema, format?.stepsToClaim ?? 1), description.claimLabels);
  return {
    ...(format?.configure({ ...description, dataModel }, defaults) ?? ofUnknownFormat(description)),
    id,
    scope: description.scope ?? id,
    ...(keyAttestationsRequired && { keyAttestationsRequired }),
    ...(disclosurePolicy && { disclosurePolicy }),
    dataModel,
    signingAlgorithm,
    expiration,
    ...(retention && { retention }),
    issuerIdentifier: description.issuerIdentifier ?? format?.issuerIdentifier(defaults) ?? 'did',
    ...(description.issuerIdentifier === undefined && { isIssuerDefault: true }),
    subject,
    revocable,
    ...(maxCopies !== undefined && { maxCopies }),
    ...(identification && { identification }),
    ...(presentation && { presentation }),
    ...(data && { data }),
    ...(claimSources && { claimSources }),
    ...(approval && { approval }),
    origin: origin.kind,
    ...(origin.kind === 'template' && { templateId: origin.templateId, contentVersion: origin.contentVersion }),
    ...(schema && { schema }),
    ...(display.length > 0 && { display }),
    ...(claims.length > 0 && { claims }),
  };
}

/** Without the type, whose members only a newer version knows, too; `isFormatKnown` is false for it. */
function ofUnknownFormat({ format }: Pick<CredentialConfiguration, 'format'>): OwnMembers<CredentialConfiguration> {
  const own: Pick<CredentialConfiguration, 'format'> = { format };
  return own as OwnMembers<CredentialConfiguration>;
}

/** The members in the words of the management API, where the types of a W3C credential are `type`. */
export function inApiWords<T extends object>(
  described: T & { readonly types?: readonly string[] },
): Omit<T, 'types'> & { readonly type?: readonly string[] } {
  const { types, ...rest } = described;
  return { ...rest, ...(types && { type: types }) };
}

/** The claims that a schema names, with its titles as labels, for wallets to show. @param steps of the path to each */
function claimsOf(schema: unknown, steps: number, above?: Above): ClaimDescription[] {
  const { properties, required } = (schema ?? {}) as Record<string, unknown>;
  if (typeof properties !== 'object' || properties === null) return [];
  const { path = [], isMandatory: isWithin = true } = above ?? {};
  return Object.entries(properties as Record<string, unknown>).flatMap(([name, property]) => {
    // No longer than it has to be, which a spread would make it.
    const place = path.concat(name);
    const isMandatory = isWithin && Array.isArray(required) && required.includes(name);
    if (place.length < steps) return claimsOf(property, steps, { path: place, isMandatory });
    const title: unknown = (property as Record<string, unknown> | null)?.['title'];
    return [
      {
        path: place,
        ...(isMandatory && { mandatory: true }),
        ...(typeof title === 'string' && { display: [{ name: title }] }),
      },
    ];
  });
}

interface Above {
  readonly path: readonly string[];
  readonly isMandatory: boolean;
}
