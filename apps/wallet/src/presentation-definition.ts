import { Ajv, type Schema } from 'ajv';
import { newestFirst, type AskedCredential, type Match } from './asked-credential';
import { parseJsonPath, valuesAt, type ClaimPath } from './claim-path';
import { WalletFailure } from './failure';
import { contentOf, vcOf } from './stored-credential';
import type { ReceivedCredential } from './wallet-file';

/** The members of Presentation Exchange 2 that this wallet obeys. */
interface Definition {
  readonly id: string;
  readonly format?: Record<string, unknown>;
  readonly input_descriptors: readonly Descriptor[];
  readonly submission_requirements?: readonly Requirement[];
}
interface Descriptor {
  readonly id: string;
  readonly format?: Record<string, unknown>;
  readonly group?: readonly string[];
  readonly constraints?: { readonly fields?: readonly Field[] };
}
interface Field {
  readonly path: readonly string[];
  readonly filter?: Schema;
  readonly optional?: boolean;
}
interface Requirement {
  readonly rule: 'all' | 'pick';
  readonly count?: number;
  readonly min?: number;
  readonly from?: string;
  readonly from_nested?: readonly Requirement[];
}

const ajv = new Ajv({ strict: false, validateFormats: false, ownProperties: true });
const formatsOf = {
  jwt_vc_json: ['jwt_vc_json', 'jwt_vp_json', 'jwt_vc', 'jwt_vp'],
  'dc+sd-jwt': ['vc+sd-jwt', 'dc+sd-jwt'],
  'vc+sd-jwt': ['vc+sd-jwt', 'dc+sd-jwt'],
};

/**
 * Matches the wallet against a presentation definition (OpenID4VP drafts 18 to 24). Answers every descriptor that must
 * be met, of a pick only as many as it wants. Throws when the definition cannot be met.
 */
export function matchDefinition(input: unknown, credentials: readonly ReceivedCredential[]): AskedCredential[] {
  const definition = input as Partial<Definition> | null;
  const descriptors = definition?.input_descriptors;
  if (!Array.isArray(descriptors)) throw new WalletFailure('The presentation definition has no input_descriptors.');
  const answerable = (descriptors as readonly Descriptor[]).flatMap((descriptor): AskedCredential[] => {
    const formats = Object.keys(descriptor.format ?? definition?.format ?? {});
    const matches = credentials
      .filter(({ format }) => formats.length === 0 || formatsOf[format].some((name) => formats.includes(name)))
      .flatMap((credential) => match(descriptor, credential));
    const [first, ...others] = newestFirst(matches);
    const format = formats.find((name) => name.endsWith('+sd-jwt')) ?? 'vc+sd-jwt';
    return first ? [{ id: descriptor.id, format, holderBinding: true, matches: [first, ...others] }] : [];
  });
  const has = (id: string): boolean => answerable.some((asked) => asked.id === id);
  const { submission_requirements: requirements = [{ rule: 'all' as const }] } = definition ?? {};
  const needed = requirements.map((requirement) => meet(requirement, descriptors, has));
  if (needed.includes(undefined)) {
    const unmet = (descriptors as readonly Descriptor[]).filter(({ id }) => !has(id)).map(({ id }) => id);
    throw new WalletFailure(`The wallet holds no credential that matches ${unmet.join(' or ')}.`);
  }
  return answerable.filter(({ id }) => needed.flat().includes(id));
}

/** The ids of the descriptors to answer for one requirement; undefined when it cannot be met. */
function meet(
  { rule, count, min, from, from_nested: nested }: Requirement,
  descriptors: readonly Descriptor[],
  has: (id: string) => boolean,
): string[] | undefined {
  const options = nested
    ? nested.map((one) => meet(one, descriptors, has))
    : descriptors
        .filter(({ group }) => from === undefined || group?.includes(from) === true)
        .map(({ id }) => (has(id) ? [id] : undefined));
  const possible = options.filter((option) => option !== undefined);
  const wanted = rule === 'all' ? options.length : (count ?? min ?? 1);
  return possible.length < wanted ? undefined : possible.slice(0, wanted).flat();
}

/** The credential with the claims the descriptor's fields lead to, or nothing when a required field is not met. */
function match({ constraints }: Descriptor, credential: ReceivedCredential): Match[] {
  const content = contentOf(credential);
  // Definitions address a JWT credential by its claims set or as if `vc` were the document itself.
  const document = credential.format === 'jwt_vc_json' ? { ...vcOf(content), ...content } : content;
  const paths: ClaimPath[] = [];
  for (const field of constraints?.fields ?? []) {
    const path = field.path.map(parseJsonPath).find((one) => one && valuesAt(document, one).length > 0);
    const fits = path && valuesAt(document, path).some((value) => passes(field.filter, value));
    if (path && fits) paths.push(path);
    else if (field.optional !== true) return [];
  }
  return [{ credential, paths }];
}

function passes(filter: Schema | undefined, value: unknown): boolean {
  if (filter === undefined) return true;
  try {
    return ajv.compile(filter)(value);
  } catch (error) {
    throw new WalletFailure(
      `A filter of the presentation definition is malformed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
