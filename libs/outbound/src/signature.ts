import { createHmac } from 'node:crypto';

const prefix = 'whsec_';
const four = '[A-Za-z0-9+/]{4}';
const one = '[A-Za-z0-9+/][AQgw]==';
const two = '[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=';

/** The form of a secret: base64 of 24 to 64 bytes, written in the one way that there is (RFC 4648 §3.5). */
export const secretPattern = `^${prefix}((${four}){8,20}(${one}|${two})?|(${four}){21}(${one})?)$`;
const form = new RegExp(secretPattern);

export function isSecret(value: unknown): value is string {
  return typeof value === 'string' && form.test(value);
}

/** The bytes of a secret that has the form. */
export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}

/** @param bytes 24 to 64 */
export function secretText(bytes: Buffer): string {
  return `${prefix}${bytes.toString('base64')}`;
}

export interface Message {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a message, signed with each of the secrets (Standard Webhooks, "Signature scheme"). */
export function signedHeaders({ id, timestamp, body }: Message, secrets: readonly Buffer[]): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${signature}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
