import { derOf } from './fake-keys';
import type { FakeDialect } from './fake-signer';

export const googleToken = 'ya29.the-token-of-google';
export const googleRing = 'projects/p/locations/europe-west3/keyRings/r';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Bit by bit. */
function checksumOf(data: Buffer): string {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return String((crc ^ 0xffffffff) >>> 0);
}

/** Google Cloud KMS with one key ring. A new key cannot be used when it is first asked for. */
export function fakeGoogle(): FakeDialect {
  const pending = new Set<string>();
  return {
    isAllowed: ({ headers }) => headers.authorization === `Bearer ${googleToken}`,
    refusal: (kind, status) => ({
      status: { denied: 403, missing: 404, throttled: status ?? 429 }[kind],
      body: {
        error: {
          status: { denied: 'PERMISSION_DENIED', missing: 'NOT_FOUND', throttled: 'RESOURCE_EXHAUSTED' }[kind],
          message: googleToken,
        },
      },
    }),
    answer: ({ method, path, query, body }, service) => {
      const keys = `/v1/${googleRing}/cryptoKeys`;
      if (method === 'POST' && path === keys) {
        const name = String(query.get('cryptoKeyId'));
        const { versionTemplate: template, purpose } = body;
        if (!isObject(template) || purpose !== 'ASYMMETRIC_SIGN') return { status: 400 };
        service.add(name, template['algorithm'] === 'EC_SIGN_ED25519' ? 'EdDSA' : 'ES256');
        pending.add(name);
        return { status: 200, body: { name: `${keys}/${name}` } };
      }
      const form = /^\/([\w-]+)\/cryptoKeyVersions(?:\/(\d+)(\/publicKey|:asymmetricSign))?$/;
      const [, name = '', number, verb] = (path.startsWith(keys) && form.exec(path.slice(keys.length))) || [];
      const resource = (version: number): string => `${googleRing}/cryptoKeys/${name}/cryptoKeyVersions/${version}`;
      if (number === undefined) {
        const versions = service.keys.get(name);
        if (!versions || query.get('filter') !== 'state=ENABLED') return undefined;
        const cryptoKeyVersions = versions.map((_, at) => ({ name: resource(at + 1) }));
        return { status: 200, body: { cryptoKeyVersions } };
      }
      const found = service.version(name, Number(number));
      if (!found) return undefined;
      if (pending.delete(name)) return { status: 400, body: { error: { status: 'FAILED_PRECONDITION' } } };
      const { key, version } = found;
      if (verb === '/publicKey') {
        const pem = String(key.publicKey.export({ format: 'pem', type: 'spki' }));
        const pemCrc32c = checksumOf(Buffer.from(service.knobs.alter ? `${pem}\n` : pem));
        return { status: 200, body: { name: resource(version), pem, pemCrc32c } };
      }
      const isEc = key.algorithm === 'ES256';
      const digest = isObject(body['digest']) ? body['digest']['sha256'] : undefined;
      const input = Buffer.from(String(isEc ? digest : body['data']), 'base64');
      if (checksumOf(input) !== body[isEc ? 'digestCrc32c' : 'dataCrc32c']) return { status: 400 };
      const raw = service.sign(key, input);
      const signature = isEc && raw.length === 64 ? derOf(raw) : raw;
      const sum = checksumOf(service.knobs.alter ? signature.subarray(1) : signature);
      const verified = { [isEc ? 'verifiedDigestCrc32c' : 'verifiedDataCrc32c']: true };
      const answer = { name: resource(version), signature: signature.toString('base64'), signatureCrc32c: sum };
      return { status: 200, body: { ...answer, ...verified } };
    },
  };
}
