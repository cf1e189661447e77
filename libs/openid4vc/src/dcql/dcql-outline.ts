import { type ClaimsPath } from '../formats/configuration-members';
import { type DcqlQuery } from './dcql-query';
import {
  type CredentialConfiguration,
  type CredentialFormatId,
  type DcqlCredentialQuery,
  formatOf,
  isFormatName,
} from '../formats/registry';
import { isWireObject, member, nonEmptyStrings, type WireObject } from '../wire/wire-object';

/** One credential that is asked for, without the language of queries. */
export interface AskedCredential {
  readonly query: DcqlCredentialQuery;
  /** The names of its type, each one an alternative; none when any type will do. */
  readonly types: readonly string[];
  /** Lists of claims, each one enough, the preferred one first; paths from where the claims of the person start. */
  readonly claims: readonly (readonly ClaimsPath[])[];
  /** How many steps of each path are nothing for people: of an mdoc the name space. */
  readonly stepsAboveClaims: number;
  /** Wallets send such a credential with all of its claims. */
  readonly isSentWhole: boolean;
}

/** Credentials that are presented together, or instead of them those of another alternative. */
export interface AskedChoice {
  readonly isRequired: boolean;
  readonly alternatives: readonly (readonly AskedCredential[])[];
}

/** What a query asks for (OpenID4VP 1.0 §6.4), for people to read. */
export function outlineOf({ credentials, credential_sets: sets }: DcqlQuery): readonly AskedChoice[] {
  const asked = new Map(credentials.map((query) => [query.id, askedCredential(query)]));
  if (!sets) return [...asked.values()].map((credential) => ({ isRequired: true, alternatives: [[credential]] }));
  return sets.map(({ options, required = true }) => ({
    isRequired: required,
    alternatives: options.map((ids) => ids.flatMap((id) => asked.get(id) ?? [])),
  }));
}

/** The names of the type that credentials of this configuration have: the vct, the doctype, or the W3C types. */
export function typesOfConfiguration(configuration: CredentialConfiguration): readonly string[] {
  return formatOf(configuration.format).typesOf(configuration);
}

/** A format, and types of its credentials. */
export interface NamedTypes {
  readonly format: CredentialFormatId;
  /** Alternatives, each with all names of the type; any type when there is none. */
  readonly alternatives: readonly (readonly string[])[];
}

/**
 * What `format` and `meta` of a query name, whoever wrote them; undefined for a format that is not known here, and for a `meta`
 * that names no type in a way that can be read.
 */
export function namedTypes(format: unknown, meta: unknown): NamedTypes | undefined {
  if (!isFormatName(format)) return undefined;
  const wire = formatOf(format);
  if (!isWireObject(meta) || Object.keys(meta).length === 0) return { format: wire.id, alternatives: [] };
  const named = wire.alternativesIn(meta);
  const alternatives = (Array.isArray(named) ? named : []).flatMap((one: unknown) => {
    const names = nonEmptyStrings(Array.isArray(one) ? one : [one]);
    return names ? [names] : [];
  });
  return alternatives.length === 0 ? undefined : { format: wire.id, alternatives };
}

/** The type of a configuration in issuer metadata of 1.0; undefined when it cannot be read. */
export function typeInMetadata(
  configuration: WireObject,
): { readonly format: CredentialFormatId; readonly types: readonly string[] } | undefined {
  const format = member(configuration, 'format');
  if (!isFormatName(format)) return undefined;
  const wire = formatOf(format);
  const types = nonEmptyStrings(wire.typesInMetadata(configuration));
  return types && { format: wire.id, types };
}

/** Whether credentials of this configuration are of a type that the query asks for. */
export function isOfConfiguration(query: DcqlCredentialQuery, configuration: CredentialConfiguration): boolean {
  const format = formatOf(query.format);
  return configuration.format === query.format && format.isOfQueriedType(query, format.typesOf(configuration));
}

function askedCredential(query: DcqlCredentialQuery): AskedCredential {
  const format = formatOf(query.format);
  const { hasSelectiveDisclosure, pathToClaims, stepsAboveClaims = 0 } = format;
  const { claims = [], claim_sets: sets } = query;
  const below = ({ path }: { readonly path: ClaimsPath }): ClaimsPath =>
    pathToClaims.every((step, index) => path[index] === step) ? path.slice(pathToClaims.length) : path;
  const lists = sets?.map((ids) => ids.flatMap((id) => claims.find((claim) => claim.id === id) ?? []));
  return {
    query,
    types: format.queriedTypes(query),
    // A path to all claims names none of them.
    claims: (lists ?? [claims]).map((list) => list.map(below).filter((path) => path.length > 0)),
    stepsAboveClaims,
    isSentWhole: !hasSelectiveDisclosure,
  };
}
