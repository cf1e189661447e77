import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Provers } from '@app/event-store';

/** Proofs under a fixed key: the store does not depend on how the service derives its keys. */
export const provers: Provers = {
  for(purpose) {
    const prove = (content: Buffer): Buffer =>
      Buffer.concat([Buffer.of(1), createHmac('sha256', 'a key').update(`${purpose}\0`).update(content).digest()]);
    return {
      prove,
      check: (content, proof) => proof.length === 33 && timingSafeEqual(prove(content), proof),
    };
  },
};

/** Signs checkpoints under a fixed key. */
export const checkpointKeys = {
  sign: (content: object): string => {
    const text = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${text}.${createHmac('sha256', 'another key').update(text).digest('base64url')}`;
  },
  read: (signed: string): unknown => {
    const content: unknown = JSON.parse(Buffer.from(signed.split('.')[0] ?? '', 'base64url').toString());
    return checkpointKeys.sign(content as object) === signed ? content : undefined;
  },
};
