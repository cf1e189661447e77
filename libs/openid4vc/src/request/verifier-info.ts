import { escapePointer, meant } from '@app/primitives/json';
import { isWireObject, type WireObject } from '../wire/wire-object';

/** What others attest about the verifier, in the words of OpenID4VP 1.0 §5.11; wallets get it as it is. */
export interface VerifierInfo {
  readonly format: string;
  readonly data: string | WireObject;
  /** The credential queries it is about; all when absent. */
  readonly credential_ids?: readonly string[];
}

export interface VerifierInfoFault {
  readonly pointer: string;
  readonly message: string;
}

const MOST_ENTRIES = 20;
/** Characters as JSON. A registration certificate has a few thousand. */
const MOST_CHARACTERS = 65_536;
const MEMBERS: readonly string[] = ['format', 'data', 'credential_ids'];

const text = { type: 'string', minLength: 1 };

/** Its JSON Schema; how long it may be as a whole is for words. */
export const verifierInfoSchema = {
  type: 'array',
  minItems: 1,
  maxItems: MOST_ENTRIES,
  items: {
    type: 'object',
    properties: {
      format: text,
      data: { oneOf: [text, { type: 'object', additionalProperties: true }] },
      credential_ids: { type: 'array', minItems: 1, items: text },
    },
    required: ['format', 'data'],
    additionalProperties: false,
  },
};

/** What keeps a value from being `verifier_info`; pointers are relative to it. */
export function faultsOfVerifierInfo(value: unknown): readonly VerifierInfoFault[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_ENTRIES) {
    return [{ pointer: '', message: `must be an array of 1 to ${MOST_ENTRIES} objects with format and data` }];
  }
  if (JSON.stringify(value).length > MOST_CHARACTERS) {
    return [{ pointer: '', message: `must have at most ${MOST_CHARACTERS} characters as JSON` }];
  }
  return (value as readonly unknown[]).flatMap((entry, index) =>
    faultsOfEntry(entry).map(({ pointer, message }) => ({ pointer: `/${index}${pointer}`, message })),
  );
}

function faultsOfEntry(entry: unknown): VerifierInfoFault[] {
  if (!isWireObject(entry)) return [{ pointer: '', message: 'must be an object with format and data' }];
  const { format, data, credential_ids: ids } = entry as Record<string, unknown>;
  const faults: VerifierInfoFault[] = [];
  if (typeof format !== 'string' || format === '') {
    faults.push({ pointer: '/format', message: 'must be a non-empty string, as "registration_cert"' });
  }
  if (!(typeof data === 'string' && data !== '') && !isWireObject(data)) {
    faults.push({ pointer: '/data', message: 'must be an object or a non-empty string, a JWT for one' });
  }
  if (ids !== undefined && !isListOfIds(ids)) {
    faults.push({ pointer: '/credential_ids', message: 'must be a non-empty array of ids of the query' });
  }
  for (const name of Object.keys(entry)) {
    if (MEMBERS.includes(name)) continue;
    const message = `is not one of ${MEMBERS.join(', ')}${meant(name, MEMBERS)}`;
    faults.push({ pointer: `/${escapePointer(name)}`, message });
  }
  return faults;
}

function isListOfIds(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === 'string' && id !== '');
}
