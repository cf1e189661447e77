import { createHmac, hash } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of credentials that are lent for a time. */
  readonly sessionToken?: string;
}

export interface AwsRequest {
  readonly method: string;
  /** Without a query. */
  readonly url: URL;
  /** Names in lower case; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The headers of the request and those that authenticate it by Signature Version 4; `host` is signed and left to the client. */
export function signedByV4(
  { method, url, headers, body }: AwsRequest,
  { region, service }: { readonly region: string; readonly service: string },
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const sent: Record<string, string> = { ...headers, 'x-amz-date': time };
  if (sessionToken !== undefined) sent['x-amz-security-token'] = sessionToken;
  const signed = Object.entries({ ...sent, host: url.host }).sort(([one], [other]) => (one < other ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value.trim()}`);
  const request = [method, url.pathname, '', ...lines, '', names, hash('sha256', body)].join('\n');

  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), hash('sha256', request)].join('\n');
  const key = scope.reduce<string | Buffer>((by, part) => hmac(by, part), `AWS4${secretAccessKey}`);
  const credential = `${accessKeyId}/${scope.join('/')}`;
  const signature = hmac(key, text).toString('hex');
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
