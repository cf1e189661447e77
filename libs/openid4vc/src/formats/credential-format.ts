import { type ClaimsPath, type ConfigurationMembers } from './configuration-members';
import { type ClaimsRules, type DcqlClaimsQuery } from '../dcql/dcql-claims-query';
import { type DcqlReader } from '../dcql/dcql-reader';
import { type DcqlTrustedAuthorities } from '../dcql/dcql-trusted-authorities';
import { type CredentialSigningAlgorithm } from '../wire/algorithm-names';
import { type DefinitionVariant } from '../wire/request-variant';
import { type WireObject } from '../wire/wire-object';

type Algorithms = readonly string[];
type Json = Readonly<Record<string, unknown>>;

/** How a credential request of drafts 11 to 14 names what it wants: by the name of a format and a type of credential. */
export interface NamedByType {
  readonly by: 'format';
  readonly format: string;
}

/** What a DCQL credential query has in every format (OpenID4VP 1.0 §6.1). */
export interface CredentialQueryMembers {
  readonly id: string;
  readonly format: string;
  readonly meta: object;
  /** False when absent. */
  readonly multiple?: boolean;
  /** True when absent. */
  readonly require_cryptographic_holder_binding?: boolean;
  readonly trusted_authorities?: readonly DcqlTrustedAuthorities[];
  readonly claims?: readonly DcqlClaimsQuery[];
  /** Lists of claim ids, the preferred one first; never without `claims`. */
  readonly claim_sets?: readonly (readonly string[])[];
}

/** Which credentials a DCQL credential query asks for. */
export type QueriedType<Q extends CredentialQueryMembers> = Q extends unknown ? Pick<Q, 'format' | 'meta'> : never;

/** A field of a presentation definition (DIF Presentation Exchange 2.0). */
export interface PresentationField {
  /** JSONPath alternatives; the first that finds something counts. */
  readonly path: readonly string[];
  /** JSON Schema. */
  readonly filter?: Json;
}

/** Everything that differs between formats when a credential is issued (OpenID4VCI). */
export interface IssuedFormat<C extends ConfigurationMembers, N extends NamedByType> {
  /** The types that a credential of this configuration names. */
  typesOf(configuration: C): readonly string[];
  /** Why a wallet would refuse the type of this configuration; empty when it would not. */
  faultsOfType(configuration: C): readonly string[];
  /** The same of a configuration in issuer metadata of 1.0, whoever rendered it. */
  typesInMetadata(configuration: WireObject): unknown;
  /** The members of the issuer metadata that say the type of the credential. */
  renderType(configuration: C): Json;
  /** The same in drafts 13 and 14, where the claims stand among them. */
  renderEarlierType(configuration: C, claims: Json | undefined): Json;
  /** How a wallet may name the key that a credential is bound to (`cryptographic_binding_methods_supported`). */
  readonly bindingMethods: readonly string[];
  /** `credential_signing_alg_values_supported`; documents of drafts have the name in JOSE headers, whatever the format. */
  signingAlgorithmValues(algorithm: CredentialSigningAlgorithm): readonly (string | number)[];
  /** The type metadata that is hosted for it; undefined when its types are not addresses. */
  renderTypeMetadata(configuration: C): Json | undefined;
  /** Where the claims of the person start in the credential. */
  readonly pathToClaims: ClaimsPath;
  /** The type in a credential request by format. @throws OAuthError */
  readNamed(format: N['format'], body: WireObject): N;
  /** Whether the request means this configuration. */
  isNamedBy(named: N, configuration: C): boolean;
  /** The type that a request names, for the text of an error. */
  typeText(named: N): string;
}

/** Everything that differs between formats when a credential is presented (OpenID4VP). */
export interface PresentedFormat<Q extends CredentialQueryMembers> {
  /** `format` and `meta` of a DCQL credential query; null after something in it was refused. */
  readMeta(query: WireObject, pointer: string, reader: DcqlReader): QueriedType<Q> | null;
  /** The members of `meta`, as JSON Schema. */
  readonly metaSchema: Readonly<Record<string, object>>;
  /** The names of the types that a query asks for, each one an alternative; none when any type will do. */
  queriedTypes(query: Q): readonly string[];
  /** Whether a credential of these types is one that the query asks for. */
  isOfQueriedType(query: Q, types: readonly string[]): boolean;
  /** The types that `meta` of whoever names as alternatives, each a name or a list of names. */
  alternativesIn(meta: WireObject): unknown;
  /** Its member of `vp_formats_supported` (OpenID4VP 1.0 §11.1). */
  renderVpFormat(algorithms: Algorithms): Json;
  /** How it is asked for by a presentation definition; absent: it is not, and only DCQL asks for it. */
  readonly exchange?: ExchangedFormat<Q>;
  /** What a claims query has in this format alone. */
  readonly claims?: ClaimsRules;
  /** How many steps of a path to a claim lead to where claims are, which is nothing for people; 0 when absent. */
  readonly stepsAboveClaims?: number;
  /** What its issuers are: the purpose of the trust anchors that vouch for them. */
  readonly vouchedBy: 'issuer' | 'document';
  readonly hasSelectiveDisclosure: boolean;
  /** Whether every presentation is signed with the key of the holder, so that a query cannot do without. */
  readonly isAlwaysBound: boolean;
  /** Whether a presentation can hold the hashes of transaction data. */
  readonly confirmsTransactionData: boolean;
  /** Whether HAIP 1.0 (§6) profiles it. */
  readonly isKnownToHaip: boolean;
}

/** What differs between formats in Presentation Exchange (drafts 18 to 24). */
export interface ExchangedFormat<Q extends CredentialQueryMembers> {
  /** Its members of `vp_formats`. */
  renderEarlierVpFormats(algorithms: Algorithms): Json;
  /** `format` of an input descriptor. */
  renderDescriptorFormat(algorithms: Algorithms, variant: DefinitionVariant): Json;
  /** The field of a presentation definition that asks for the type of the credential. */
  typeField(query: Q): PresentationField;
  /** Every JSONPath at which a claim may stand. @param below the path from where the claims of the person start. */
  claimPaths(below: string): readonly string[];
  /** What a `descriptor_map` may call it. */
  readonly submissionNames: readonly string[];
  /** Why this presentation, if it is one of the format, holds no credential below it. */
  nestingFault(token: string): string | undefined;
}

/**
 * Everything that OpenID4VCI and OpenID4VP say about one credential format. The methods are looked up by the `format`
 * of what they are given.
 */
export interface WireFormat<
  C extends ConfigurationMembers & { readonly format: string },
  N extends NamedByType,
  Q extends CredentialQueryMembers,
>
  extends IssuedFormat<C, N>, PresentedFormat<Q> {
  /** The identifier in OpenID4VCI 1.0 and OpenID4VP 1.0. */
  readonly id: C['format'];
  /** The identifier in the drafts before. */
  readonly earlierName: N['format'];
  /** Every identifier it is asked for by. */
  readonly names: readonly N['format'][];
}
