import { urlOf } from '@app/primitives/url';
import { lineOfYamlError } from '@app/primitives/json';
import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { CertificateFault } from '../certificate-fault';
import { type TrustPurpose, trustPurposes, type Vouching } from './trust-anchor';

const members = ['name', 'purposes', 'types', 'list', 'signsDocuments', 'until'];
const longestShown = 60;

/** What an anchor vouches for when no YAML file says otherwise: issuers of credentials of any type and their status lists. */
const withoutFile: Omit<Vouching, 'name'> = { purposes: ['issuer', 'status'], types: [] };

/** Reads `NAME.yaml`. Throws `CertificateFault`. @param text absent without such a file */
export function readVouching(text: string | undefined, name: string): Vouching {
  if (text === undefined) return { name, ...withoutFile };
  const { tree, at } = parseYaml(text);
  const unknown = Object.keys(tree).find((member) => !members.includes(member));
  if (unknown !== undefined) {
    throw new CertificateFault(`the member ${shown(unknown)}${at(unknown)}`, `use only ${members.join(', ')} in it`);
  }
  const { list } = tree;
  if (list !== undefined && !(typeof list === 'string' && urlOf(list) !== undefined)) {
    throw new CertificateFault(
      `the list ${shown(list)}, which is no URI${at('list')}`,
      'write the URI of the list of trusted entities in list',
    );
  }
  const given = tree['name'] ?? name;
  if (typeof given !== 'string' || given.trim() === '') {
    throw new CertificateFault(`the name ${shown(given)}${at('name')}`, 'write a name in quotes, or leave it out');
  }
  const purposes = readPurposes(tree['purposes'], at);
  const { signsDocuments } = tree;
  if (signsDocuments !== undefined && !(typeof signsDocuments === 'boolean' && purposes.includes('document'))) {
    throw new CertificateFault(
      `signsDocuments ${shown(signsDocuments)}${at('signsDocuments')}`,
      'write true or false, and document among the purposes, or leave it out',
    );
  }
  const until = readUntil(tree['until'], at);
  return {
    name: given,
    purposes,
    ...(until && { until }),
    ...(signsDocuments === true && { signsDocuments }),
    types: readTypes(tree['types'], at),
    ...(list !== undefined && { list }),
  };
}

/** Where a member, or an entry of its list, is: ` (line 3)`. */
type Place = (member: string, index?: number) => string;

function parseYaml(text: string): { readonly tree: Record<string, unknown>; readonly at: Place } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const tree = treeOf(document);
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) {
    throw new CertificateFault('no members', `write at least purposes in it: ${trustPurposes.join(', ')}`);
  }
  const at: Place = (member, index) => {
    const start = startOf(document, member, index);
    return start === undefined ? '' : ` (line ${lines.linePos(start).line})`;
  };
  return { tree: tree as Record<string, unknown>, at };
}

function treeOf(document: Document.Parsed): unknown {
  try {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS();
  } catch (error) {
    throw new CertificateFault(`a text that is not YAML${lineOfYamlError(error)}`, 'correct its YAML');
  }
}

function startOf(document: Document.Parsed, member: string, index?: number): number | undefined {
  if (index !== undefined) {
    const entry = document.getIn([member, index], true);
    return isScalar(entry) ? entry.range?.[0] : undefined;
  }
  if (!isMap(document.contents)) return undefined;
  const pair = document.contents.items.find(({ key }) => isScalar(key) && key.value === member);
  return pair?.key.range[0];
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}

function readPurposes(value: unknown, at: Place): readonly TrustPurpose[] {
  if (value === undefined) return withoutFile.purposes;
  const remedy = `write a list of one or more of: ${trustPurposes.join(', ')}`;
  if (!Array.isArray(value) || value.length === 0) {
    throw new CertificateFault(`no list of purposes${at('purposes')}`, remedy);
  }
  const other = value.findIndex((one) => !isPurpose(one));
  if (other === -1) return value as TrustPurpose[];
  throw new CertificateFault(`the purpose ${shown(value[other])}${at('purposes', other)}`, remedy);
}

function readUntil(value: unknown, at: Place): Date | undefined {
  if (value === undefined) return undefined;
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(value);
  const until = new Date(isTime ? value : NaN);
  if (!Number.isNaN(until.getTime())) return until;
  throw new CertificateFault(
    `the end ${shown(value)}${at('until')}`,
    'write a time such as 2027-06-30T12:00:00Z in until, or leave it out',
  );
}

function isPurpose(value: unknown): value is TrustPurpose {
  return trustPurposes.some((purpose) => purpose === value);
}

function readTypes(value: unknown, at: Place): readonly string[] {
  if (value === undefined) return [];
  const remedy = 'write a list of types of credentials, or leave it out';
  if (!Array.isArray(value) || value.length === 0) throw new CertificateFault(`no list of types${at('types')}`, remedy);
  const other = value.findIndex((one) => !isType(one));
  if (other === -1) return value as string[];
  throw new CertificateFault(`the type ${shown(value[other])}, which is no text${at('types', other)}`, remedy);
}

function isType(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
