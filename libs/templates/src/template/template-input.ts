import type { IssuerIdentifier } from '@app/config';
import type { GivenType } from '@app/credentials';
import type { CredentialFormatId, CredentialSigningAlgorithm, DcqlQuery, KeyAttestationLevels } from '@app/openid4vc';
import type { JsonObject } from '@app/primitives/json';
import type { ClaimSources } from '../data-sources/claim-sources';
import type { DataOrigin, Identification } from '../data-sources/data-origin';
import type { CredentialSubject, DataModel } from '../configuration/credential-configuration';
import type { JsonSchema } from '../schema/json-schema';
import type { FourEyes } from './four-eyes';
import type { TemplateContent } from './template';

/** What the content of a template is asked to be. What is absent or null gets its default. */
export interface TemplateInput extends GivenType {
  readonly title: string;
  readonly description?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly format: CredentialFormatId;
  readonly dataModel?: DataModel | null | undefined;
  readonly schema: JsonSchema;
  readonly expiration?: string | null | undefined;
  readonly retention?: string | null | undefined;
  readonly signingAlgorithm?: CredentialSigningAlgorithm | null | undefined;
  readonly issuerIdentifier?: IssuerIdentifier | null | undefined;
  readonly subject?: CredentialSubject | null | undefined;
  readonly revocable?: boolean | null | undefined;
  readonly scope?: string | null | undefined;
  readonly keyAttestationsRequired?: KeyAttestationLevels | null | undefined;
  readonly maxCopies?: number | null | undefined;
  readonly disclosurePolicy?: JsonObject | null | undefined;
  readonly identification?: Identification | null | undefined;
  readonly presentation?: DcqlQuery | null | undefined;
  readonly data?: DataOrigin | null | undefined;
  readonly claims?: ClaimSources | null | undefined;
  readonly approval?: 'manual' | null | undefined;
  readonly display?: TemplateContent['display'] | null | undefined;
  readonly claimLabels?: TemplateContent['claimLabels'] | null | undefined;
  readonly fourEyes?: FourEyes | null | undefined;
}

/** Only what is to change; null sets a default. */
export type TemplateChange = Partial<Omit<TemplateInput, 'format' | 'dataModel'>> & { readonly newType?: boolean };
