import { type DcqlQuery } from '../dcql/dcql-query';

/** DIF Presentation Exchange 2.0 §5.1 (feature Submission Requirement). */
export interface SubmissionRequirement {
  readonly rule: 'all' | 'pick';
  readonly count?: number;
  readonly min?: number;
  readonly max?: number;
  readonly from?: string;
  readonly from_nested?: readonly SubmissionRequirement[];
}

interface Descriptor {
  readonly id: string;
  readonly query: { readonly id: string };
}

/**
 * Says `credential_sets` and `claim_sets` as groups of descriptors and what to pick from them. Nothing is returned
 * where every descriptor is wanted anyway: many wallets lack this feature.
 */
export function submissionRequirements(
  query: DcqlQuery,
  descriptors: readonly Descriptor[],
): { requirements: readonly SubmissionRequirement[]; groups: ReadonlyMap<string, readonly string[]> } {
  const grouping = new Grouping(descriptors);
  if (query.credential_sets !== undefined) {
    const requirements = query.credential_sets.map(({ options, required }, index) =>
      grouping.oneOf(options, `set_${index}`, required ?? true),
    );
    return { requirements, groups: grouping.groups };
  }
  const ids = query.credentials.map(({ id }) => id);
  if (ids.every((id) => !grouping.hasAlternatives(id))) return { requirements: [], groups: grouping.groups };
  return { requirements: grouping.eachOf(ids, 'credentials'), groups: grouping.groups };
}

class Grouping {
  readonly groups = new Map<string, string[]>();
  private readonly descriptors = new Map<string, string[]>();

  constructor(descriptors: readonly Descriptor[]) {
    for (const { id, query } of descriptors) this.descriptorsOf(query.id).push(id);
  }

  hasAlternatives(queryId: string): boolean {
    return this.descriptorsOf(queryId).length > 1;
  }

  /** One of several options, each a list of credential queries. */
  oneOf(options: readonly (readonly string[])[], group: string, required: boolean): SubmissionRequirement {
    const pick = { rule: 'pick', ...(required ? { count: 1 } : { min: 0, max: 1 }) } as const;
    const [only, ...others] = options;
    if (required && only !== undefined && others.length === 0) return this.allOf(only, group);
    // Single credentials can share one group, whatever claim sets they have.
    if (options.every((option) => new Set(option).size === 1))
      return { ...pick, from: this.group(options.flat(), group) };
    return { ...pick, from_nested: options.map((option, index) => this.allOf(option, `${group}_${index}`)) };
  }

  allOf(queryIds: readonly string[], group: string): SubmissionRequirement {
    const [only, ...others] = this.eachOf(queryIds, group);
    if (only !== undefined && others.length === 0) return only;
    return { rule: 'all', from_nested: [...(only === undefined ? [] : [only]), ...others] };
  }

  /** Requirements that together ask for every one of these credential queries. */
  eachOf(queryIds: readonly string[], group: string): SubmissionRequirement[] {
    const distinct = [...new Set(queryIds)];
    const plain = distinct.filter((id) => !this.hasAlternatives(id));
    const picks = distinct.filter((id) => this.hasAlternatives(id));
    return [
      ...(plain.length === 0 ? [] : [{ rule: 'all', from: this.group(plain, group) } as const]),
      ...picks.map((id) => ({ rule: 'pick', count: 1, from: this.group([id], `claims_of_${id}`) }) as const),
    ];
  }

  /** Puts all descriptors of these credential queries into the group. */
  private group(queryIds: readonly string[], name: string): string {
    for (const id of new Set(queryIds.flatMap((queryId) => this.descriptorsOf(queryId)))) {
      const groups = this.groups.get(id) ?? [];
      if (!groups.includes(name)) this.groups.set(id, [...groups, name]);
    }
    return name;
  }

  private descriptorsOf(queryId: string): string[] {
    const known = this.descriptors.get(queryId) ?? [];
    this.descriptors.set(queryId, known);
    return known;
  }
}
