import { digestOf, inSeconds, presentSdJwt } from './credentials';
import {
  bound,
  byPublicKey,
  credential,
  holder,
  issuedSdJwt,
  issuer,
  keyBinding,
  noSignature,
  presentation,
  type SdJwtRefusal,
  stranger,
} from './sd-jwt-cases';

/** Faults of the key binding, and what a query does not accept. */
export const bindingRefusals: readonly SdJwtRefusal[] = [
  { what: 'no key binding', check: 'key-binding', ...presentation({ bare: true }) },
  {
    what: 'a bad key binding that nobody asked for',
    check: 'key-binding',
    query: { require_cryptographic_holder_binding: false },
    ...keyBinding({ signer: stranger }),
  },
  {
    what: 'the nonce of a key binding that nobody asked for',
    check: 'nonce',
    query: { require_cryptographic_holder_binding: false },
    ...bound(() => ({ nonce: 'x' })),
  },
  { what: 'a key binding of another typ', check: 'key-binding', ...keyBinding({ header: { typ: 'JWT' } }) },
  {
    what: 'a key binding with none',
    check: 'key-binding',
    ...keyBinding({ header: { alg: 'none' }, sign: noSignature }),
  },
  {
    what: 'a key binding with HS256',
    check: 'key-binding',
    ...keyBinding({ header: { alg: 'HS256' }, sign: byPublicKey }),
  },
  { what: 'a key binding by another holder', check: 'key-binding', ...keyBinding({ signer: stranger }) },
  { what: 'a key binding by the issuer', check: 'key-binding', ...keyBinding({ signer: issuer }) },
  {
    what: 'a key binding by a key in its header',
    check: 'key-binding',
    ...keyBinding({ signer: stranger, header: { jwk: stranger.jwk } }),
  },
  { what: 'another nonce', check: 'nonce', ...bound(() => ({ nonce: 'x' })) },
  { what: 'no nonce', check: 'nonce', ...bound(() => ({ nonce: undefined })) },
  { what: 'a nonce in a list', check: 'nonce', ...bound(({ nonce }) => ({ nonce: [nonce] })) },
  { what: 'another aud', check: 'audience', ...bound(() => ({ aud: 'did:web:other.example' })) },
  { what: 'no aud', check: 'audience', ...bound(() => ({ aud: undefined })) },
  { what: 'a list as aud', check: 'audience', ...bound(({ clientId }) => ({ aud: [clientId] })) },
  {
    what: 'an aud without the prefix',
    check: 'audience',
    ...bound(({ clientId }) => ({ aud: clientId.replace(/^[^:]+:/, '') })),
  },
  {
    what: 'an aud with the prefix',
    check: 'audience',
    ...bound(({ clientId }) => ({ aud: `decentralized_identifier:${clientId}` }), 'draft-20'),
  },
  {
    what: 'the response URI as aud',
    check: 'audience',
    ...bound(({ responseUri }) => ({ aud: responseUri })),
  },
  {
    what: 'a key binding of last year',
    check: 'key-binding',
    ...bound(() => ({ iat: inSeconds(-31_536_000) })),
  },
  {
    what: 'a key binding of next year',
    check: 'key-binding',
    ...bound(() => ({ iat: inSeconds(31_536_000) })),
  },
  { what: 'a key binding without iat', check: 'key-binding', ...bound(() => ({ iat: undefined })) },
  { what: 'an expired key binding', check: 'key-binding', ...bound(() => ({ exp: inSeconds(-120) })) },
  { what: 'another sd_hash', check: 'key-binding', ...bound(() => ({ sd_hash: digestOf('x') })) },
  { what: 'no sd_hash', check: 'key-binding', ...bound(() => ({ sd_hash: undefined })) },
  {
    what: 'a disclosure dropped after signing',
    check: 'key-binding',
    ...presentation({
      text: (text) =>
        text
          .split('~')
          .filter((_, index) => index !== 2)
          .join('~'),
    }),
  },
  {
    what: 'a credential bound to no key',
    check: 'key-binding',
    ...credential({ payload: { cnf: undefined } }),
  },
  {
    what: 'a credential bound to a private key',
    check: 'key-binding',
    ...credential({ payload: { cnf: { jwk: { ...holder.jwk, d: 'AAAA' } } } }),
  },
  {
    what: 'a stolen credential',
    check: 'key-binding',
    token: (received) => presentSdJwt(issuedSdJwt(), stranger, received),
  },
  { what: 'a requested claim withheld', check: 'query', ...presentation({ reveal: ['level'] }) },
  { what: 'another value', check: 'query', ...credential({ claims: { given_name: 'Erika' } }) },
  {
    what: 'another vct',
    check: 'query',
    ...credential({ payload: { vct: 'https://credentials.example/other' } }),
  },
  { what: 'a status of unknown kind', check: 'status', ...credential({ payload: { status: { other: {} } } }) },
  {
    what: 'a status beside a status list',
    check: 'status',
    ...credential({ payload: { status: { other: {}, status_list: { idx: 0, uri: 'https://x.example' } } } }),
  },
  {
    what: 'a negative index',
    check: 'status',
    ...credential({ payload: { status: { status_list: { idx: -1, uri: 'https://x.example' } } } }),
  },
];
