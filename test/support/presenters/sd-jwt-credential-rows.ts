import { digestOf, disclosure, inSeconds, presentSdJwt } from './credentials';
import { idCard } from './holdings';
import {
  byPublicKey,
  credential,
  edIssuer,
  hidden,
  holder,
  issuedSdJwt,
  noSignature,
  presentation,
  type SdJwtRefusal,
  stranger,
} from './sd-jwt-cases';
import { base64url } from '../wallets/key-proofs';
import type { Json } from '../http/requests';

const flipped = (text: string) => text.replace(/^(..)./, (start) => start.slice(0, 2) + (start[2] === 'A' ? 'B' : 'A'));
const twin = disclosure('twin', 1);

/** Faults of the credential and of what is disclosed. */
export const credentialRefusals: readonly SdJwtRefusal[] = [
  {
    what: 'an issuer signature by another key',
    check: 'issuer-signature',
    ...credential({ signer: stranger }),
  },
  {
    what: 'a tampered payload',
    check: 'issuer-signature',
    token: (received) => {
      const [jwt = '', ...rest] = issuedSdJwt().split('~');
      const [header, payload = '', signature] = jwt.split('.');
      const changed = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Json;
      const forged = [header, base64url(JSON.stringify({ ...changed, level: 9 })), signature].join('.');
      return presentSdJwt([forged, ...rest].join('~'), holder, received);
    },
  },
  {
    what: 'the algorithm none',
    check: 'issuer-signature',
    ...credential({ header: { alg: 'none' }, sign: noSignature }),
  },
  {
    what: 'HS256 with the public key',
    check: 'issuer-signature',
    ...credential({ header: { alg: 'HS256' }, sign: byPublicKey }),
  },
  {
    what: 'ES256 over an Ed25519 key',
    check: 'issuer-signature',
    ...credential({ header: { alg: 'ES256' } }, edIssuer),
  },
  { what: 'a critical header', check: 'structure', ...credential({ header: { crit: ['x'], x: 1 } }) },
  { what: 'the typ JWT', check: 'structure', ...credential({ header: { typ: 'JWT' } }) },
  { what: 'the typ kb+jwt', check: 'structure', ...credential({ header: { typ: 'kb+jwt' } }) },
  { what: 'no typ', check: 'structure', ...credential({ header: { typ: undefined } }) },
  {
    what: 'a kid of another DID',
    check: 'issuer-key',
    ...credential({ header: stranger.header, signer: stranger }),
  },
  {
    what: 'a key in the header instead of the issuer’s',
    check: 'issuer-signature',
    ...credential({ header: { jwk: stranger.jwk }, signer: stranger }),
  },
  {
    what: 'an issuer that is no DID and no URL',
    check: 'issuer-key',
    ...credential({ payload: { iss: 'issuer' } }),
  },
  {
    what: 'a DID method nobody knows',
    check: 'issuer-key',
    ...credential({ payload: { iss: 'did:example:1' }, header: { kid: 'did:example:1#0' } }),
  },
  { what: 'no issuer', check: 'structure', ...credential({ payload: { iss: undefined } }) },
  {
    what: 'an added disclosure',
    check: 'disclosures',
    ...presentation({ parts: ([jwt = '', ...rest]) => [jwt, disclosure('admin', true), ...rest] }),
  },
  {
    what: 'an altered disclosure',
    check: 'disclosures',
    ...presentation({ parts: ([jwt = '', first = '', ...rest]) => [jwt, flipped(first), ...rest] }),
  },
  {
    what: 'a disclosure twice',
    check: 'disclosures',
    ...presentation({ parts: ([jwt = '', first = '', ...rest]) => [jwt, first, first, ...rest] }),
  },
  {
    what: 'a digest in two places',
    check: 'disclosures',
    ...credential({ disclosures: [twin], payload: { nested: { _sd: [digestOf(twin)] } } }),
  },
  { what: 'a disclosure named _sd', check: 'disclosures', ...hidden('_sd', []) },
  { what: 'a disclosure named ...', check: 'disclosures', ...hidden('...', 'x') },
  {
    what: 'a disclosure over a claim that is there',
    check: 'disclosures',
    ...credential({ disclosures: [disclosure('country', 'FR')], payload: { country: 'DE' } }),
  },
  { what: 'an issuer by disclosure', check: 'disclosures', ...hidden('iss', stranger.did) },
  { what: 'an element at the place of a member', check: 'disclosures', ...hidden('x') },
  {
    what: 'a member at the place of an element',
    check: 'disclosures',
    ...credential({ disclosures: [twin], payload: { _sd: [], list: [{ '...': digestOf(twin) }] }, claims: {} }),
  },
  { what: 'four elements', check: 'disclosures', ...hidden('a', 'b', 'c') },
  {
    what: 'a disclosure that is no array',
    check: 'disclosures',
    ...credential({ disclosures: [base64url('{"a":1}')] }),
  },
  {
    what: 'a disclosure that is no JSON',
    check: 'disclosures',
    ...credential({ disclosures: [base64url('x')] }),
  },
  {
    what: 'a disclosure that is no UTF-8',
    check: 'disclosures',
    ...credential({ disclosures: [Buffer.from([0x5b, 0xff, 0x5d]).toString('base64url')] }),
  },
  {
    what: 'a salt that is a number',
    check: 'disclosures',
    ...credential({ disclosures: [base64url('[1,"a",2]')] }),
  },
  {
    what: 'a name twice in a disclosed object',
    check: 'disclosures',
    ...credential({ disclosures: [base64url('["salt","a",{"b":1,"b":2}]')] }),
  },
  { what: '_sd_alg md5', check: 'structure', ...credential({ payload: { _sd_alg: 'md5' } }) },
  { what: '_sd_alg that is a number', check: 'structure', ...credential({ payload: { _sd_alg: 256 } }) },
  {
    what: 'a nested _sd_alg',
    check: 'disclosures',
    ...credential({ payload: { nested: { _sd_alg: 'sha-256' } } }),
  },
  ...['exp', 'nbf', 'cnf', 'vct', 'status', 'iss'].map((name) => ({
    what: `a disclosed ${name}`,
    check: name === 'vct' || name === 'iss' ? 'structure' : 'disclosures',
    ...credential({
      payload: { [name]: undefined },
      disclosures: [disclosure(name, name === 'cnf' ? { jwk: holder.jwk } : 1)],
    }),
  })),
  { what: 'an expired credential', check: 'times', ...credential({ payload: { exp: inSeconds(-3600) } }) },
  { what: 'a credential of tomorrow', check: 'times', ...credential({ payload: { nbf: inSeconds(86_400) } }) },
  {
    what: 'a credential issued tomorrow',
    check: 'times',
    ...credential({ payload: { iat: inSeconds(86_400) } }),
  },
  { what: 'an exp that is a string', check: 'times', ...credential({ payload: { exp: '9999999999' } }) },
  { what: 'no vct', check: 'structure', ...credential({ payload: { vct: undefined } }) },
  {
    what: 'a vct that is a list',
    check: 'structure',
    ...credential({ payload: { vct: [idCard.meta.vct_values[0]] } }),
  },
  {
    what: 'a disclosure inside a withheld one',
    check: 'disclosures',
    token: (received) => {
      const inner = disclosure('street', 'x');
      const outer = disclosure('address', { _sd: [digestOf(inner)] });
      const sdJwt = issuedSdJwt({ disclosures: [outer] });
      return presentSdJwt(sdJwt, holder, received, {
        parts: (parts) => [...parts.filter((part) => part !== outer).slice(0, -1), inner, ''],
      });
    },
  },
  {
    what: 'a disclosure named __proto__',
    check: 'disclosures',
    ...credential({ disclosures: [base64url('["salt","__proto__",{"polluted":true}]')] }),
  },
  {
    what: '10,000 disclosures',
    check: 'structure',
    ...presentation({ parts: ([jwt = '', ...rest]) => [jwt, ...Array<string>(10_000).fill('WyJhIiwxXQ'), ...rest] }),
  },
  {
    what: '513 disclosures',
    check: 'structure',
    ...presentation({ parts: ([jwt = '', ...rest]) => [jwt, ...Array<string>(513).fill('WyJhIiwxXQ'), ...rest] }),
  },
  { what: 'a disclosure of 200 KB', check: 'structure', ...hidden('a', 'x'.repeat(150_000)) },
  {
    what: 'a disclosure nested 10,000 deep',
    check: 'disclosures',
    ...credential({ disclosures: [base64url(`["salt","a",${'['.repeat(10_000)}${']'.repeat(10_000)}]`)] }),
  },
  {
    what: 'a payload nested 10,000 deep',
    check: 'structure',
    token: (received) => {
      const deep = base64url(`{"vct":"x","a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`);
      const [header] = issuedSdJwt().split('.');
      return presentSdJwt(`${header ?? ''}.${deep}.AAAA~`, holder, received);
    },
  },
  { what: 'no tilde', check: 'structure', token: () => issuedSdJwt().split('~')[0] ?? '' },
  { what: 'no tilde at the end', check: 'structure', token: () => issuedSdJwt().slice(0, -1) },
  {
    what: 'an empty part',
    check: 'structure',
    ...presentation({ parts: ([jwt = '', ...rest]) => [jwt, '', ...rest] }),
  },
  { what: 'padding', check: 'structure', ...presentation({ text: (text) => `${text}=` }) },
  { what: 'a line break', check: 'structure', ...presentation({ text: (text) => `${text}\n` }) },
  {
    what: 'aud twice',
    check: 'structure',
    token: (received) => {
      const text = presentSdJwt(issuedSdJwt(), holder, received);
      const [header, payload = '', signature] = text.slice(text.lastIndexOf('~') + 1).split('.');
      const twice = `{"aud":"x",${Buffer.from(payload, 'base64url').toString('utf8').slice(1)}`;
      return text.slice(0, text.lastIndexOf('~') + 1) + [header, base64url(twice), signature].join('.');
    },
  },
];
