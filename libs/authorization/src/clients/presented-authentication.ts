import type { IncomingMessage } from 'node:http';
import { invalidClient, invalidRequest } from './client-faults';

/** The headers of a wallet that authenticates by attestation. */
export interface PresentedAttestation {
  readonly attestation: string;
  /** Absent: the DPoP proof of the request is the one of the attestation, too (draft 10 §5.3). */
  readonly proof?: string;
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Each header once, and the attestation with a proof. Throws `OAuthError`. */
export function presentedAttestation(request: IncomingMessage): PresentedAttestation | undefined {
  const attestation = onlyHeader(request, 'OAuth-Client-Attestation');
  const proof = onlyHeader(request, 'OAuth-Client-Attestation-PoP');
  if (attestation === undefined && proof === undefined) return undefined;
  if (attestation !== undefined && proof !== undefined) return { attestation, proof };
  if (attestation !== undefined && request.headers['dpop'] !== undefined) return { attestation };
  throw invalidRequest(
    'attestation-headers',
    'OAuth-Client-Attestation must be sent with OAuth-Client-Attestation-PoP, or with a DPoP proof of its key.',
  );
}

/** The assertion of the client, if there is one. Throws `OAuthError`. */
export function presentedAssertion(parameters: URLSearchParams): string | undefined {
  const assertion = onlyParameter(parameters, 'client_assertion');
  const type = onlyParameter(parameters, 'client_assertion_type');
  if (assertion === undefined && type === undefined) return undefined;
  if (type === assertionType && assertion !== undefined) return assertion;
  throw invalidClient('client-assertion', `client_assertion must come with client_assertion_type '${assertionType}'.`);
}

/** RFC 6749 §3.2: once, and one without a value counts as omitted. Throws `OAuthError`. */
export function onlyParameter(parameters: URLSearchParams, name: string): string | undefined {
  const [value = '', ...others] = parameters.getAll(name);
  if (others.length > 0) throw invalidRequest('parameter-repeated', `The parameter '${name}' appears more than once.`);
  return value === '' ? undefined : value;
}

function onlyHeader({ headersDistinct }: IncomingMessage, name: string): string | undefined {
  const [value, ...others] = headersDistinct[name.toLowerCase()] ?? [];
  // No JWT has a comma: it is two lines that a proxy has joined.
  if (others.length === 0 && value?.includes(',') !== true) return value;
  throw invalidRequest('attestation-headers', `The header ${name} must be sent once.`);
}
