import { type Asked, checkedObject, encryptedAnswer, type EncryptionChanges, type Received } from './presenter';
import { type Json, postJson, type Reply } from '../http/requests';

/** A request as a page has handed it to the wallet of its browser. */
export interface DigitalRequest extends Received {
  readonly protocol: string;
  /** Of the page. */
  readonly origin: string;
}

/** What the page of an origin gives to `navigator.credentials.get`, as the wallet of the browser reads it. */
export function receiveDigital(asked: Asked, origin: string): DigitalRequest {
  return received(asked, origin, 'openid4vp-v1-unsigned', dataFor(asked, 'openid4vp-v1-unsigned'));
}

/** The same, signed in the name of the certificate of the service. */
export async function receiveSignedDigital(asked: Asked, origin: string): Promise<DigitalRequest> {
  const protocol = 'openid4vp-v1-signed';
  return received(asked, origin, protocol, await checkedObject(String(dataFor(asked, protocol)['request'])));
}

function dataFor(asked: Asked, protocol: string): Json {
  const { requests } = asked.answer['digitalCredential'] as { requests: { protocol: string; data: Json }[] };
  const data = requests.find((one) => one.protocol === protocol)?.data;
  if (!data) throw new Error(`the request is not made by ${protocol}`);
  return data;
}

function received(asked: Asked, origin: string, protocol: string, parameters: Json): DigitalRequest {
  return {
    variant: '1.0',
    link: new URL('openid4vp://'),
    parameters,
    clientId: `origin:${origin}`,
    nonce: String(parameters['nonce']),
    state: '',
    responseUri: String(asked.answer['responseUrl']),
    protocol,
    origin,
  };
}

/** `data` of what the browser returns, in the response mode that the request names. */
export async function dataOf(
  received: DigitalRequest,
  tokens: Readonly<Record<string, string>>,
  changes: EncryptionChanges = {},
): Promise<Json> {
  const plain = { vp_token: Object.fromEntries(Object.entries(tokens).map(([id, token]) => [id, [token]])) };
  if (received.parameters['response_mode'] === 'dc_api') return plain;
  return { response: await encryptedAnswer(received, {}, { plaintext: JSON.stringify(plain), ...changes }) };
}

/** Posts as the page does. @param changes of the body, and the header `Origin` that the browser sends */
export function postDigital(
  { responseUri, protocol, origin }: DigitalRequest,
  data: unknown,
  { header = origin, ...changes }: { readonly header?: string | null } & Json = {},
): Promise<Reply> {
  return postJson(responseUri, { protocol, data, ...changes }, header === null ? {} : { origin: header });
}
