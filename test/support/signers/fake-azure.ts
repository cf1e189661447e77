import type { FakeKey } from './fake-keys';
import type { FakeAnswer, FakeDialect } from './fake-signer';

export const azureToken = 'eyJ-the-token-of-azure';

/** Versions have no order that their names show. */
const nameOfVersion = (version: number): string => `${version}`.padStart(32, 'c0ffee');
const kidOf = (name: string, version: number): string => `https://vault.example/keys/${name}/${nameOfVersion(version)}`;

function found(name: string, version: number, { publicJwk }: FakeKey): FakeAnswer {
  const key = { ...publicJwk, kid: kidOf(name, version), kty: 'EC-HSM', key_ops: ['sign', 'verify'] };
  return { status: 200, body: { key, attributes: { enabled: true } } };
}

/** Azure Key Vault. */
export const fakeAzure: FakeDialect = {
  isAllowed: ({ headers, query }) =>
    headers.authorization === `Bearer ${azureToken}` && query.get('api-version') === '7.4',
  refusal: (kind, status) => ({
    status: { denied: 403, missing: 404, throttled: status ?? 429 }[kind],
    body: {
      error: {
        code: { denied: 'Forbidden', missing: 'KeyNotFound', throttled: 'Throttled' }[kind],
        message: azureToken,
      },
    },
  }),
  answer: ({ method, path, body }, service) => {
    const [, name = '', ...rest] = /^\/keys\/([\w-]+)(?:\/(\w{32}))?(?:\/(create|sign))?$/.exec(path) ?? [];
    const [versionName, verb] = rest;
    if (verb === 'create' && method === 'POST') {
      if (body['kty'] !== 'EC-HSM' || body['crv'] !== 'P-256') return { status: 400 };
      return found(name, 1, service.add(name, 'ES256'));
    }
    const asked = versionName === undefined ? undefined : Number(/\d+$/.exec(versionName)?.[0]);
    const one = service.version(name, asked);
    if (!one) return undefined;
    if (verb === undefined && method === 'GET') return found(name, one.version, one.key);
    if (verb !== 'sign' || body['alg'] !== 'ES256') return { status: 400 };
    const value = service.sign(one.key, Buffer.from(String(body['value']), 'base64url')).toString('base64url');
    return { status: 200, body: { kid: kidOf(name, one.version), value } };
  },
};
