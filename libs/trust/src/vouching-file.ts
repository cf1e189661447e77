import { parse } from 'yaml';
import { TrustFault } from './trust-fault';
import { type TrustPurpose, trustPurposes, type Vouching } from './trust-anchor';

const members = ['name', 'purposes', 'types', 'list'];

/** What an anchor vouches for when no YAML file says otherwise: issuers of credentials of any type and their status lists. */
const withoutFile: Omit<Vouching, 'name'> = { purposes: ['issuer', 'status'], types: [] };

/** Reads `NAME.yaml`. Throws `TrustFault`. @param text absent without such a file */
export function readVouching(text: string | undefined, name: string): Vouching {
  if (text === undefined) return { name, ...withoutFile };
  const tree = parseYaml(text);
  const unknown = Object.keys(tree).find((member) => !members.includes(member));
  if (unknown !== undefined) {
    throw new TrustFault('a member of another name', `use only ${members.join(', ')} in it`);
  }
  const { list } = tree;
  if (list !== undefined && !(typeof list === 'string' && URL.canParse(list))) {
    throw new TrustFault('a list that is no URI', 'write the URI of the list of trusted entities in list');
  }
  const given = tree['name'] ?? name;
  if (typeof given !== 'string' || given.trim() === '') {
    throw new TrustFault('a name that is no text', 'write a name in quotes, or leave it out');
  }
  return {
    name: given,
    purposes: readPurposes(tree['purposes']),
    types: readTypes(tree['types']),
    ...(list !== undefined && { list }),
  };
}

function parseYaml(text: string): Record<string, unknown> {
  let tree: unknown;
  try {
    tree = parse(text);
  } catch {
    throw new TrustFault('a text that is not YAML', 'correct its YAML');
  }
  if (typeof tree === 'object' && tree !== null && !Array.isArray(tree)) return tree as Record<string, unknown>;
  throw new TrustFault('no members', `write at least purposes in it: ${trustPurposes.join(', ')}`);
}

function readPurposes(value: unknown): readonly TrustPurpose[] {
  if (value === undefined) return withoutFile.purposes;
  const isSound = Array.isArray(value) && value.length > 0 && value.every(isPurpose);
  if (isSound) return value;
  throw new TrustFault('other purposes', `write a list of one or more of: ${trustPurposes.join(', ')}`);
}

function isPurpose(value: unknown): value is TrustPurpose {
  return trustPurposes.some((purpose) => purpose === value);
}

function readTypes(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const isSound = Array.isArray(value) && value.length > 0 && value.every(isType);
  if (isSound) return value;
  throw new TrustFault('types that are no list of texts', 'write a list of types of credentials, or leave it out');
}

function isType(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
