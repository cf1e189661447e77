import type { Field } from '../form/field';

/** What the management API says of a kind of credential, as far as a query needs it. */
export interface AskedConfiguration {
  readonly id: string;
  readonly format: 'jwt_vc_json' | 'dc+sd-jwt' | 'mso_mdoc';
  readonly type?: readonly string[];
  readonly vct?: string;
  readonly doctype?: string;
}

/** A claims path pointer (OpenID4VP 1.0 §7); null stands for every element of a list. */
export type ClaimPath = readonly (string | null)[];

export interface AskedCredential {
  readonly configuration: AskedConfiguration;
  readonly claims: readonly ClaimPath[];
}

/** The claims that a form has a control for, each with its path. */
export function claimPaths(field: Field, path: ClaimPath = []): readonly ClaimPath[] {
  switch (field.kind) {
    case 'group':
      return field.members.flatMap(({ name, field: member }) => claimPaths(member, [...path, name]));
    case 'list':
      return field.item.kind === 'group' ? claimPaths(field.item, [...path, null]) : [[...path, null]];
    case 'text':
    case 'file':
    case 'number':
    case 'choice':
    case 'constant':
    case 'json':
      return path.length === 0 ? [] : [path];
  }
}

/** The DCQL query (OpenID4VP 1.0 §6) for these credentials, all of which must be presented. */
export function dcqlQuery(asked: readonly AskedCredential[]): object {
  return {
    credentials: asked.map(({ configuration, claims }, index) => ({
      id: queryId(configuration.id, index, asked),
      format: configuration.format,
      meta: metaOf(configuration),
      ...(claims.length > 0 && { claims: pathsIn(configuration, claims).map((path) => ({ path })) }),
    })),
  };
}

function metaOf({ format, type, vct, doctype }: AskedConfiguration): object {
  switch (format) {
    case 'jwt_vc_json':
      return { type_values: [type ?? ['VerifiableCredential']] };
    case 'dc+sd-jwt':
      return { vct_values: vct === undefined ? [] : [vct] };
    case 'mso_mdoc':
      return { doctype_value: doctype ?? '' };
  }
}

function pathsIn({ format }: AskedConfiguration, paths: readonly ClaimPath[]): readonly ClaimPath[] {
  switch (format) {
    case 'jwt_vc_json':
      return paths.map((path) => ['credentialSubject', ...path]);
    case 'dc+sd-jwt':
      return paths;
    case 'mso_mdoc': {
      // Name space and element: an element is disclosed as a whole.
      const elements = paths.map((path) => path.slice(0, 2));
      const names = elements.map((path) => JSON.stringify(path));
      return elements.filter((_path, index) => names.indexOf(names[index] ?? '') === index);
    }
  }
}

/** Letters, digits, `_` and `-` only (§6.1), and each id once. */
function queryId(id: string, index: number, asked: readonly AskedCredential[]): string {
  const plain = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  const isTaken = asked.slice(0, index).some(({ configuration }) => plain(configuration.id) === plain(id));
  return isTaken ? `${plain(id)}-${index + 1}` : plain(id);
}
