import { furtherMembers, readCredentialQuery } from './dcql-credential-query';
import { DcqlReader, own, sound } from './dcql-reader';
import { type DcqlCredentialQuery } from '../formats/registry';

/** One use case: a list of alternatives, each a list of credential query ids. */
export interface DcqlCredentialSet {
  readonly options: readonly (readonly string[])[];
  /** True when absent. */
  readonly required?: boolean;
}

/** A well-formed query of OpenID4VP 1.0 §6, ready to be stored and to be sent as `dcql_query`. */
export interface DcqlQuery {
  readonly credentials: readonly DcqlCredentialQuery[];
  readonly credential_sets?: readonly DcqlCredentialSet[];
}

export const MOST_CREDENTIALS = 20;
export const MOST_SETS = 10;
export const MOST_OPTIONS = 20;

/**
 * Checks the query a relying party wants to ask. Members that the specification does not know are refused. The `purpose` of
 * a set, which drafts before 1.0 know, is left out of the result; an earlier name of a format becomes its present one.
 * Parsing the result again gives the same.
 * @param value parsed JSON.
 * @throws DcqlQueryError listing everything that is wrong.
 */
export function parseDcqlQuery(value: unknown): DcqlQuery {
  const reader = new DcqlReader();
  const query = reader.object(value, '', ['credentials'], ['credential_sets']);
  const ids = new Set<string>();
  const credentials = query && readCredentials(own(query, 'credentials'), ids, reader);
  const sets = query === null ? undefined : own(query, 'credential_sets');
  const credentialSets = sets === undefined ? undefined : readSets(sets, ids, reader);
  reader.finish();
  return {
    credentials: credentials ?? [],
    ...(credentialSets === undefined ? {} : { credential_sets: credentialSets }),
  };
}

/** Collects the ids of broken entries too, so that a set naming one is not called wrong for it. */
function readCredentials(value: unknown, ids: Set<string>, reader: DcqlReader): readonly DcqlCredentialQuery[] {
  const queries = (reader.items(value, '/credentials', MOST_CREDENTIALS) ?? []).map((item, index) => {
    const pointer = `/credentials/${index}`;
    const query = reader.object(item, pointer, ['id', 'format', 'meta'], furtherMembers);
    const id = query && reader.id(own(query, 'id'), `${pointer}/id`);
    if (id !== null && ids.has(id)) reader.refuse(`${pointer}/id`, `'${id}' is the id of another credential too`);
    if (id !== null) ids.add(id);
    return query && readCredentialQuery(id, query, pointer, reader);
  });
  return sound(queries);
}

function readSets(value: unknown, known: ReadonlySet<string>, reader: DcqlReader): readonly DcqlCredentialSet[] {
  const sets = (reader.items(value, '/credential_sets', MOST_SETS) ?? []).map((item, index) => {
    const pointer = `/credential_sets/${index}`;
    const set = reader.object(item, pointer, ['options'], ['required', 'purpose']);
    if (set === null) return null;
    const most = { lists: MOST_OPTIONS, ids: MOST_CREDENTIALS };
    const options = reader.idLists(own(set, 'options'), `${pointer}/options`, most, known);
    const flag = own(set, 'required');
    const required = flag === undefined ? null : reader.flag(flag, `${pointer}/required`);
    return options && { options, ...(required === null ? {} : { required }) };
  });
  return sound(sets);
}
