import type { CredentialConfiguration } from '@app/openid4vc';
import type { Violation } from '@app/primitives/problems';

/** What is used for what a description leaves out. */
export interface DescriptionDefaults {
  /** The type of an SD-JWT VC: the address of our own type metadata. */
  readonly vct: string;
  /** Under what kind of name SD-JWT VCs are issued. */
  readonly sdJwtIdentifier: 'did' | 'https';
}

/** The members of a configuration that are its format's own. */
export type OwnMembers<C extends CredentialConfiguration> = C extends unknown
  ? Omit<C, 'id' | 'scope' | 'keyAttestationsRequired' | 'signingAlgorithm' | 'issuer' | 'display' | 'claims'>
  : never;

/**
 * How a credential of the format is described.
 * @typeParam G the members of a template or a file that belong to the format alone
 * @typeParam D what templates store of them
 */
export interface DescribedFormat<C extends CredentialConfiguration, G, D extends { readonly format: C['format'] }> {
  readonly id: C['format'];
  /** What the claims may be shaped after; the first one is the usual. */
  readonly dataModels: readonly [string, ...string[]];
  readonly givenMembers: readonly (keyof G)[];
  /** The data model that a type (`type` of a W3C credential) makes of the usual one. */
  readonly impliedDataModel: (type: unknown) => 'open-badges-3.0' | undefined;
  /** What else has to be given, and how, as JSON Schema of the members. */
  readonly givenRules?: {
    readonly required: readonly string[];
    readonly properties: Readonly<Record<string, unknown>>;
  };
  /** The same in words; of values whose own form is sound. */
  faultsOfGiven(given: Readonly<Record<string, unknown>>): readonly Violation[];
  /** What is wrong with the JSON Schema of the claims, which is well formed. */
  faultsOfSchema(schema: Readonly<Record<string, unknown>>): readonly Violation[];
  /** How many steps of a path lead to a claim: that of an element starts with its name space. */
  readonly stepsToClaim: 1 | 2;
  /** What is wrong with a type in a data model. */
  readonly faultOfType: (type: unknown, dataModel: unknown) => string | undefined;
  /** What a portal means by what it gives; a file has to give it in full. */
  completed(given: G): G;
  /** What is stored of what was given; all of it belongs to the format. */
  describe(given: G): D;
  /** The members of the configuration that are the format's own. */
  configure(described: D & { readonly dataModel: string }, defaults: DescriptionDefaults): OwnMembers<C>;
  /** Top-level members of a credential that are no claims of its subject. */
  readonly reservedClaims: readonly string[];
  /** Whether its type is the address of our own type metadata. */
  isTypeHosted(described: D): boolean;
  /** What, besides the schema, a verifier that names its type relies on. */
  disclosureOf(described: D): readonly string[] | undefined;
  /** Under what kind of name its credentials are issued, when nothing else is asked for. */
  issuerIdentifier(defaults: DescriptionDefaults): 'did' | 'https';
}
