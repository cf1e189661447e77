import { randomUUID } from 'node:crypto';
import type { FakeKey } from './fake-keys';
import type { FakeDialect } from './fake-signer';

export const httpToken = 'the-token-of-the-operators-signer';

const listed = (id: string, { algorithm, publicJwk }: FakeKey): object => ({
  id,
  algorithm,
  publicJwk,
  status: 'active',
});

/** The operator's own signer. @param needsToken false where a client certificate is asked for instead */
export function fakeHttp(needsToken = true): FakeDialect {
  return {
    isAllowed: ({ headers }) => !needsToken || headers.authorization === `Bearer ${httpToken}`,
    refusal: (kind, status) => ({
      status: { denied: 401, missing: 404, throttled: status ?? 429 }[kind],
      body: { error: httpToken },
    }),
    answer: ({ method, path, body }, service) => {
      if (path === '/signer/keys' && method === 'GET') {
        const keys = [...service.keys].flatMap(([id, [key]]) => (key ? [listed(id, key)] : []));
        return { status: 200, body: { keys } };
      }
      if (path === '/signer/keys' && method === 'POST') {
        const id = randomUUID();
        return { status: 201, body: listed(id, service.add(id, body['algorithm'] === 'EdDSA' ? 'EdDSA' : 'ES256')) };
      }
      const [, id = ''] = /^\/signer\/keys\/(.+)\/sign$/.exec(path) ?? [];
      const found = service.version(id);
      if (!found) return undefined;
      const inputs = body['inputs'] as { readonly digest?: string; readonly message?: string }[];
      const signatures = inputs.map(({ digest, message }) => {
        const input = found.key.algorithm === 'ES256' ? digest : message;
        return service.sign(found.key, Buffer.from(String(input), 'base64url')).toString('base64url');
      });
      return { status: 200, body: { signatures } };
    },
  };
}
