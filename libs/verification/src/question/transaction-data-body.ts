import { anyObject, type Schema, text } from '@app/http';
import { closestOf, escapePointer, hasAtMost, isJsonObject, type JsonObject, meant } from '@app/primitives/json';
import {
  dcqlIdSchema,
  type DcqlQuery,
  encodeTransactionData,
  TRANSACTION_DATA_HASH,
  whyUnableToConfirm,
} from '@app/openid4vc';
import type { Violation } from '@app/primitives/problems';
import type { AskedTransaction } from '../request/request-terms';
import { faultsOfText, type GivenText, plainText, translatedText, translationsOf } from '../request/translated-text';

const mostEntries = 10;
/** Characters: a few lines on a phone. */
const mostShown = 300;
const mostType = 256;
const mostIds = 20;
/** Bytes of one entry as JSON. */
const mostBytes = 8_192;

export const transactionDataExample = [
  {
    type: 'https://bank.example/payment/1',
    credentialIds: ['membership'],
    shownAs: 'Pay 12.50 EUR to Example Books.',
    amount: '12.50',
    currency: 'EUR',
    payee: 'Example Books',
  },
];

/** Members of an entry that have a name of their own here. */
const ownNames = new Map([
  ['credential_ids', 'credentialIds'],
  ['transaction_data_hashes_alg', 'transactionDataHashesAlg'],
  ['shown_as', 'shownAs'],
]);

/** How the document shows `transactionData`. */
export const transactionDataSchema: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: mostEntries,
  items: {
    ...anyObject,
    properties: {
      type: { ...text, minLength: 1, maxLength: mostType, description: 'Says what the further members mean.' },
      credentialIds: {
        type: 'array',
        minItems: 1,
        maxItems: mostIds,
        uniqueItems: true,
        items: dcqlIdSchema,
        description: 'Ids of `dcql_query`: one of these credentials confirms the entry. Not every format can.',
      },
      shownAs: {
        ...translatedText(mostShown),
        description:
          'What is confirmed, in the words of the person, for the page of the request: a text, or one for each language, by its tag.',
      },
      transactionDataHashesAlg: {
        type: 'array',
        minItems: 1,
        maxItems: 1,
        items: { const: TRANSACTION_DATA_HASH },
        description: 'Only where the type wants the algorithm of the hash to be listed and named.',
      },
    },
    required: ['type', 'credentialIds'],
    propertyNames: { not: { enum: [...ownNames.keys()] } },
  },
  examples: [transactionDataExample],
};

/** The optional member that a name is a misspelling of: it would go to the wallet as one of the type. */
function misspelt(name: string): string | undefined {
  const optional = ['shownAs', 'transactionDataHashesAlg'];
  return optional.includes(name) ? undefined : closestOf(name, optional);
}

/** What is wrong with the entries by themselves. */
export function faultsOfTransactionData(value: unknown): readonly Violation[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > mostEntries) {
    return [{ pointer: '', message: `must be a list of 1 to ${mostEntries} JSON objects; leave it out otherwise` }];
  }
  const faults = value.flatMap((entry: unknown, index) => faultsOfEntry(entry, `/${index}`));
  if (faults.length > 0) return faults;
  const seen = new Map<string, number>();
  return transactionsOf(value as JsonObject[]).flatMap(({ encoded }, index) => {
    const first = seen.get(encoded);
    seen.set(encoded, first ?? index);
    if (first === undefined) return [];
    // Both would have one hash, and nobody could tell whether one was confirmed or both.
    const message = `says the same as entry ${first}; add a member that tells them apart, such as an id of yours`;
    return [{ pointer: `/${index}`, message }];
  });
}

function faultsOfEntry(entry: unknown, pointer: string): Violation[] {
  if (!isJsonObject(entry)) return [{ pointer, message: 'must be a JSON object with type and credentialIds' }];
  const { type, credentialIds, shownAs, transactionDataHashesAlg: algorithms } = entry;
  const faults: Violation[] = Object.keys(entry).flatMap((name) => {
    const own = ownNames.get(name) ?? misspelt(name);
    return own === undefined
      ? []
      : [{ pointer: `${pointer}/${escapePointer(name)}`, message: `must be given as ${own}` }];
  });
  const refuse = (name: string, message: string) => faults.push({ pointer: `${pointer}/${name}`, message });
  if (!isText(type, mostType)) refuse('type', `must be a string of 1 to ${mostType} characters`);
  if (!isIdList(credentialIds)) {
    refuse('credentialIds', `must be a list of 1 to ${mostIds} ids of dcql_query, each one once`);
  }
  if (shownAs !== undefined) {
    for (const { pointer: place, message } of faultsOfText(shownAs, mostShown)) refuse(`shownAs${place}`, message);
  }
  if (algorithms !== undefined && !isHashList(algorithms)) {
    refuse('transactionDataHashesAlg', `must be ["${TRANSACTION_DATA_HASH}"], or be left out`);
  }
  if (Buffer.byteLength(JSON.stringify(entry)) > mostBytes) {
    faults.push({
      pointer,
      message: `must have at most ${mostBytes} bytes; send a hash or a link in place of documents`,
    });
  }
  return faults;
}

/** What is wrong with entries that have no faults by themselves, when they are sent with this query. */
export function faultsWithQuery(entries: readonly JsonObject[], { credentials }: DcqlQuery): Violation[] {
  return entries.flatMap(({ credentialIds }, index) =>
    (credentialIds as string[]).flatMap((id, place) => {
      const query = credentials.find((credential) => credential.id === id);
      const reason = query ? whyUnableToConfirm(query) : unknownId(id, credentials);
      if (reason === undefined) return [];
      const message = query ? `names a credential that cannot confirm it: ${reason}` : reason;
      return [{ pointer: `/transactionData/${index}/credentialIds/${place}`, message }];
    }),
  );
}

function unknownId(id: string, credentials: readonly { readonly id: string }[]): string {
  const ids = credentials.map((credential) => credential.id);
  return `must be the id of a credential in dcql_query${meant(id, ids)}`;
}

/** @param entries without faults */
export function transactionsOf(entries: readonly JsonObject[]): AskedTransaction[] {
  return entries.map(({ type, credentialIds, shownAs, transactionDataHashesAlg: algorithms, ...rest }) => ({
    encoded: encodeTransactionData({
      type: type as string,
      credential_ids: credentialIds as string[],
      ...(algorithms !== undefined && { transaction_data_hashes_alg: algorithms as string[] }),
      ...rest,
    }),
    ...(shownAs !== undefined && shownWords(shownAs as GivenText)),
  }));
}

function shownWords(given: GivenText): Pick<AskedTransaction, 'shownAs' | 'shownIn'> {
  const shownIn = translationsOf(given);
  return { shownAs: plainText(given), ...(shownIn && { shownIn }) };
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value !== '' && hasAtMost(value, most);
}

function isIdList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > mostIds) return false;
  return value.every((id) => typeof id === 'string') && new Set(value).size === value.length;
}

function isHashList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === TRANSACTION_DATA_HASH;
}
