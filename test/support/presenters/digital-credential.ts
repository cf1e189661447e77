import { type Asked, encryptedAnswer, type EncryptionChanges, type Received } from './presenter';
import { type Json, postJson, type Reply } from '../http/requests';

/** A request as a page has handed it to the wallet of its browser. */
export interface DigitalRequest extends Received {
  readonly protocol: string;
  /** Of the page. */
  readonly origin: string;
}

/** What the page of an origin gives to `navigator.credentials.get`, as the wallet of the browser reads it. */
export function receiveDigital(asked: Asked, origin: string, protocol = 'openid4vp-v1-unsigned'): DigitalRequest {
  const { requests } = asked.answer['digitalCredential'] as { requests: { protocol: string; data: Json }[] };
  const data = requests.find((one) => one.protocol === protocol)?.data;
  if (!data) throw new Error(`the request is not made by ${protocol}`);
  return {
    variant: '1.0',
    link: new URL('openid4vp://'),
    parameters: data,
    clientId: `origin:${origin}`,
    nonce: String(data['nonce']),
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
