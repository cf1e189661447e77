import type { DcqlQuery } from '../dcql/dcql-query';
import type { PresentationField } from '../formats/credential-format';
import { type CredentialFormatId, type DcqlCredentialQuery, formatOf, wireFormats } from '../formats/registry';
import type { DefinitionVariant } from '../wire/request-variant';
import { type SubmissionRequirement, submissionRequirements } from './submission-requirements';
import type { ClaimsPath } from '../formats/configuration-members';
import type { DcqlClaimsQuery } from '../dcql/dcql-claims-query';

export interface InputDescriptor {
  readonly id: string;
  readonly group?: readonly string[];
  readonly format: Readonly<Record<string, unknown>>;
  readonly constraints: {
    readonly limit_disclosure?: 'required';
    readonly fields: readonly PresentationField[];
  };
}

/** DIF Presentation Exchange 2.0, as far as we ask by it. */
export interface PresentationDefinition {
  readonly id: string;
  readonly input_descriptors: readonly InputDescriptor[];
  readonly submission_requirements?: readonly SubmissionRequirement[];
}

/** A descriptor before it is rendered: one set of claims of one credential query. */
interface PlannedDescriptor {
  readonly id: string;
  readonly query: DcqlCredentialQuery;
  readonly claimIds?: readonly string[];
}

export interface DerivationOptions {
  readonly variant: DefinitionVariant;
  /** The JWS algorithms we verify. */
  readonly algorithms: readonly string[];
}

export type Derivation =
  | {
      readonly definition: PresentationDefinition;
      /** Descriptor ids by which a submission answers, with the DCQL id that each of them represents. */
      readonly descriptorToQueryId: Readonly<Record<string, string>>;
    }
  | { readonly unavailable: string };

/**
 * Says a DCQL query in Presentation Exchange, for wallets that know nothing else. What is received is checked against
 * the DCQL query again, so `trusted_authorities`, `multiple` (one is asked for) and
 * `require_cryptographic_holder_binding` (older wallets always bind) are left to that check; anything else that cannot be
 * said the same way makes the definition unavailable, with the reason.
 * @param definitionId comes back as `definition_id`.
 */
export function derivePresentationDefinition(
  query: DcqlQuery,
  definitionId: string,
  { variant, algorithms }: DerivationOptions,
): Derivation {
  const unavailable = whyUnavailable(query, variant);
  if (unavailable !== undefined) return { unavailable };
  const planned = planDescriptors(query);
  const { requirements, groups } = submissionRequirements(query, planned);
  return {
    definition: {
      id: definitionId,
      input_descriptors: planned.map((descriptor) => {
        const group = groups.get(descriptor.id);
        return renderDescriptor(descriptor, group, variant, algorithms);
      }),
      ...(requirements.length === 0 ? {} : { submission_requirements: requirements }),
    },
    descriptorToQueryId: Object.fromEntries(planned.map(({ id, query: { id: queryId } }) => [id, queryId])),
  };
}

/** The credential formats a definition asks for. */
export function formatsOfDefinition(definition: PresentationDefinition): readonly CredentialFormatId[] {
  const named = new Set(definition.input_descriptors.flatMap(({ format }) => Object.keys(format)));
  return wireFormats.filter(({ earlierName }) => named.has(earlierName)).map(({ id }) => id);
}

function whyUnavailable(query: DcqlQuery, variant: DefinitionVariant): string | undefined {
  const redirect = variant === 'draft-20-redirect';
  if (redirect && query.credential_sets !== undefined) return 'these wallets do not support submission requirements';
  for (const { id, format, claims, claim_sets } of query.credentials) {
    const { hasSelectiveDisclosure, exchange } = formatOf(format);
    if (exchange === undefined) return `presentation definitions do not ask for the format ${format} of '${id}'`;
    if (redirect && claim_sets !== undefined) return `these wallets know no alternatives (claim_sets of '${id}')`;
    for (const { path, values } of claims ?? []) {
      const shown = JSON.stringify(path);
      if (values !== undefined && new Set(values.map((value) => typeof value)).size > 1) {
        return `the claim ${shown} of '${id}' has values of different types`;
      }
      // Presentation Exchange uses the first match only, DCQL at every element.
      if (path.includes(null) && (values !== undefined || hasSelectiveDisclosure)) {
        return `the claim ${shown} of '${id}' means every element of an array`;
      }
    }
  }
  return undefined;
}

/** One descriptor for each credential, or for each of its claim sets; credentials outside all sets are not asked for. */
function planDescriptors({ credentials, credential_sets }: DcqlQuery): readonly PlannedDescriptor[] {
  const used = credential_sets && new Set(credential_sets.flatMap(({ options }) => options.flat()));
  const taken = new Set(credentials.map(({ id }) => id));
  return credentials
    .filter(({ id }) => used?.has(id) ?? true)
    .flatMap((query): PlannedDescriptor[] => {
      const sets = query.claim_sets;
      if (sets === undefined) return [{ id: query.id, query }];
      if (sets.length === 1) return sets.map((claimIds) => ({ id: query.id, query, claimIds }));
      return sets.map((claimIds, index) => ({ id: freshId(`${query.id}__${index}`, taken), query, claimIds }));
    });
}

/** `c__0` may be the id of another credential. */
function freshId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  while (taken.has(id)) id += '_';
  taken.add(id);
  return id;
}

function renderDescriptor(
  { id, query, claimIds }: PlannedDescriptor,
  group: readonly string[] | undefined,
  variant: DefinitionVariant,
  algorithms: readonly string[],
): InputDescriptor {
  const claims = (query.claims ?? []).filter((claim) => claimIds?.includes(claim.id ?? '') ?? true);
  const { exchange, hasSelectiveDisclosure } = formatOf(query.format);
  if (exchange === undefined) throw new Error('unreachable: a query with such a format is not derived');
  return {
    id,
    ...(group === undefined ? {} : { group }),
    format: exchange.renderDescriptorFormat(algorithms, variant),
    constraints: {
      // Asked of a credential that cannot be disclosed in parts, wallets refuse it altogether.
      ...(hasSelectiveDisclosure ? { limit_disclosure: 'required' } : {}),
      fields: [exchange.typeField(query), ...claims.map((claim) => claimField(claim, exchange))],
    },
  };
}

/** The field of a presentation definition that asks for a claim. */
function claimField(
  { path, values }: DcqlClaimsQuery,
  format: { claimPaths(below: string): readonly string[] },
): PresentationField {
  return {
    path: format.claimPaths(jsonPath(path)),
    ...(values === undefined ? {} : { filter: { ...typeOf(values), enum: values } }),
  };
}

function jsonPath(path: ClaimsPath): string {
  return path.map(jsonPathStep).join('');
}

function jsonPathStep(step: string | number | null): string {
  if (step === null) return '[*]';
  if (typeof step === 'number') return `[${step}]`;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/u.test(step)) return `.${step}`;
  return `['${step.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`;
}

function typeOf([value]: readonly (string | number | boolean)[]): { type?: string } {
  if (typeof value === 'number') return { type: 'integer' };
  return value === undefined ? {} : { type: typeof value };
}
