import { isJsonObject, type JsonObject } from '@app/primitives/json';
import type { Violation } from '@app/primitives/problems';

/** Bytes of its JSON: every wallet gets it with the metadata. */
export const longestPolicy = 8 * 1024;

/** Of Italy's profile, for as long as ETSI has published none; each with the list that it needs. */
const kinds: ReadonlyMap<unknown, string | undefined> = new Map<unknown, string | undefined>([
  ['no_policy', undefined],
  ['authorized_rp_only', 'authorized_parties'],
  ['specific_root_of_trust', 'trusted_roots'],
]);

/** Members of the entries of a list, those that every entry has first. */
const lists = {
  authorized_parties: { wanted: ['identifier'], others: ['entitlement_uri', 'subject_dn'] },
  trusted_roots: { wanted: ['issuer_dn', 'serial_number'], others: [] },
} as const;

const pidType = /^(?:urn:eudi:pid:.*|eu\.europa\.ec\.eudi\.pid\.1)$/;

/**
 * What is wrong with the disclosure policy of a template (CIR (EU) 2024/2979, annex III): its size, its kind, and of the members that
 * are known those that are there. PIDs have none.
 * @param types what the template says of the type of its credentials
 */
export function faultsOfPolicy(policy: unknown, types: readonly unknown[] = []): Violation[] {
  const top = '/disclosurePolicy';
  if (policy === undefined || policy === null) return [];
  if (!isJsonObject(policy)) return [{ pointer: top, message: 'must be a JSON object' }];
  if (Buffer.byteLength(JSON.stringify(policy)) > longestPolicy)
    return [{ pointer: top, message: `must have at most ${longestPolicy} bytes of JSON` }];
  const { policy_data: data } = policy;
  const isNamed = policy['policy_uri'] !== undefined || policy['policy_type'] !== undefined;
  return [
    ...(types.some((type) => typeof type === 'string' && pidType.test(type))
      ? [{ pointer: top, message: 'is not for a PID, which has none' }]
      : []),
    ...(isNamed ? [] : [{ pointer: top, message: 'must say which policy it is: by policy_uri, or by policy_type' }]),
    ...faultsOfMembers(policy, top),
    ...(isJsonObject(data) ? faultsOfMembers(data, `${top}/policy_data`) : []),
  ];
}

function faultsOfMembers(policy: JsonObject, at: string): Violation[] {
  const { policy_type: kind } = policy;
  const needed = kinds.get(kind);
  return [
    ...['policy_uri', 'policy_info_url'].flatMap((member) =>
      policy[member] === undefined || isUri(policy[member])
        ? []
        : [{ pointer: `${at}/${member}`, message: 'must be an absolute URI' }],
    ),
    ...(policy['description'] === undefined || typeof policy['description'] === 'string'
      ? []
      : [{ pointer: `${at}/description`, message: 'must be a text' }]),
    ...(kind === undefined || kinds.has(kind)
      ? []
      : [{ pointer: `${at}/policy_type`, message: `must be one of ${[...kinds.keys()].join(', ')}` }]),
    ...(needed !== undefined && policy[needed] === undefined
      ? [{ pointer: at, message: `must have ${needed}, as its policy_type is ${JSON.stringify(kind)}` }]
      : []),
    ...Object.entries(lists).flatMap(([member, members]) => faultsOfList(policy[member], `${at}/${member}`, members)),
  ];
}

function faultsOfList(
  list: unknown,
  at: string,
  { wanted, others }: { readonly wanted: readonly string[]; readonly others: readonly string[] },
): Violation[] {
  if (list === undefined) return [];
  if (!Array.isArray(list) || list.length === 0) return [{ pointer: at, message: 'must be a list of one or more' }];
  return list.flatMap((entry: unknown, index) => {
    const isText = (member: string): boolean => isJsonObject(entry) && typeof entry[member] === 'string';
    const isRight =
      isJsonObject(entry) &&
      wanted.every((member) => isText(member) && entry[member] !== '') &&
      others.every((member) => entry[member] === undefined || isText(member));
    const message = `must be an object with ${wanted.join(' and ')} as texts`;
    return isRight ? [] : [{ pointer: `${at}/${index}`, message }];
  });
}

function isUri(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\S+$/i.test(value);
}
