import { jwtVerify } from 'jose';
import { createHash } from 'node:crypto';
import type { ClaimPath } from './claim-path';
import { presentCredential } from './credential-presentation';
import { algorithms, generateHolderKey, publicJwk } from './holder-key';
import type { ReceivedCredential } from './wallet-file';

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

const city = encoded(['salt', 'city', 'London']);
const address = encoded(['salt', 'address', { _sd: [digest(city)] }]);
const dotted = encoded(['salt', 'address.city', 'not this one']);
const nation = encoded(['salt', 'GB']);
const issuerJwt = [
  encoded({ alg: 'ES256', typ: 'dc+sd-jwt' }),
  encoded({ vct: 'urn:x', _sd: [digest(address), digest(dotted)], nations: ['FR', { '...': digest(nation) }] }),
  'c2ln',
].join('.');
const credential = {
  format: 'dc+sd-jwt',
  credential: `${[issuerJwt, city, address, dotted, nation].join('~')}~`,
} as ReceivedCredential;
const audience = { clientId: 'redirect_uri:https://verifier.example', nonce: 'n-1' };

describe('an SD-JWT that is presented', () => {
  it.each<[string, ClaimPath, string[]]>([
    ['a claim inside another', ['address', 'city'], [address, city]],
    ['a claim with a dot in its name', ['address.city'], [dotted]],
    ['an element of an array', ['nations', 1], [nation]],
  ])('discloses %s, and what leads to it', async (_, path, disclosures) => {
    const { presentation } = await presentCredential({ credential, paths: [path] }, null, audience, []);
    expect(presentation).toBe([issuerJwt, ...disclosures, ''].join('~'));
  });

  it.each(algorithms)('is bound to its audience by a key for %s', async (algorithm) => {
    const key = await generateHolderKey(algorithm);
    const match = { credential, paths: [['address', 'city']] };
    const { presentation, disclosed } = await presentCredential(match, key, audience, []);
    const presented = [issuerJwt, address, city, ''].join('~');
    expect(presentation.startsWith(presented)).toBe(true);
    const proof = presentation.slice(presented.length);
    const { payload, protectedHeader } = await jwtVerify(proof, publicJwk(key), { audience: audience.clientId });
    expect(protectedHeader).toEqual({ typ: 'kb+jwt', alg: algorithm });
    expect(payload).toMatchObject({ nonce: 'n-1', sd_hash: digest(presented), iat: expect.any(Number) as number });
    expect(disclosed).toHaveLength(1);
  });
});
