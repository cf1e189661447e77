import { decodeJws, JwsError } from '@app/primitives/jose';
import { type JsonObject } from '@app/primitives/json';
import type { CheckpointKeys } from './checkpoint-keys';

const TYP = 'sealwright-checkpoint';
/** Characters; a checkpoint names the events it covers. */
const LONGEST = 1024 * 1024;

/** Checkpoints of the store as compact JWS (RFC 7515), under keys of their own: an auditor needs the public half alone. */
export class SignedCheckpoints {
  constructor(private readonly keys: CheckpointKeys) {}

  sign(content: object): string {
    const { kid } = this.keys;
    const input = `${encode({ alg: 'EdDSA', typ: TYP, kid })}.${encode(content)}`;
    return `${input}.${this.keys.sign(Buffer.from(input)).signature.toString('base64url')}`;
  }

  /** The payload of what one of the keys has signed; `undefined` of anything else. */
  read(signed: string): JsonObject | undefined {
    try {
      const { header, payload, signingInput, signature } = decodeJws(signed, { maxLength: LONGEST });
      const { typ, kid } = header;
      if (typ !== TYP || typeof kid !== 'string') return undefined;
      return this.keys.check(kid, Buffer.from(signingInput), signature) ? payload : undefined;
    } catch (error) {
      if (error instanceof JwsError) return undefined;
      throw error;
    }
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');
}
