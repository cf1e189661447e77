import type { FakeDialect } from './fake-signer';
import type { FakeKey } from './fake-keys';

export const vaultToken = 'hvs.CAESIJ-the-token-of-vault';
const namespace = 'team';
export const vaultMount = 'engines/transit';

const publicOf = ({ algorithm, publicKey, publicJwk }: FakeKey): string =>
  algorithm === 'ES256'
    ? String(publicKey.export({ format: 'pem', type: 'spki' }))
    : Buffer.from(String(publicJwk.x), 'base64url').toString('base64');

/** Transit of Vault, at a mount and in a namespace of its own. */
export const fakeVault: FakeDialect = {
  isAllowed: ({ headers }) =>
    headers['x-vault-token'] === vaultToken &&
    headers['x-vault-request'] === 'true' &&
    headers['x-vault-namespace'] === namespace,
  refusal: (kind, status) => ({
    status: { denied: 403, missing: 404, throttled: status ?? 429 }[kind],
    body: { errors: kind === 'denied' ? [`permission denied for ${vaultToken}`] : [] },
  }),
  answer: ({ method, path, body }, service) => {
    const [, verb, name = ''] = new RegExp(`^/v1/${vaultMount}/(keys|sign)/([^/]+)$`).exec(path) ?? [];
    if (verb === 'keys' && method === 'POST') {
      if (body['exportable'] !== false || body['allow_plaintext_backup'] !== false) return { status: 400 };
      // A key that is there stays as it is.
      if (!service.keys.has(name)) service.add(name, body['type'] === 'ed25519' ? 'EdDSA' : 'ES256');
      return { status: 204 };
    }
    const versions = service.keys.get(name);
    const [first] = versions ?? [];
    if (verb === 'keys' && versions && first) {
      const type = first.algorithm === 'ES256' ? 'ecdsa-p256' : 'ed25519';
      const keys = Object.fromEntries(versions.map((key, at) => [String(at + 1), { public_key: publicOf(key) }]));
      return { status: 200, body: { data: { type, latest_version: versions.length, keys } } };
    }
    if (verb !== 'sign') return undefined;
    const found = service.version(name, Number(body['key_version']));
    if (!found) return { status: 400, body: { errors: ['encryption key not found'] } };
    const isEc = found.key.algorithm === 'ES256';
    const isJws = body['marshaling_algorithm'] === 'jws';
    const isPrehashed = body['prehashed'] === true && body['hash_algorithm'] === 'sha2-256';
    if (isEc !== isJws || isEc !== isPrehashed) return { status: 400, body: { errors: ['unsupported'] } };
    const results = (body['batch_input'] as { readonly input: string }[]).map(({ input }) => {
      if (input === service.knobs.refused) return { error: `unable to sign ${input}` };
      const signature = service.sign(found.key, Buffer.from(input, 'base64'));
      return { signature: `vault:v${found.version}:${signature.toString(isJws ? 'base64url' : 'base64')}` };
    });
    return { status: 200, body: { data: { batch_results: results } } };
  },
};
