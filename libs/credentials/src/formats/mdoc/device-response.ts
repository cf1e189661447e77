import {
  type CborMap,
  type CborValue,
  type CoseSign1,
  decodeCbor,
  encodeCbor,
  ENCODED,
  readCoseSign1,
  Tagged,
} from '@app/primitives/cbor';
import { decodeBase64Url } from '@app/primitives/jose';
import { demand } from '../../presentation-check';
import { asEncoded, asMap, mapIn, textIn } from './cbor-members';
import { type IssuerAuth, readIssuerAuth } from './security-object';

const MAX_LENGTH = 1024 * 1024;

/** The one document of a DeviceResponse (ISO/IEC 18013-5, 8.3.2.1.2.2), read and not verified. */
export interface PresentedDocument {
  readonly doctype: string;
  readonly issuerAuth: IssuerAuth;
  /** What the issuer signed each element of, by name space; not looked into. */
  readonly nameSpaces: ReadonlyMap<string, readonly CborValue[]>;
  readonly device: {
    readonly signature: CoseSign1;
    /** DeviceNameSpacesBytes as received. */
    readonly received: Uint8Array;
    /** What the holder says beside the issuer, by name space. */
    readonly nameSpaces: ReadonlyMap<string, CborMap>;
  };
}

/**
 * Reads what a wallet sends for one query: base64url of a DeviceResponse with one document (OpenID4VP 1.0 appendix B.2; HAIP
 * 1.0 §5.3.1). Throws `Refusal` or `CborError`.
 */
export function readDeviceResponse(text: string): PresentedDocument {
  demand(text.length <= MAX_LENGTH, 'the presentation is larger than 1 MiB');
  const bytes = decodeBase64Url(text);
  demand(bytes !== undefined, 'the presentation is not base64url');
  const response = asMap(decodeCbor(bytes), 'the DeviceResponse');
  demand(response.get('version') === '1.0', 'the version of the DeviceResponse is not 1.0');
  demand(response.get('status') === 0, 'the status of the DeviceResponse is not 0 (OK)');
  const documents = response.get('documents');
  demand(Array.isArray(documents) && documents.length === 1, 'the DeviceResponse does not have exactly one document');
  return readDocument(asMap((documents as readonly CborValue[])[0], 'the document'));
}

function readDocument(document: CborMap): PresentedDocument {
  const doctype = textIn(document, 'docType');
  const issuerSigned = mapIn(document, 'issuerSigned');
  const issuerAuth = readIssuerAuth(issuerSigned.get('issuerAuth'));
  // The outer one is not signed by the issuer.
  demand(issuerAuth.object.doctype === doctype, 'the document is labelled with another docType than its issuer signed');
  return {
    doctype,
    issuerAuth,
    nameSpaces: readItems(issuerSigned.get('nameSpaces')),
    device: readDevice(mapIn(document, 'deviceSigned')),
  };
}

function readItems(value: CborValue | undefined): PresentedDocument['nameSpaces'] {
  const read = new Map<string, readonly CborValue[]>();
  if (value === undefined) return read;
  for (const [name, items] of asMap(value, 'nameSpaces')) {
    demand(typeof name === 'string' && Array.isArray(items), 'nameSpaces are not lists by name');
    read.set(name, items as readonly CborValue[]);
  }
  return read;
}

function readDevice(signed: CborMap): PresentedDocument['device'] {
  const encoded = asEncoded(signed.get('nameSpaces'), 'nameSpaces of deviceSigned');
  const nameSpaces = new Map<string, CborMap>();
  for (const [name, elements] of asMap(encoded.decode(), 'nameSpaces of deviceSigned')) {
    demand(typeof name === 'string', 'a name space of deviceSigned has no name');
    nameSpaces.set(name, asMap(elements, 'a name space of deviceSigned'));
  }
  const auth = mapIn(signed, 'deviceAuth');
  demand(!auth.has('deviceMac'), 'deviceAuth has a MAC, for which there is no key; a signature was asked for');
  const signature = readCoseSign1(auth.get('deviceSignature'));
  // What it is over is known: taking it from here would take the signature of any earlier session.
  demand(signature.payload === null, 'deviceSignature has a payload of its own');
  return { signature, received: encoded.received, nameSpaces };
}

/** What `deviceSignature` is over (ISO/IEC 18013-5, 9.1.3.4): DeviceAuthenticationBytes. @param transcript encoded */
export function deviceAuthentication({ doctype, device }: PresentedDocument, transcript: Uint8Array): Buffer {
  const LIST_OF_FOUR = 0x84;
  const authentication = Buffer.concat([
    Buffer.of(LIST_OF_FOUR),
    encodeCbor('DeviceAuthentication'),
    transcript,
    encodeCbor(doctype),
    device.received,
  ]);
  return encodeCbor(new Tagged(ENCODED, authentication));
}
