import { type CborMap, type CborValue, decodeCbor, encodeCbor, Tagged } from '@app/primitives/cbor';
import { createHash, sign } from 'node:crypto';
import { presentSdJwt } from '../support/presenters/credentials';
import type { Holder } from '../support/wallets/key-proofs';

/** What a wallet reads of a request. */
export interface RequestObject {
  readonly nonce: string;
  readonly client_id: string;
  readonly state: string;
  readonly response_uri: string;
}

/** How the credential of the flows looks in a format. */
export interface Card {
  /** Further members of the template. */
  readonly terms: object;
  readonly claims: object;
  /** DCQL for its `given_name`, with the id `card`. */
  readonly query: object;
  /** Of the credential as it is issued. */
  readonly pattern: RegExp;
  /** Discloses `given_name`. */
  readonly present: (credential: string, holder: Holder, request: RequestObject) => string;
}

const asked = 'given_name';

export const studentCardType = 'https://credentials.example/student';

const claims = {
  given_name: 'Ada',
  family_name: 'Lovelace',
  birthdate: '1815-12-10',
  nationality: 'GB',
  degree: { type: 'Bachelor', name: 'Mathematics', year: 1835 },
  matriculation: '0042-1815',
};

const text = { type: 'string', maxLength: 200 };
const schema = {
  type: 'object',
  required: ['given_name', 'family_name', 'birthdate'],
  properties: {
    given_name: text,
    family_name: text,
    birthdate: { type: 'string', format: 'date' },
    nationality: text,
    degree: { type: 'object', properties: { type: text, name: text, year: { type: 'integer' } } },
    matriculation: text,
  },
};

export const sdJwtCard: Card = {
  terms: { format: 'dc+sd-jwt', vct: studentCardType, schema },
  claims,
  query: { id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [studentCardType] }, claims: [{ path: [asked] }] },
  pattern: /^ey[\w-]+\.[\w-]+\.[\w-]+~/,
  present: (credential, holder, { nonce, client_id: clientId }) =>
    presentSdJwt(credential, holder, { nonce, clientId }, { reveal: [asked] }),
};

const doctype = 'org.example.student.1';

/** The same claims as elements of one name space. */
export const mdocCard: Card = {
  terms: {
    format: 'mso_mdoc',
    doctype,
    expiration: 'P90D',
    schema: { type: 'object', properties: { [doctype]: schema } },
  },
  claims: { [doctype]: claims },
  query: {
    id: 'card',
    format: 'mso_mdoc',
    meta: { doctype_value: doctype },
    claims: [{ path: [doctype, asked] }],
  },
  // A map of two members, the first of which is `nameSpaces`.
  pattern: /^ompuYW1lU3BhY2Vz[\w-]+$/,
  present: presentMdoc,
};

function presentMdoc(credential: string, { privateKey }: Holder, request: RequestObject): string {
  const issued = decodeCbor(Buffer.from(credential, 'base64url')) as CborMap;
  const items = (issued.get('nameSpaces') as CborMap).get(doctype) as readonly Tagged[];
  const shown = items.filter(
    (item) => (decodeCbor(item.content as Uint8Array) as CborMap).get('elementIdentifier') === asked,
  );
  const info = encodeCbor([request.client_id, request.nonce, null, request.response_uri]);
  const handover = ['OpenID4VPHandover', createHash('sha256').update(info).digest()];
  const nothing = embedded(new Map());
  const authentication = embedded(['DeviceAuthentication', [null, null, handover], doctype, nothing]);
  const header = encodeCbor(new Map([[1, -7]]));
  const signed = encodeCbor(['Signature1', header, Buffer.alloc(0), encodeCbor(authentication)]);
  const signature = sign('sha256', signed, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const document = mapOf({
    docType: doctype,
    issuerSigned: mapOf({
      nameSpaces: new Map([[doctype, shown]]),
      issuerAuth: issued.get('issuerAuth'),
    }),
    deviceSigned: mapOf({
      nameSpaces: nothing,
      deviceAuth: mapOf({ deviceSignature: [header, new Map(), null, signature] }),
    }),
  });
  return encodeCbor(mapOf({ version: '1.0', documents: [document], status: 0 })).toString('base64url');
}

function mapOf(members: Readonly<Record<string, CborValue>>): CborMap {
  return new Map(Object.entries(members));
}

function embedded(value: CborValue): Tagged {
  return new Tagged(24, encodeCbor(value));
}
